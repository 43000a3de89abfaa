"""The settings that an answer was made with, as far as they are not the configured ones, and using them again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui import state, tuning
from ui.components.presets import apply, preset_name
from ui.limits import filter_of
from ui.safe import escape_markdown
from ui.strings import plain, t
from ui.wording import change_words

if TYPE_CHECKING:
    from ui.services import Services

TUNING, ANSWERING, PRESET, BASES, LIMITS, UNREAD = "tuning", "answering", "preset", "bases", "limits", "unread"


def made_with(services: Services) -> dict[str, Any]:
    """What is kept beside an answer that is made now."""
    return {
        TUNING: tuning.retrieval_values(state.settings(services)),
        ANSWERING: tuning.answer_values(state.settings(services)),
        PRESET: state.preset(services),
        BASES: state.bases(services),
        LIMITS: filter_of(state.limits()).as_json(),
        UNREAD: sum(map(services.jobs.left, state.bases(services))),
    }


def is_as_now(kept: Mapping[str, Any], present: Mapping[str, Any]) -> bool:
    """Whether what was kept beside an answer is the `present`; what an older version did not keep counts as the same."""
    used = tuning.used_for(kept[TUNING], state.configured())
    before = (used, kept.get(BASES, present[BASES]), kept.get(LIMITS) or {})
    return before == (present[TUNING], present[BASES], present[LIMITS])


def used_words(payload: Mapping[str, Any]) -> tuple[str, str]:
    """The preset that an answer was made with, "" for none, and what else differs from the configured settings, as plain text."""
    name = preset_name(payload[PRESET]) if payload.get(PRESET) else ""
    used = tuning.used_for(payload[TUNING], state.configured())
    changes = tuning.differing({**used, **(payload.get(ANSWERING) or {})}, state.configured())
    return name, " · ".join(change_words(changes)) or ("" if name else plain("used.as_configured"))


def show_used(services: Services, payload: Mapping[str, Any], *, key: str) -> None:
    """A line of small print; a button too, where the settings of now are others."""
    if payload.get(TUNING) is None:
        return
    used = tuning.used_for(payload[TUNING], state.configured())
    changes = tuning.differing(used, state.configured())
    name, words = used_words(payload)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"used:{key}"):
        st.caption(
            f":material/tune: {t('used.settings')} {f'**{escape_markdown(name)}** ' if name else ''}{escape_markdown(words)}"
        )
        if used != tuning.retrieval_values(state.settings(services)):
            st.button(
                t("used.again"),
                key=f"use:{key}",
                type="tertiary",
                icon=":material/settings_backup_restore:",
                on_click=apply,
                args=(services, payload.get(PRESET, ""), changes),
            )
