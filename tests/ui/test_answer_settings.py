"""The settings of the answer on the page: each has its knob, turned ones are marked, used and kept beside the answer."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import FakeServices
from tests.ui.pages import chat, checked, press, said
from tests.ui.test_page import add, ask
from ui import tuning
from ui.components.knobs import MARK

LOWEST = "answer.grounding.refuse_below"


def panel(page: AppTest) -> str:
    """What the panel is called."""
    return next(str(each.label) for each in page.sidebar.expander if str(each.label).startswith(("Answer", "回答")))


def test_every_setting_of_the_answer_has_a_knob(services: FakeServices) -> None:
    names = [name for name in services.settings().flat() if name.startswith("answer.")]
    assert sorted(tuning.ANSWERING) == sorted(names)
    page = chat(services)
    controls = [*page.sidebar.slider, *page.sidebar.number_input, *page.sidebar.toggle]
    assert {f"knob:{name}" for name in names} <= {str(each.key) for each in controls}


def test_a_turned_knob_is_marked_used_and_kept_beside_the_answer(services: FakeServices) -> None:
    page = add(chat(services), "a.txt")
    assert MARK not in panel(page)
    page = ask(checked(page.slider(key=f"knob:{LOWEST}").set_value(0.8).run()), "How long is the refund period?")
    assert services.settings_used[-1].answer.grounding.refuse_below == 0.8
    assert "Refuse below: 0.8" in said(page).replace("\\", "")
    page = press(page, "reset:answering")
    assert (MARK in panel(page), page.slider(key=f"knob:{LOWEST}").value) == (False, 0.5)


@pytest.mark.parametrize(
    ("language", "name", "default"), [("en", "Refuse below", "Default: 0.5"), ("zh", "低于此值则拒答", "默认值：0.5")]
)
def test_what_differs_is_marked_in_both_languages(services: FakeServices, language: str, name: str, default: str) -> None:
    services.preferences.set("language", language)
    services.preferences.set(tuning.PREFERENCE, {LOWEST: 0.8})
    page = chat(services)
    knob = page.slider(key=f"knob:{LOWEST}")
    assert (knob.value, knob.label, MARK in panel(page)) == (0.8, f"{name} {MARK}", True)
    assert default in knob.help.replace("\\", "")


def test_what_another_switch_turns_off_is_not_shown(services: FakeServices) -> None:
    page = checked(chat(services).toggle(key=f"knob:{tuning.GROUNDING}").set_value(False).run())
    assert not [each for each in page.sidebar.slider if each.key == f"knob:{LOWEST}"]
    page = checked(page.toggle(key=f"knob:{tuning.CACHE}").set_value(False).run())
    assert not [each for each in page.sidebar.number_input if each.key == "knob:answer.cache.days"]
