"""What a chat model writes for passages: chosen for a base or one document, its cost told, then begun, followed and cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from ingest.enrich.registry import role_of
from models.check import places
from settings import Settings, SettingsError
from store.bases import Base
from store.errors import StoreError
from store.library import StoredDocument
from ui import state, tuning
from ui.components.failure import explain
from ui.components.library_enriching import show_run
from ui.components.menus import close, menu_key
from ui.components.models import is_here
from ui.strings import t

if TYPE_CHECKING:
    from ui.services import Services

KINDS = ("questions", "summary", "rewrite", "faq", "tags", "figures")
COUNTED = ("questions", "faq", "tags")
_WIDTH = 220
_MENU = "library_enrich"


def show_enriching(services: Services, name: str) -> None:
    """How far a run is, and the choice for all documents of a base."""
    base = next((each for each in services.library.bases() if each.name == name), None)
    if base is None or services.library.is_empty(base):
        return
    show_run(services, base)
    with st.expander(t("enrich.title", base=name), key="enriching", icon=":material/auto_awesome:"):
        st.caption(t("enrich.about"))
        _choice(services, base, None)


def show_enrich_one(services: Services, name: str, document: StoredDocument) -> None:
    """The same for one document."""
    with st.popover(t("enrich.one"), icon=":material/auto_awesome:", key=menu_key(_MENU)):
        st.caption(t("enrich.about"))
        _choice(services, services.library.base(name), document)


def _choice(services: Services, base: Base, document: StoredDocument | None) -> None:
    """What to write, and the button that counts what it would take."""
    key = f"enrich:{document.doc_id if document else base.id}"
    configured = state.settings(services)
    has_model = {kind: configured.llm.of(role_of(kind)).provider != "none" for kind in KINDS}
    if not any(has_model.values()):
        st.info(t("enrich.no_model"), icon=":material/smart_toy:")
    chosen = {kind: _switch(kind, configured, key, enabled=has_model[kind]) for kind in KINDS}
    counts = {f"ingest.enrich.{kind}.count": _count(kind, configured, key) for kind in COUNTED if chosen[kind]}
    if chosen["figures"]:
        counts["ingest.enrich.figures.max_pictures"] = _most_pictures(configured, key)
        st.caption(f":material/cloud_upload: {_where_pictures_go(configured)}")
    keywords = st.checkbox(t("enrich.keywords"), key=f"{key}:keywords", help=t("enrich.keywords_help"))
    progress = services.enriching.progress(base.id)
    waits = (progress is not None and progress.under_way) or not (keywords or any(chosen.values()))
    if st.button(t("enrich.count"), key=f"{key}:count", icon=":material/calculate:", disabled=waits):
        changes = {f"ingest.enrich.{kind}.enabled": on for kind, on in chosen.items()} | counts
        try:
            services.count_enrichment(base.name, configured.override(changes), keywords=keywords, document=document)
        except (StoreError, SettingsError) as error:
            st.error(explain(error))
        else:
            close(_MENU)
            st.rerun()


def _switch(kind: str, configured: Settings, key: str, *, enabled: bool) -> bool:
    on = enabled and bool(getattr(configured.ingest.enrich, kind).enabled)
    words, about = t(f"enrich.{kind}"), t(f"enrich.{kind}_help")
    return st.checkbox(words, on, key=f"{key}:{kind}", disabled=not enabled, help=about) and enabled


def _count(kind: str, configured: Settings, key: str) -> Any:
    knob = tuning.knob(f"ingest.enrich.{kind}.count")
    value = getattr(configured.ingest.enrich, kind).count
    return st.number_input(
        t(f"enrich.{kind}_count"), knob.low, knob.high, value, step=knob.step, key=f"{key}:{kind}_count", width=_WIDTH
    )


def _most_pictures(configured: Settings, key: str) -> int:
    knob = tuning.knob("ingest.enrich.figures.max_pictures")
    value, words = configured.ingest.enrich.figures.max_pictures, t("enrich.figures_most")
    low, high = int(knob.low), int(knob.high)
    return int(st.number_input(words, low, high, value, step=1, key=f"{key}:figures_most", width=_WIDTH))


def _where_pictures_go(configured: Settings) -> str:
    """Who gets to see the pictures."""
    used = places(configured)
    model, place = used.get("vision", used["chat"])
    if is_here(place):
        return t("enrich.figures_stay", model=model)
    return t("enrich.figures_leave", model=model, place=place)
