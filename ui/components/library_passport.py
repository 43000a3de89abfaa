"""What built a base, and indexing it again with other settings or another embedding model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ingest.reindexing import ReindexProgress
from settings import SettingsError
from store.bases import Base
from store.errors import StoreError
from ui.components.failure import explain
from ui.components.library_cutting import show_cutting, with_cutting
from ui.components.library_facts import Fact, facts
from ui.components.reasons import why
from ui.figures import count_words
from ui.safe import escape_markdown, shown_name
from ui.strings import plain, t
from ui.wording import name_of, value_of

if TYPE_CHECKING:
    from ui.services import Services

_CUT = ("chunker", "chunk_size", "min_chunk_size", "chunk_overlap", "segment_size")
_MOST_FAILED = 20


def show_passport(services: Services, name: str) -> None:
    """The passport, and a button; while the base is being indexed again, how far that is."""
    base = next((each for each in services.library.bases() if each.name == name), None)
    if base is None:
        return
    _progress(services, base)
    with st.expander(t("passport.title", base=name), key="passport", icon=":material/badge:"):
        if base.passport:
            st.html(facts(_passport(base)))
        else:
            st.caption(t("passport.none"))
        if not services.library.is_empty(base):
            _again(services, base)


def _passport(base: Base) -> list[Fact]:
    embedder, ingest = base.passport.get("embedder") or {}, base.passport.get("ingest") or {}
    return [
        (plain("passport.embedder"), embedder.get("model")),
        (plain("passport.provider"), embedder.get("provider")),
        (plain("passport.dimension"), embedder.get("dimension")),
        *((name_of(f"ingest.{key}"), value_of(f"ingest.{key}", ingest[key])) for key in _CUT if key in ingest),
        (plain("passport.schema"), base.passport.get("schema")),
        (plain("passport.created"), base.created_at.astimezone().strftime("%Y-%m-%d %H:%M")),
        (plain("passport.id"), base.id),
    ]


def _again(services: Services, base: Base) -> None:
    st.markdown(f"**{t('reindex.all')}**")
    st.caption(t("reindex.about"))
    chosen = show_cutting(services, key=f"again:{base.id}")
    busy = services.reindexing.busy(base.id)
    if st.button(t("reindex.start"), key="reindex_start", icon=":material/refresh:", disabled=busy):
        try:
            services.reindexing.start(base, with_cutting(services, chosen))
        except (StoreError, SettingsError) as error:
            st.error(explain(error))
        else:
            st.rerun()


def _progress(services: Services, base: Base) -> None:
    if services.reindexing.progress(base.id) is None:
        return
    busy = services.reindexing.busy(base.id)

    @st.fragment(run_every=1 if busy else None)
    def panel() -> None:
        progress = services.reindexing.progress(base.id)
        if busy and (progress is None or progress.finished):
            st.rerun()
        if progress:
            with st.container(border=True, key="reindexing"):
                _told(services, base, progress)

    panel()


def _told(services: Services, base: Base, progress: ReindexProgress) -> None:
    done, total = count_words(progress.done), count_words(progress.total)
    if not progress.finished:
        st.progress(progress.done / progress.total if progress.total else 0.0, text=t("reindex.running", done=done, total=total))
        st.button(t("jobs.cancel"), key="reindex_cancel", on_click=services.reindexing.cancel, args=(base.id,))
        return
    if progress.problem:
        st.error(escape_markdown(progress.problem), icon=":material/error:")
    elif progress.cancelled:
        st.info(t("reindex.cancelled"), icon=":material/cancel:")
    elif progress.failed:
        st.error(t("reindex.failed", count=len(progress.failed)), icon=":material/error:")
        for report in progress.failed[:_MOST_FAILED]:
            st.caption(f"**{escape_markdown(shown_name(report.source))}** {why(report.as_json(), report.reason)}")
    else:
        st.success(t("reindex.done", count=done), icon=":material/check_circle:")
    st.button(t("jobs.close"), key="reindex_close", type="tertiary", on_click=services.reindexing.dismiss, args=(base.id,))
