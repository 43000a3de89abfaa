"""The choice of a preset; saving, deleting, exporting and importing one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import streamlit as st

from store.errors import InvalidName
from store.presets import LONGEST_NAME
from ui import presets, state, tuning
from ui.components.failure import explain
from ui.components.knobs import MARK
from ui.components.menus import ask, close, confirm, menu_key
from ui.safe import escape_markdown, whole_name
from ui.strings import current, has, plain, say, t
from ui.wording import change_words, name_of

if TYPE_CHECKING:
    from ui.services import Services

_ROUND, _TOLD, _MENU = "preset_round", "preset_told", "preset_menu_popover"
_LARGEST_MB = 1


def show_presets(services: Services) -> None:
    """The choice with the menu beside it, and what the chosen one is good for."""
    known, chosen = presets.all_presets(services.presets.all()), state.preset(services)
    key = f"preset_choice:{current()}"
    state.put(key, chosen)

    def choose() -> None:
        """Use what was chosen; a name that is no preset any more changes nothing, such as one that another tab deleted."""
        wanted = st.session_state[key]
        if wanted in known:
            apply(services, wanted, known[wanted])

    choice, menu = st.columns([5, 1], vertical_alignment="bottom", gap="small")
    options = ["", *known]  # the same in each run: the browser sends names, and one that is no option comes back as it is
    choice.selectbox(t("preset.label"), options, key=key, format_func=preset_name, on_change=choose)
    with menu.container(key="preset_menu").popover("", icon=":material/more_vert:", help=t("preset.menu"), key=menu_key(_MENU)):
        _save(services)
        _delete(chosen)
        _export(chosen)
        _import(services)
    _confirm(services, chosen)
    st.caption(_about(chosen))
    _told()


def apply(services: Services, key: str, changed: Mapping[str, Any]) -> None:
    """Use a preset's settings, of an answer too; what an older version allowed and this one does not is told when it is drawn."""
    left_out = state.use_preset(services, key, changed)
    if left_out:
        st.session_state[_TOLD] = (False, t("preset.left_out", names=", ".join(map(name_of, left_out))))


def preset_name(key: str) -> str:
    """What a preset of this id is called, as plain text; one's own have a star, so that no two are called the same."""
    if not key:
        return plain("preset.none")
    if key.startswith(presets.OWN):
        return f"★ {whole_name(key.removeprefix(presets.OWN))}"
    name = key.removeprefix(presets.BUILT_IN)
    return plain(f"preset.{name}") if has(f"preset.{name}") else name


def _about(chosen: str) -> str:
    """What a built-in preset is good for, or what differs in one's own settings, as Markdown."""
    if chosen.startswith(presets.BUILT_IN):
        return t(f"preset.{chosen.removeprefix(presets.BUILT_IN)}_about")
    return f"{MARK} {escape_markdown(' · '.join(change_words(tuning.of_retrieval(state.changes()))))}"


def _save(services: Services) -> None:
    with st.form("preset_save", clear_on_submit=True, border=False):
        name = st.text_input(t("preset.name"), key="preset_name", max_chars=LONGEST_NAME)
        if not st.form_submit_button(t("preset.save"), icon=":material/save:") or not name.strip():
            return
    try:
        saved = services.presets.save(name, tuning.of_retrieval(state.changes()))
    except InvalidName as error:
        st.error(explain(error))
        return
    state.use_preset(services, presets.OWN + saved.name, saved.changes)
    st.session_state[_TOLD] = (True, t("preset.saved", name=saved.name))
    close(_MENU)
    st.rerun()


def _delete(chosen: str) -> None:
    if chosen.startswith(presets.OWN):
        label = t("preset.delete", name=whole_name(chosen.removeprefix(presets.OWN)))
        st.button(label, key="preset_delete", icon=":material/delete:", type="tertiary", on_click=ask, args=(chosen, _MENU))


def _confirm(services: Services, chosen: str) -> None:
    name = chosen.removeprefix(presets.OWN)
    confirm(
        chosen,
        t("preset.delete_title"),
        [t("preset.delete_text", name=whole_name(name))],
        yes=t("preset.delete_yes"),
        delete=lambda: services.presets.delete(name),
        key="preset_delete_yes",
    )


def _export(chosen: str) -> None:
    name = chosen.partition(":")[2] or plain("preset.none")
    st.download_button(
        t("preset.export"),
        presets.export(name, tuning.of_retrieval(state.changes())),
        file_name="glassbox-preset.yaml",
        mime="application/yaml",
        key="preset_export",
        icon=":material/download:",
        on_click="ignore",
    )


def _import(services: Services) -> None:
    key = f"preset_import:{st.session_state.get(_ROUND, 0)}"

    def take() -> None:
        file = st.session_state.get(key)
        if file is not None:
            st.session_state[_TOLD] = _take(services, file.name, file.getvalue())
            close(_MENU)
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1

    with st.container(key="preset_import"):
        st.file_uploader(t("preset.import"), ["yaml", "yml"], key=key, on_change=take, max_upload_size=_LARGEST_MB)


def _take(services: Services, file: str, data: bytes) -> tuple[bool, str]:
    """Keep and use the preset of a file; gives whether that went well, and what to tell."""
    try:
        preset = presets.parse(data, name=PurePath(file).stem, base=services.settings(), present=state.settings(services))
        others = {each.name for each in services.presets.all() if each != preset}
        saved = services.presets.save(presets.free_name(preset.name, others), preset.changes)
    except presets.PresetError as error:
        return False, say("preset_error", {"code": error.code, "params": error.params})
    state.use_preset(services, presets.OWN + saved.name, saved.changes)
    return True, t("preset.imported", name=saved.name)


def _told() -> None:
    """What came of saving or importing, once."""
    told = st.session_state.pop(_TOLD, None)
    if told:
        went_well, words = told
        (st.success if went_well else st.error)(words)
