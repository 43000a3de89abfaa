"""The route and the question that was searched for, on the page: shown with their reasons, changed for one answer, or fixed."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from store.chats import Message
from tests.ui.fakes import FakeServices
from tests.ui.pages import add as read_in
from tests.ui.pages import chat, checked, press
from tests.ui.test_page import add, ask, said
from ui import asking
from ui.services import Services

FIRST, FOLLOW_UP = "How long is the refund period?", "And its start?"


@pytest.fixture
def page(services: FakeServices) -> AppTest:
    """A conversation of a question and a follow-up."""
    return ask(ask(add(chat(services), "a.txt"), FIRST), FOLLOW_UP)


def messages(services: FakeServices | Services, role: str) -> list[Message]:
    (conversation,) = services.chats.conversations()
    return [message for message in services.chats.messages(conversation.id) if message.role == role]


def last_key(services: FakeServices | Services) -> str:
    return str(messages(services, "assistant")[-1].id)


def test_a_follow_up_shows_what_was_searched_for_and_is_corrected(page: AppTest, services: FakeServices) -> None:
    assert "Searched for: *And the refund period's start?* :gray[(by rules)]" in said(page).replace("\\", "")
    assert said(page).count("Searched for:") == 1, "of the first question nothing was made"
    key = last_key(services)
    page.text_area(key=f"standalone_text:{key}").set_value("  ")
    press(page, f"standalone_again:{key}")
    assert len(services.standalones) == 2, "nothing written asks nothing"
    page.text_area(key=f"standalone_text:{key}").set_value("When does **it** <b>start</b>?")
    page = press(page, f"standalone_again:{key}")
    assert services.standalones[-1] == "When does **it** <b>start</b>?"
    assert "*When does **it** <b>start</b>?* :gray[(as you wrote it)]" in said(page).replace("\\", "")
    assert "<b>" not in said(page)
    page = ask(page, "And what else?")
    assert services.standalones[-1:] == [None]
    assert services.histories[-1][-2] == ("human", "When does **it** <b>start</b>?"), "the next follow-up leans on it"


def test_a_follow_up_is_asked_just_as_it_was_written(page: AppTest, services: FakeServices) -> None:
    press(page, f"standalone_without:{last_key(services)}")
    assert services.standalones[-1] == FOLLOW_UP
    assert (messages(services, "assistant")[-1].payload or {})["standalone_question"] == FOLLOW_UP


def test_the_route_is_shown_and_changed_for_one_answer_with_its_passages(page: AppTest, services: FakeServices) -> None:
    assert "Route: **simple** · it asks for one thing" in said(page)
    page = press(page, f"route_complex:{last_key(services)}")
    assert services.routes[-1] == "complex"
    assert "Route: **complex** · it was chosen · Passages shown: 16" in said(page).replace("\\", "")
    page.text_area(key=f"why_text:{last_key(services)}").set_value("period of a.txt")
    checked(next(button for button in page.main.button if button.label == "Find out").click().run())
    assert services.explained[-1].retrieval.top_k == 16, "why a passage is not found is asked of the same route"
    page = checked(page.slider(key="knob:retrieval.vector_weight").set_value(0.8).run())
    assert (services.settings_used[-1].retrieval.vector_weight, services.settings_used[-1].retrieval.top_k) == (0.8, 16)
    page = checked(page.slider(key="knob:retrieval.top_k").set_value(5).run())
    assert services.settings_used[-1].retrieval.top_k == 5
    ask(page, "Another one?")
    assert services.routes[-1] == "auto"


def test_the_panel_fixes_the_route_and_leaves_follow_ups_as_they_are(page: AppTest, services: FakeServices) -> None:
    page = checked(page.toggle(key="knob:conversation.standalone").set_value(False).run())
    page = checked(page.selectbox(key="knob:conversation.route:en").set_value("medium").run())
    page = ask(page, FOLLOW_UP)
    assert (services.routes[-1], services.own[-1]) == ("medium", {"conversation.standalone", "conversation.route"})
    page = press(page, "reset:conversation")
    ask(page, FOLLOW_UP)
    assert (services.routes[-1], services.own[-1]) == ("auto", set())


@pytest.mark.parametrize("answer", [{}, {"routing": None}, {"route": "odd", "routing": {}}, {"route": "simple"}])
def test_answers_of_older_versions_have_no_route(answer: dict[str, object]) -> None:
    def script(answer):
        from ui.components.routing import show_route

        show_route(answer, question=1, key="1")

    page = checked(AppTest.from_function(script, kwargs={"answer": answer}).run())
    assert not page.caption


def test_small_talk_is_answered_without_a_search_and_can_be_searched_for(real: Services) -> None:
    read_in(real, "default", hello_txt="Hello is a program that prints a greeting.")
    page = ask(chat(real), "Hello")
    assert "Ask me something about your documents" in said(page)
    assert "Route: **no search** · it is a greeting" in said(page)
    assert "search_off" not in said(page)
    page = press(page, f"route_simple:{last_key(real)}")
    payload = messages(real, "assistant")[-1].payload or {}
    assert (payload["route"], payload["routing"]["by"]) == ("simple", "setting")
    assert payload["contexts"]


def test_a_route_of_the_model_is_shown_with_its_words_made_harmless() -> None:
    def script():
        from ui.components.routing import show_route

        reason = "**bold** ![x](http://evil.test/x.png) <img src=x>"
        routing = {"by": "model", "why": "model", "params": {"reason": reason}, "changes": {}, "lacking": ["hyde"]}
        show_route({"route": "medium", "routing": routing}, question=1, key="1")

    page = checked(AppTest.from_function(script).run())
    said_of_it = str(page.caption[0].value)
    assert r"\*\*bold\*\*" in said_of_it
    assert "![" not in said_of_it
    assert "<img" not in said_of_it.replace(r"\<", "")
    assert "with a language model also: Imagined answer" in said_of_it


def test_what_is_to_be_done_for_a_question_is_forgotten_when_it_is_answered() -> None:
    before = {"standalone_question": "x?", "standalone_by": "by_person"}
    assert asking.of(1, before) == asking.Asking(standalone="x?")
    assert asking.of(1, before | {"standalone_by": "by_rules"}) == asking.Asking()
    assert asking.of(1, None) == asking.Asking()
