"""The page of the prompts: read, changed with a check, marked as changed, and put back; in both languages."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from models.prompts import default, names
from tests.ui.pages import checked, press, said, shown
from ui.services import Services

OWN = "Answer briefly from these, or say NO_ANSWER.\n\n{passages}"


def choose(page: AppTest, name: str, language: str = "en") -> AppTest:
    page = checked(page.selectbox(key="prompt:en").set_value(name).run())
    return checked(page.segmented_control(key="prompt_language").set_value(language).run()) if language != "en" else page


def write(page: AppTest, key: str, text: str) -> AppTest:
    page.text_area(key=f"prompt_text:{key}").set_value(text)
    return press(page, f"prompt_save:{key}")


def test_a_prompt_is_changed_and_put_back(real: Services) -> None:
    page = choose(shown(real, "prompts"), "answer")
    assert len(page.selectbox(key="prompt:en").options) == len(names())
    assert page.text_area(key="prompt_text:answer.en").value == default("answer.en")
    assert "All prompts are as they came." in said(page)
    assert "\\{passages\\}" in said(page)
    page = write(page, "answer.en", f"  {OWN}\n")
    assert real.prompts.all() == {"answer.en": OWN}
    assert "Changed by you: Answer \\(English\\)" in said(page)
    assert "Answer ●" in page.selectbox(key="prompt:en").options
    assert page.text_area(key="prompt_text:answer.en").value == OWN
    assert default("answer.en") in [str(each.value) for each in page.code]
    page = press(page, "prompt_reset:answer.en")
    assert real.prompts.all() == {"answer.en": OWN}, "it is asked for first"
    page = press(page, "prompt_reset_yes")
    assert real.prompts.all() == {}
    assert page.text_area(key="prompt_text:answer.en").value == default("answer.en")


def test_a_text_that_cannot_be_used_stays_in_the_field_and_says_why(real: Services) -> None:
    page = choose(shown(real, "prompts"), "answer")
    page = write(page, "answer.en", "NO_ANSWER {pasages}")
    (error,) = page.error
    assert "\\{pasages\\} stands for nothing" in error.value
    assert real.prompts.all() == {}
    assert page.text_area(key="prompt_text:answer.en").value == "NO_ANSWER {pasages}"
    page = write(page, "answer.en", default("answer.en"))
    assert not page.error
    assert real.prompts.all() == {}, "the default again is no change"


def test_each_language_has_its_own_text(real: Services) -> None:
    page = choose(shown(real, "prompts"), "standalone", "zh")
    page = write(page, "standalone.zh", "请补全：{conversation}")
    assert real.prompts.all() == {"standalone.zh": "请补全：{conversation}"}
    assert "Follow-up written out (中文)" in said(page).replace("\\", "")


def test_an_own_text_that_does_not_fit_any_more_is_shown_with_a_warning(real: Services) -> None:
    from sqlalchemy import text

    with real._engine.begin() as connection:
        connection.execute(text("INSERT INTO prompts (key, text) VALUES ('hyde.en', 'old {gone}'), ('nothing.en', 'x')"))
    page = choose(shown(real, "prompts"), "hyde")
    assert [str(each.value).startswith("Your text does not fit") for each in page.warning] == [True]
    assert page.text_area(key="prompt_text:hyde.en").value == "old {gone}"
