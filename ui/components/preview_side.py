"""One of the two strategies of a preview: its settings, and what it makes of the document."""

from __future__ import annotations

import hashlib
import json
from statistics import median
from typing import TYPE_CHECKING

import streamlit as st

from ingest.document import LoadedDocument
from ingest.preview import Preview, PreviewChunk
from models import ModelError
from settings import Settings, SettingsError
from ui.components.chunks_text import Coloured, coloured
from ui.components.failure import explain
from ui.components.library_cutting import show_cutting, with_cutting
from ui.components.library_facts import Fact, facts
from ui.components.preview_charts import curve, widths
from ui.components.reasons import why
from ui.figures import count_words
from ui.strings import plain, t
from ui.wording import value_of

if TYPE_CHECKING:
    from ui.services import Services

_KEPT, _MOST_KEPT = "previews", 8
PART = 6000
"""Characters of the text that are drawn at once."""


def show_settings(services: Services, side: str, chunker: str | None, document: LoadedDocument, *, most: int) -> Preview | None:
    """The controls of a side, and the preview with them; None when it cannot be made, which is said."""
    chosen = show_cutting(services, key=f"preview_{side}", chunker=chunker)
    try:
        return _cut(services, with_cutting(services, chosen), document, most=most)
    except ModelError as error:
        st.error(why({"code": error.code, "params": {"message": str(error)}}, str(error)), icon=":material/error:")
    except SettingsError as error:
        st.error(explain(error), icon=":material/error:")
    return None


def _cut(services: Services, settings: Settings, document: LoadedDocument, *, most: int) -> Preview:
    """The preview, made once; the session keeps the last few. Raises ModelError."""
    about = json.dumps(settings.ingest.model_dump(mode="json"), sort_keys=True)
    key = hashlib.sha256(f"{document.source}\0{document.text}\0{about}\0{most}".encode("utf-8", "replace")).hexdigest()
    kept: dict[str, Preview] = st.session_state.setdefault(_KEPT, {})
    if key not in kept:
        with st.spinner(t("preview.cutting")):
            kept[key] = services.preview(document, settings, most=most)
    for old in list(kept)[:-_MOST_KEPT]:
        del kept[old]
    return kept[key]


def show_figures(preview: Preview) -> None:
    """Counts, the distribution of sizes, and the distance curve where the strategy has one."""
    st.html(facts(figures(preview)))
    if preview.chunks:
        st.altair_chart(widths(preview), width="stretch")
    drawn = curve(preview)
    if drawn is not None:
        st.caption(t("preview.curve"))
        st.altair_chart(drawn, width="stretch")


def figures(preview: Preview) -> list[Fact]:
    """How many chunks there are, how large, and how much of them is repeated, as words and values in plain text."""
    sizes = [chunk.width for chunk in preview.chunks]
    total, repeated = sum(sizes), sum(chunk.repeated for chunk in preview.chunks)
    looked = plain("preview.looked_at", part=count_words(len(preview.text)), chars=count_words(preview.chars))
    spread = [count_words(round(size)) for size in (min(sizes), median(sizes), max(sizes))] if sizes else []
    return [
        (plain("report.chunker"), value_of("ingest.chunker", preview.chunker)),
        (plain("report.chunks"), count_words(len(sizes))),
        (plain("preview.sizes"), " – ".join(spread)),
        (plain("preview.repeated"), f"{100 * repeated / total:.0f} %" if total else None),
        (plain("preview.threshold"), f"{preview.threshold:.3f}" if preview.threshold is not None else None),
        (plain("report.chars"), count_words(preview.chars) if preview.is_whole else looked),
    ]


def show_text(preview: Preview, part: int) -> None:
    """A part (0 is the first) of the text with the chunks coloured."""
    low, high = part * PART, min((part + 1) * PART, len(preview.text))
    if low >= high:
        st.caption(t("preview.not_looked_at"))
        return
    spans = [Coloured(chunk.start, chunk.end, str(number), _about(chunk)) for number, chunk in enumerate(preview.chunks, start=1)]
    st.html(f'<div class="gb-chunks">{coloured(preview.text, spans, window=(low, high))}</div>')


def _about(chunk: PreviewChunk) -> str:
    words = [plain("passages.page", page=chunk.page)] if chunk.page is not None else []
    words += [plain("chunks.width", width=count_words(round(chunk.width))), chunk.heading or ""]
    words += [plain("preview.parent", start=chunk.parent.start, end=chunk.parent.end)] if chunk.parent else []
    words += [plain("preview.window", start=chunk.window.start, end=chunk.window.end)] if chunk.window else []
    return " · ".join(filter(None, words))
