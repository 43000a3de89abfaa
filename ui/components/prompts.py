"""The prompts: what models are told, in both languages, to be read, changed and put back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from models.prompts import InvalidPrompt, Prompt, default, in_force, key_of, names, placeholders, using
from models.prompts.checking import MAY_LACK
from ui import state, strings
from ui.components.menus import ask, confirm
from ui.safe import escape_markdown
from ui.strings import current, plain, say, t

if TYPE_CHECKING:
    from ui.services import Services

_ERROR, _LANGUAGE = "prompt_error", "prompt_language"
_LINES_TALL = 420


def show_prompts(services: Services) -> None:
    """Which prompts are changed, and one of them to look at and to change."""
    own = services.prompts.all()
    st.caption(_changed_words(own))
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        name = st.selectbox(t("prompts.which"), names(), key=f"prompt:{current()}", format_func=lambda each: _title(each, own))
    with right:
        language = st.segmented_control(
            t("prompts.language"),
            list(strings.LANGUAGES),
            key=_LANGUAGE,
            default=current(),
            format_func=strings.LANGUAGES.__getitem__,
            required=True,
        )
    with using(own):
        shown = in_force(name, str(language))
    st.caption(t(f"prompt_about.{name}"))
    _edit(services, shown, own)


def _edit(services: Services, shown: Prompt, own: Mapping[str, str]) -> None:
    """The text with what must stand in it, and the buttons."""
    key, field = shown.key, f"prompt_text:{shown.key}"
    if shown.unusable:
        st.warning(t("prompts.unusable"), icon=":material/warning:")
    if field not in st.session_state:
        st.session_state[field] = own.get(key, shown.text)
    st.text_area(t("prompts.text"), key=field, height=_LINES_TALL)
    needed = placeholders(default(key))
    if needed:
        st.caption(t("prompts.places", names=", ".join(f"{{{each}}}" for each in needed if each not in MAY_LACK)))
    failed, told = st.session_state.get(_ERROR, ("", {}))
    if failed == key:
        st.error(say("prompt_error", told), icon=":material/error:")
    st.caption(t("prompts.changed" if key in own else "prompts.as_it_came", digest=shown.digest))
    with st.container(horizontal=True, gap="small"):
        st.button(
            t("prompts.save"),
            key=f"prompt_save:{key}",
            type="primary",
            icon=":material/save:",
            on_click=_save,
            args=(services, key, field),
        )
        if key in own and st.button(t("prompts.reset"), key=f"prompt_reset:{key}", icon=":material/restart_alt:"):
            ask(field)
    confirm(
        field,
        t("prompts.reset_title"),
        [t("prompts.reset_text")],
        yes=t("prompts.reset"),
        delete=lambda: _reset(services, key),
        key="prompt_reset_yes",
    )
    if key in own:
        with st.expander(t("prompts.default"), key=f"prompt_default:{key}"):
            st.code(default(key), language=None, wrap_lines=True)


def _save(services: Services, key: str, field: str) -> None:
    """Keep the text; one that is the default's again is no change."""
    written = str(st.session_state[field])
    try:
        kept = services.prompts.save(key, written)
    except InvalidPrompt as error:
        st.session_state[_ERROR] = key, {"code": error.code, "params": error.params}
        return
    st.session_state.pop(_ERROR, None)
    if kept == default(key):
        services.prompts.reset(key)
    state.put(field, kept)
    st.toast(t("prompts.saved"), icon=":material/check:")


def _reset(services: Services, key: str) -> None:
    services.prompts.reset(key)
    st.session_state.pop(_ERROR, None)
    st.session_state.pop(f"prompt_text:{key}", None)


def _title(name: str, own: Mapping[str, str]) -> str:
    """The name of a prompt, with a dot where one of its texts is changed."""
    changed = any(key_of(name, language) in own for language in strings.LANGUAGES)
    return f"{plain(f'prompt_name.{name}')} ●" if changed else plain(f"prompt_name.{name}")


def _changed_words(own: Mapping[str, str]) -> str:
    if not own:
        return t("prompts.none_changed")
    said = [f"{plain(f'prompt_name.{name}')} ({strings.LANGUAGES[language]})" for name, language in _split(own)]
    return f"{t('prompts.are_changed')} {escape_markdown(', '.join(said))}"


def _split(own: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names and languages; what no prompt has any more is left out."""
    known = names()
    parted = [key.rpartition(".") for key in own]
    return [(name, language) for name, _, language in parted if name in known and language in strings.LANGUAGES]
