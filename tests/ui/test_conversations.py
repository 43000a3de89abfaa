"""Many conversations on the page: branches, ratings, names, pins, search and export, on a stand-in for retrieval."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ChatMessage

from tests.ui.fakes import FakeServices
from tests.ui.pages import checked, menu_of, press
from ui.components.conversation_menu import file_name
from ui.components.conversation_search import excerpt

Open = Callable[[], AppTest]
FIRST, SECOND = "What is the refund period?", "And in weeks?"


@pytest.fixture
def page(open_page: Open) -> AppTest:
    """A session with a document and two answered questions."""
    opened = open_page()
    opened.file_uploader[0].upload("terms.txt", b"The refund period is thirty days.", "text/plain")
    return ask(ask(checked(opened.run()), FIRST), SECOND)


def ask(page: AppTest, question: str) -> AppTest:
    return checked(page.chat_input[0].set_value(question).run())


def edit(page: AppTest, question: int, words: str) -> AppTest:
    page = press(page, f"edit:{question}")
    page.text_area(key=f"edit_text:{question}").set_value(words)
    return press(page, f"edit_ask:{question}")


def asked(services: FakeServices) -> dict[str, int]:
    """The ids of the questions of the one conversation, by their words."""
    (conversation,) = services.chats.conversations()
    return {each.text: each.id for each in services.chats.messages(conversation.id) if each.role == "user"}


def answers(services: FakeServices) -> list[int]:
    (conversation,) = services.chats.conversations()
    return [each.id for each in services.chats.messages(conversation.id) if each.role == "assistant"]


def questions(page: AppTest) -> list[str]:
    """The questions of the branch that is shown."""
    return [str(message.markdown[0].value) for message in page.chat_message if message.name == "user"]


def captions(page: AppTest) -> str:
    return "\n".join(str(each.value) for each in page.caption)


def marked(page: AppTest) -> list[str]:
    """The words of the message that has the mark of what was found."""
    left: list[Any] = list(page.main.children.values())
    words = []
    while left:
        each = left.pop()
        left += getattr(each, "children", {}).values()
        if "found_message" in getattr(each.proto, "id", ""):
            words += [str(within.markdown[0].value) for within in each.children.values() if isinstance(within, ChatMessage)]
    return words


def scrolls(page: AppTest) -> bool:
    return any("scrollIntoView" in str(getattr(each, "value", "")) for each in page.main.get("html"))


def found(page: AppTest) -> list[str]:
    return [str(button.label) for button in page.button if str(button.key).startswith("found:")]


def test_an_edited_question_is_asked_in_a_branch_and_the_old_one_can_be_gone_back_to(
    page: AppTest, services: FakeServices, open_page: Open
) -> None:
    old = asked(services)[SECOND]
    page = edit(page, old, "要多少个星期？")
    new = asked(services)["要多少个星期？"]
    assert questions(page) == [r"What is the refund period?", "要多少个星期？"]
    assert services.histories[-1] == services.histories[-2], "the edited question sees what the old one saw"
    assert "2/2" in captions(page)
    page = ask(page, "And in days?")
    assert [said for who, said in services.histories[-1] if who == "human"] == [FIRST, "要多少个星期？"]

    page = press(page, f"version_before:{new}")
    assert questions(page) == [FIRST, SECOND]
    assert "1/2" in captions(page)
    later = open_page()
    later = press(later, f"open:{page.query_params['c']}")
    assert questions(later) == [FIRST, SECOND], "another session sees the branch last looked at"

    page = ask(page, "Since when?")
    assert [said for who, said in services.histories[-1] if who == "human"] == [FIRST, SECOND]
    assert questions(page) == [FIRST, SECOND, "Since when?"]
    page = press(page, f"version_after:{old}")
    assert questions(page) == [FIRST, "要多少个星期？", "And in days?"]
    assert questions(checked(later.run())) == [FIRST, SECOND, "Since when?"], (
        "a tab stays on its branch, and sees what is asked in it"
    )


def test_editing_can_be_cancelled_and_the_same_words_or_none_ask_nothing(page: AppTest, services: FakeServices) -> None:
    before = asked(services)
    page = press(page, f"edit:{before[FIRST]}")
    assert page.text_area(key=f"edit_text:{before[FIRST]}").value == FIRST
    page = press(page, f"edit_cancel:{before[FIRST]}")
    assert questions(page) == [FIRST, SECOND]
    page = edit(page, before[FIRST], f" {FIRST} ")
    page = edit(page, before[FIRST], "  ")
    assert asked(services) == before


def test_thumb_and_comment_are_kept_shown_again_and_the_same_in_another_tab(
    page: AppTest, services: FakeServices, open_page: Open
) -> None:
    first, second = answers(services)
    page = checked(page.feedback(key=f"thumb:{first}").set_value(1).run())
    page = checked(page.feedback(key=f"thumb:{second}").set_value(0).run())
    page.text_area(key=f"comment:{second}").set_value("页码 **不对**")
    menu = menu_of(page, f"comment_menu:{second}")
    page = press(page, f"comment_save:{second}")
    assert menu_of(page, f"comment_menu:{second}") != menu, "another one, which is closed"
    assert r"页码 \*\*不对\*\*" in captions(page)
    (conversation,) = services.chats.conversations()
    ratings = [m.rating for m in services.chats.messages(conversation.id) if m.role == "assistant"]
    assert [(r.thumb, r.comment) for r in ratings if r] == [("up", ""), ("down", "页码 **不对**")]

    other = press(open_page(), f"open:{conversation.id}")
    assert [other.feedback(key=f"thumb:{each}").value for each in (first, second)] == [1, 0]
    other = checked(other.feedback(key=f"thumb:{first}").set_value(None).run())
    page = checked(page.run())
    assert page.feedback(key=f"thumb:{first}").value is None
    services.chats.delete(conversation.id)
    other = checked(other.feedback(key=f"thumb:{second}").set_value(1).run())
    assert "not there any more" in other.error[0].value


def test_search_shows_the_words_and_opens_the_branch_where_they_were_said(page: AppTest, services: FakeServices) -> None:
    page = edit(page, asked(services)[SECOND], "周末也算吗？")
    page = press(page, "conversation_new")
    page = ask(page, "Nothing of this")
    page.text_input(key="conversation_search").set_value("WEEKS")
    page = checked(page.run())
    assert found(page)[1:] == [":material/person: And in :orange-background[weeks]?"]
    assert not [button for button in page.button if str(button.key).startswith("open:")]
    (hit,) = [str(button.key) for button in page.button if ":question:" in str(button.key)]
    page = press(page, hit)
    assert questions(page) == [FIRST, SECOND]
    assert (marked(page), scrolls(page)) == ([SECOND], True)
    page = checked(page.run())
    assert (marked(page), scrolls(page)) == ([SECOND], False), "a person who has scrolled on is not taken back"
    page = press(page, hit)
    assert scrolls(page), "the same one is gone to again"
    page.text_input(key="conversation_search").set_value("周末")
    page = checked(page.run())
    assert any(":orange-background[周末]也算吗？" in label for label in found(page))
    page.text_input(key="conversation_search").set_value("elephants")
    assert "Nothing found." in captions(checked(page.run()))


def test_rated_answers_have_a_place_to_see_them(page: AppTest, services: FakeServices) -> None:
    first, second = answers(services)
    services.chats.ratings.rate(first, "down")
    services.chats.ratings.comment(second, "wrong page")
    page = checked(page.pills(key="conversation_rated").select("down").run())
    assert [label for label in found(page) if "thumb_down" in label] == found(page)[1:]
    assert "The refund period is thirty days" in found(page)[1]
    page = checked(page.pills(key="conversation_rated").select("comment").run())
    assert found(page)[2] == ":material/comment: wrong page"
    page = checked(page.pills(key="conversation_rated").unselect("comment").run())
    assert found(page) == []


def test_a_conversation_is_renamed_and_pinned(page: AppTest, services: FakeServices) -> None:
    (first,) = services.chats.conversations()
    page = press(page, "conversation_new")
    page = ask(page, "Another one")
    page = press(page, f"open:{first.id}")
    menu = f"conversation_menu:{first.id}"
    page.session_state[menu] = True
    page = checked(page.run())
    page.text_input(key=f"conversation_title:{first.id}").set_value("  退款 **policy** ")
    page = press(page, f"conversation_renamed:{first.id}")
    assert not page.session_state[menu], "what was asked of it is done"
    page.session_state[menu] = True
    page = press(checked(page.run()), f"conversation_pin:{first.id}")
    assert not page.session_state[menu]
    kept = services.chats.conversations()
    assert [(each.title, each.pinned) for each in kept] == [("退款 **policy**", True), ("Another one", False)]
    assert page.button(key=f"open:{first.id}").label == r":material/keep: **退款 \*\*policy\*\***"
    page.session_state[menu] = True
    page = checked(page.run())
    page.text_input(key=f"conversation_title:{first.id}").set_value("  ")
    page = press(page, f"conversation_renamed:{first.id}")
    page = press(page, f"conversation_pin:{first.id}")
    kept = services.chats.conversations()
    assert {(each.title, each.pinned) for each in kept} == {("退款 **policy**", False), ("Another one", False)}


@pytest.fixture
def exports(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """The files of conversations that can be downloaded, by their names."""
    files: dict[str, bytes] = {}
    add = MediaFileManager.add

    def added(manager, data, mimetype, coordinates, file_name=None, **more):
        if "preset" not in str(file_name):
            files[str(file_name)] = data
        return add(manager, data, mimetype, coordinates, file_name, **more)

    monkeypatch.setattr(MediaFileManager, "add", added)
    return files


def test_the_export_is_what_the_page_shows(page: AppTest, services: FakeServices, exports: dict[str, bytes]) -> None:
    (conversation,) = services.chats.conversations()
    services.chats.ratings.rate(answers(services)[0], "up")
    page = checked(page.run())
    assert exports == {}, "nothing is made before the menu is open"
    page = edit(page, asked(services)[SECOND], "周末也算吗？")
    page.session_state[f"conversation_menu:{conversation.id}"] = True
    checked(page.run())
    assert sorted(exports) == ["glassbox-What-is-the-refund-period.json", "glassbox-What-is-the-refund-period.md"]
    markdown, whole = (exports[name].decode() for name in sorted(exports, reverse=True))
    assert "周末也算吗？" in markdown
    assert SECOND not in markdown
    assert "**terms.txt** · p. 1 · relevance 80 %" in markdown
    assert "Rating: thumbs up" in markdown
    content = json.loads(whole)
    assert [each["text"] for each in content["questions"]] == [FIRST, SECOND, "周末也算吗？"]
    assert content["questions"][0]["answers"][0]["answer"]["tuning"]["retrieval.top_k"] == 8


def test_an_exported_conversation_is_taken_in_and_a_wrong_file_refused_with_its_place(
    page: AppTest, services: FakeServices, exports: dict[str, bytes]
) -> None:
    (conversation,) = services.chats.conversations()
    page.session_state[f"conversation_menu:{conversation.id}"] = True
    page = checked(page.run())
    (data,) = (content for name, content in exports.items() if name.endswith(".json"))
    services.chats.delete(conversation.id)

    def import_(content: bytes) -> AppTest:
        (box,) = [box for box in page.file_uploader if str(box.key).startswith("conversation_import:")]
        return checked(box.upload("chat.json", content, "application/json").run())

    page = import_(data.replace(b'"n": 1', b'"n": "<b>"'))
    assert "citations" in page.sidebar.error[0].value
    assert services.chats.conversations() == []
    page = import_(data)
    (restored,) = services.chats.conversations()
    assert page.query_params["c"] == restored.id
    assert questions(page) == [FIRST, SECOND]
    assert "terms.txt" in "".join(str(getattr(each, "value", "")) for each in page.main.get("html"))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("退款期限是多久？", "glassbox-退款期限是多久.md"),
        ("../../etc/passwd\x00\u202e", "glassbox-etc-passwd.md"),
        ("?!", "glassbox-conversation.md"),
        ("", "glassbox-conversation.md"),
        ("x" * 300, f"glassbox-{'x' * 60}.md"),
    ],
)
def test_a_file_is_called_by_the_title_as_far_as_every_system_takes_it(title: str, name: str) -> None:
    assert file_name(title, "md") == name


def test_an_excerpt_shows_the_words_with_what_is_around_them_and_nothing_in_it_is_live() -> None:
    text = f"{'far away ' * 30}![x](http://e.t)\n :smile: the <b>refund</b>] period{' later' * 30}"
    start = text.index("refund")
    shown = excerpt(text, [(start, start + 6), (text.index("period"), text.index("period") + 6)])
    assert ":orange-background[refund]" in shown
    assert r":orange-background[period] later" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert r"\<b\>" in shown
    assert excerpt("短", [(0, 1)]) == ":orange-background[短]"
