"""What went wrong, shown as it is with what to do about it; never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ingest.errors import LoadError
from store.errors import StoreError
from ui.components.reasons import why
from ui.safe import escape_markdown
from ui.strings import current

_LOG = logging.getLogger(__name__)


@contextmanager
def explained() -> Iterator[None]:
    """Show any error of the block on the page and go on below it. Streamlit's own signals pass."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the page is the last place that can tell the person what happened
        st.error(explain(error), icon=":material/error:")


def explain(error: Exception) -> str:
    """What the error says, which includes what to do, as Markdown, in the language of the page where its code has words there."""
    said = log(error)
    if isinstance(error, (StoreError, LoadError)) and current() != "en":  # the English message may tell more
        return why({"code": error.code, "params": {"message": said} | error.params}, said)
    return escape_markdown(said)


def log(error: Exception) -> str:
    """Log the error with its traceback, and give its message, or its kind where it has none."""
    _LOG.error("Shown on the page: %s", error, exc_info=error)
    return str(error).strip() or type(error).__name__
