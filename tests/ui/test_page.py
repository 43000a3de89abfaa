"""The page's logic, driven through Streamlit's AppTest on a stand-in for retrieval (tests/ui/fakes.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ingest.jobs import Upload
from retrievers import Filter
from tests.ui.fakes import FakeServices
from tests.ui.pages import checked, menu_of
from ui import tuning
from ui.components.welcome import SAMPLE_BASE, sample_files
from ui.limits import LAST_PAGE, filter_of, from_json

Open = Callable[[], AppTest]


def add(page: AppTest, *names: str) -> AppTest:
    uploader = page.file_uploader[0]
    for name in names:
        uploader.upload(name, f"The refund period of {name} is thirty days.".encode(), "text/plain")
    return checked(page.run())


def ask(page: AppTest, question: str) -> AppTest:
    return checked(page.chat_input[0].set_value(question).run())


def press(page: AppTest, key: str) -> AppTest:
    return checked(page.button(key=key).click().run())


def values(elements: Iterable[Any]) -> str:
    return "\n".join(str(element.value) for element in elements)


def said(page: AppTest) -> str:
    """All text of the chat."""
    return "\n".join(values(message.get(kind)) for message in page.chat_message for kind in ("markdown", "caption", "error"))


def quotes(page: AppTest) -> list[str]:
    """What is quoted letter for letter, as HTML."""
    shown: list[Any] = list(page.main.get("html"))
    return [str(each.value) for each in shown if "gb-quote" in str(each.value)]


def passages(page: AppTest) -> str:
    return values(page.main.get("html"))


def test_an_empty_store_welcomes_and_offers_the_sample_base(open_page: Open, services: FakeServices) -> None:
    page = open_page()
    assert "Ask your own documents, and see why." in page.main.markdown[0].value
    page = press(page, "sample")
    assert [base.name for base in services.library.bases()] == [SAMPLE_BASE]
    assert {name for _, name, _ in services.jobs.submitted} == {file.name for file in sample_files("en")}
    assert len(services.jobs.submitted) >= 8
    examples = page.button_group(key="example").options
    assert any("weight slider" in str(each) for each in examples)
    assert any("权重滑块" in str(each) for each in examples)


def test_a_question_before_any_document_is_answered_by_how_to_begin(open_page: Open, services: FakeServices) -> None:
    page = ask(open_page(), "How long can I return a bag?")
    assert not page.error
    assert not page.main.warning
    assert "Your documents do not seem to answer this." in said(page)
    assert "Ask your own documents, and see why." in values(page.main.markdown)
    page = add(page, "a.txt")
    assert "Ask your own documents, and see why." not in values(page.main.markdown)
    services.delete_document("default", "a.txt")
    press(checked(page.run()), "sample")
    assert [base.name for base in services.library.bases()] == [SAMPLE_BASE, "default"]


def test_an_answer_from_a_base_that_is_still_being_read_says_so(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt")
    assert "still being read" not in said(ask(page, "How long can I return a bag?"))
    services.jobs.held = True
    page = ask(add(page, "b.txt"), "How long can I return a hat?")
    assert said(page).count("Files that were still being read when this was asked: 1.") == 1
    services.jobs.release()
    (conversation,) = services.chats.conversations()
    page = press(page, f"answer:{services.chats.messages(conversation.id)[-2].id}")
    assert "still being read" not in said(page)


def test_a_click_on_an_example_asks_it(open_page: Open, services: FakeServices) -> None:
    page = press(open_page(), "sample")
    page = checked(page.pills(key="example").select("What does the weight slider do?").run())
    assert [c.title for c in services.chats.conversations()] == ["What does the weight slider do?"]
    assert "weight slider" in said(page)


def test_an_upload_is_handed_over_once_and_the_box_is_emptied(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt", "b.txt")
    for _ in range(3):
        page = checked(page.run())
    assert [name for _, name, _ in services.jobs.submitted] == ["a.txt", "b.txt"]
    assert [each.source for each in services.library.documents(services.library.base("default"))] == ["a.txt", "b.txt"]


def test_a_failed_file_shows_its_reason_and_can_be_tried_again(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "good.txt", "bad.pdf")
    assert any("broken" in caption.value for caption in page.sidebar.caption)
    page = press(page, "retry:2")
    assert "2" not in services.jobs.files
    page = press(page, "upload_clear")
    assert services.jobs.files == {}


def test_why_a_file_failed_is_said_in_the_language_of_the_page(open_page: Open, services: FakeServices) -> None:
    services.preferences.set("language", "zh")
    services.jobs.submit("default", [Upload("locked.pdf", b""), Upload("bad.pdf", b"")], services.settings())
    page = open_page()
    assert any("文件有密码保护" in caption.value for caption in page.sidebar.caption)
    assert not any("protected" in caption.value for caption in page.sidebar.caption)
    assert any("broken" in caption.value for caption in page.sidebar.caption), (
        "a report of an older version has English words only"
    )


def test_a_file_with_a_warning_says_it_and_is_not_folded_away(open_page: Open, services: FakeServices) -> None:
    services.jobs.submit("default", [Upload(f"{n}.txt", b"words") for n in range(5)], services.settings())
    warning = {"reason": "Two pages.", "code": "pages_ocr_failed", "params": {"pages": 2}}
    services.jobs.files["3"] = replace(services.jobs.files["3"], report={"chunks": 1, "warnings": [warning]})
    page = open_page()
    assert "2 page(s) could not be read by OCR" in values(page.caption)
    assert any("Finished files · 4" in expander.label for expander in page.expander)


def test_a_question_is_answered_cited_and_kept(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "terms.txt"), "What is the refund period?")
    assert quotes(page) == [
        '<p class="gb-quote">The refund period of terms.txt is thirty days. <span class="gb-cite">1</span></p>'
    ]
    assert "Quoted word for word" in said(page)
    assert "not found by this leg" not in passages(page)
    assert "evidence 0.93" in passages(page)
    (conversation,) = services.chats.conversations()
    _, stored = services.chats.messages(conversation.id)
    assert stored.payload is not None
    assert stored.payload["citations"][0]["source"] == "terms.txt"


def test_the_trace_is_drawn_when_its_tab_is_opened(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "a.txt", "b.txt"), "What is the refund period?")
    assert len(page.dataframe) == 0
    (conversation,) = services.chats.conversations()
    page.session_state[f"passages:{services.chats.messages(conversation.id)[1].id}:en"] = "How they were found"
    page = checked(page.run())
    table = page.dataframe[0].value
    assert list(table["Document"]) == ["a.txt", "b.txt", "other.md"]
    assert list(table["Outcome"])[2] == "lost at Fused: beyond the number of passages shown"
    assert "What each stage did" in passages(page)


def why(page: AppTest, text: str) -> AppTest:
    page.text_area[0].set_value(text)
    return checked(next(button for button in page.main.button if button.label == "Find out").click().run())


def test_why_a_passage_was_not_found_is_explained_and_a_remedy_is_one_click(open_page: Open, services: FakeServices) -> None:
    page = checked(add(open_page(), "a.txt", "b.txt").slider(key="knob:retrieval.top_k").set_value(1).run())
    page = why(ask(page, "What is the refund period?"), "period of b.txt")
    assert r"It was found, but lost at Passages shown: beyond the number of passages shown" in said(page)
    for part in ("b.txt", "p. 3", "#2 of 2", "0.810", "not found by this leg", "refund"):
        assert part in passages(page)
    remedy, both = (button for button in page.main.button if button.label.startswith("Use "))
    assert [each.label.replace("\\", "") for each in (remedy, both)] == [
        "Use Passages shown: 2",
        "Use Passages shown: 3 and Sentence window: off",
    ]
    page = checked(remedy.click().run())
    assert page.slider(key="knob:retrieval.top_k").value == 2
    assert "at place 2" in page.success[0].value
    assert services.preferences.get(tuning.PREFERENCE) == {"retrieval.top_k": 2}


def test_a_passage_that_a_limit_left_out_is_found_without_the_limit(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt", "b.txt")
    page = checked(page.multiselect(key="limit:sources").set_value(["a.txt"]).run())
    page = why(ask(page, "What is the refund period?"), "period of b.txt")
    assert "No leg brought it: left out by the filter" in said(page).replace("\\", "")
    page = checked(next(button for button in page.main.button if button.label == "Search everything").click().run())
    assert "at place 2" in page.success[0].value
    assert services.limits_used[-1] == Filter()


def test_a_passage_that_is_in_no_document_is_said_to_be_in_none(open_page: Open) -> None:
    page = why(ask(add(open_page(), "a.txt"), "What is the refund period?"), "<b>nowhere</b>")
    assert "is in no document of default" in page.main.warning[0].value


def test_what_a_person_did_to_a_passage_and_what_could_not_be_looked_through_is_said_to_be_so(
    open_page: Open, services: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ask(add(open_page(), "a.txt"), "What is the refund period?")
    explain = services.explain
    shut = {"code": "base_failed", "params": {"base": "other", "error": "It is gone."}}
    failed = {"code": "leg_failed", "params": {"leg": "vector", "error": "No answer."}}

    def told(reason: str) -> Callable[..., dict[str, Any]]:
        fate = {"place": "not_recalled", "reason": reason, "remedies": []}
        return lambda *args: (
            (found := explain(*args)) | {"fates": [each | fate for each in found["fates"]], "notes": [shut, failed]}
        )

    monkeypatch.setattr(services, "explain", told("switched_off"))
    words = said(why(page, "period of a.txt")).replace("\\", "")
    for part in (
        "No leg brought it: switched off.",
        "Switch it on again",
        "other could not be searched",
        "The leg Vectors failed",
    ):
        assert part in words
    assert "Ask in words that are nearer" not in words
    monkeypatch.setattr(services, "explain", told("corrected"))
    words = said(why(page, "period of a.txt"))
    assert "These words are not found, as a person corrected them." in words
    assert "No leg brought it" not in words
    assert "Back to the text of the document" in words
    services.library.ensure_base("other")
    page.session_state["also"] = ["other"]
    why(page, "nowhere")
    assert "is in no document of default." in page.main.warning[0].value, "the other was not looked through"


CHOICE = "preset_choice:en"


def test_a_preset_turns_the_knobs_and_a_turned_knob_leaves_it(open_page: Open, services: FakeServices) -> None:
    page = open_page()
    assert page.selectbox(key=CHOICE).value == "builtin:default"
    offered = page.selectbox(key=CHOICE).options
    page = checked(page.slider(key="knob:ingest.chunk_size").set_value(800).run())
    page = checked(page.selectbox(key=CHOICE).set_value("builtin:diverse").run())
    assert page.toggle(key="knob:retrieval.mmr.enabled").value
    assert page.slider(key="knob:ingest.chunk_size").value == 800
    assert any("differ from each other" in each.value for each in page.sidebar.caption)
    page = checked(page.slider(key="knob:retrieval.top_k").set_value(3).run())
    assert page.selectbox(key=CHOICE).value == ""
    assert page.selectbox(key=CHOICE).options == offered, "a name that the browser still shows must be an option"
    page = checked(page.selectbox(key=CHOICE).set_value("").run())
    assert page.slider(key="knob:retrieval.top_k").value == 3
    assert any(r"Passages shown\: 3" in each.value for each in page.sidebar.caption)
    page = press(page, "reset:all")
    assert page.selectbox(key=CHOICE).value == "builtin:default"


def save_preset(page: AppTest, name: str) -> AppTest:
    page.text_input(key="preset_name").set_value(name)
    return checked(next(button for button in page.button if button.label == "Save").click().run())


def test_a_saved_preset_is_there_in_the_next_session_and_can_be_deleted(open_page: Open, services: FakeServices) -> None:
    name = "**mine** <b>:smile:"
    page = checked(open_page().slider(key="knob:retrieval.top_k").set_value(3).run())
    menu = menu_of(page, "preset_menu")
    page = save_preset(page, name)
    assert page.selectbox(key=CHOICE).value == f"own:{name}"
    assert menu_of(page, "preset_menu") != menu, "it is closed"
    page = press(page, "reset:all")
    later = open_page()
    assert later.selectbox(key=CHOICE).value == "builtin:default"
    later = checked(later.selectbox(key=CHOICE).set_value(f"own:{name}").run())
    assert later.slider(key="knob:retrieval.top_k").value == 3
    later = press(later, "preset_delete")
    assert [preset.name for preset in services.presets.all()] == [name], "it is asked for first"
    later = press(later, "preset_delete_yes")
    assert services.presets.all() == []
    assert later.selectbox(key=CHOICE).value == ""


def test_a_preset_of_an_older_version_is_used_as_far_as_it_can_be_and_says_so(open_page: Open, services: FakeServices) -> None:
    services.presets.save("old", {"retrieval.top_k": 3, "retrieval.gone.enabled": True, "retrieval.depth": 200})
    services.presets.save("wide", {"retrieval.top_k": 4, "retrieval.rrf_c": 5000})
    page = checked(open_page().selectbox(key=CHOICE).set_value("own:old").run())
    assert page.slider(key="knob:retrieval.top_k").value == 3
    assert page.selectbox(key=CHOICE).value == "own:old", "what is gone, and what is configured by now, makes no difference"
    assert "retrieval.gone.enabled" in page.sidebar.error[0].value.replace("\\", "")
    page = checked(page.selectbox(key=CHOICE).set_value("own:wide").run())
    assert page.slider(key="knob:retrieval.top_k").value == 4
    assert [each.value.replace("\\", "") for each in page.sidebar.error] == [
        "These settings were not used, as they are no longer there or allowed: RRF constant"
    ]
    assert len(checked(page.run()).sidebar.error) == 0


def test_an_imported_preset_is_used_and_a_wrong_one_is_named(open_page: Open, services: FakeServices) -> None:
    page = open_page()
    page.file_uploader(key="preset_import:0").upload("few.yaml", b"retrieval: {top_k: 2, mmr: {enabled: true}}")
    page = checked(page.run())
    assert page.slider(key="knob:retrieval.top_k").value == 2
    assert page.selectbox(key=CHOICE).value == "own:few"
    page.file_uploader(key="preset_import:1").upload("bad.yaml", b"retrieval: {top_k: 2000, mmrr: {enabled: true}}")
    page = checked(page.run())
    assert "2000" in page.sidebar.error[0].value
    assert "mmrr" in page.sidebar.error[0].value
    assert [preset.name for preset in services.presets.all()] == ["few"]
    assert len(checked(page.run()).sidebar.error) == 0


def test_an_answer_says_its_settings_and_gives_them_back(open_page: Open, services: FakeServices) -> None:
    page = checked(add(open_page(), "a.txt").selectbox(key=CHOICE).set_value("builtin:meaning").run())
    page = ask(page, "What is the refund period?")
    assert r"**Meaning only** Full text ↔ vectors\: 1" in said(page)
    page = press(page, "reset:all")
    (conversation,) = services.chats.conversations()
    page = press(page, f"use:{services.chats.messages(conversation.id)[1].id}")
    assert page.slider(key="knob:retrieval.vector_weight").value == 1.0
    assert page.selectbox(key=CHOICE).value == "builtin:meaning"
    assert "gb-move" not in passages(page)


def test_a_search_limited_to_documents_says_so_and_follows_the_limits(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt", "b.pdf")
    page = checked(page.multiselect(key="limit:sources").set_value(["b.pdf"]).run())
    page = checked(page.number_input(key="limit:first_page").set_value(2).run())
    page = checked(page.date_input(key="limit:after").set_value(date(2026, 1, 31)).run())
    page = ask(page, "What is the refund period?")
    assert "period of b.pdf" in quotes(page)[0]
    assert services.limits_used[-1] == Filter(sources=("b.pdf",), pages=(2, LAST_PAGE), after=date(2026, 1, 31))
    for part in ("Searched only in:", "b.pdf", "from p. 2", "from 2026-01-31"):
        assert part in passages(page)
    asked = len(services.retrieved)
    page = press(page, "limits_clear")
    assert len(services.retrieved) == asked + 1
    assert services.limits_used[-1] == Filter()
    assert 'gb-new">new' in passages(page)
    assert page.multiselect(key="limit:sources").value == []
    page = checked(page.multiselect(key="limit:types").set_value(["txt"]).run())
    assert services.limits_used[-1] == Filter(types=("txt",))


def test_limits_that_the_question_names_are_chips_to_keep_or_to_do_without(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt", "b.pdf")
    page = checked(page.toggle(key="knob:retrieval.self_query.enabled").set_value(True).run())
    page = ask(page, "What is the refund period in b.pdf?")
    assert "The question names:" in passages(page)
    assert 'gb-term">b.pdf' in passages(page)
    assert "limits the search to" not in " ".join(caption.value for caption in page.caption)
    (keep,) = (button for button in page.button if str(button.key).startswith("asked_keep:"))
    page = press(page, str(keep.key))
    assert page.multiselect(key="limit:sources").value == ["b.pdf"]
    assert services.limits_used[-1] == Filter(sources=("b.pdf",))
    page = press(page, "limits_clear")
    (without,) = (button for button in page.button if str(button.key).startswith("asked_without:"))
    page = press(page, str(without.key))
    assert page.toggle(key="knob:retrieval.self_query.enabled").value is False
    assert "The question names:" not in passages(page)


def test_a_kept_filter_is_the_same_filter_again() -> None:
    for kept in (
        Filter(sources=("a.md",), types=("md",), tags=("x",), after=date(2026, 1, 2), before=date(2026, 3, 4), pages=(2, 9)),
        Filter(pages=(5, LAST_PAGE)),
        Filter(),
    ):
        assert filter_of(from_json(kept.as_json())) == kept


def test_limits_to_documents_that_are_gone_are_dropped(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt", "b.txt")
    page = checked(page.multiselect(key="limit:sources").set_value(["b.txt"]).run())
    services.delete_document("default", "b.txt")
    page = checked(page.run())
    assert page.multiselect(key="limit:sources").value == []
    ask(page, "What is the refund period?")
    assert services.limits_used[-1] == Filter()


def test_several_bases_are_asked_at_once_and_each_passage_names_its_own(open_page: Open, services: FakeServices) -> None:
    services.jobs.submit("first", [Upload("a.txt", b"In the first.")], services.settings())
    services.jobs.submit("sec<b>ond", [Upload("b.txt", b"In the second.")], services.settings())
    page = open_page()
    page = checked(page.multiselect(key="base_also").set_value(["sec<b>ond"]).run())
    page = ask(page, "Where?")
    assert "b.txt" in passages(page)
    assert "sec&lt;b&gt;ond" in passages(page)
    assert open_page().multiselect(key="base_also").value == ["sec<b>ond"]
    page = checked(page.multiselect(key="base_also").set_value([]).run())
    assert "b.txt" not in passages(page)
    assert "sec&lt;b&gt;ond" not in passages(page)


def test_a_stored_conversation_shows_the_same_in_another_session(open_page: Open) -> None:
    page = ask(add(open_page(), "terms.txt"), "What is the refund period?")
    other = open_page()
    assert said(other) == ""
    conversation = page.query_params["c"]
    other = press(other, f"open:{conversation}")
    assert said(other) == said(page)
    assert passages(other) == passages(page)


def test_a_refusal_shows_its_reason_and_the_nearest_passages(open_page: Open) -> None:
    page = ask(add(open_page(), "terms.txt"), "How is the weather?")
    assert "Your documents do not seem to answer this." in said(page)
    assert r"reaches an evidence of 0\.89; 0\.90 is needed" in said(page)
    assert "terms.txt" in passages(page)
    assert ":blue-badge" not in said(page)


def test_a_failure_keeps_question_and_passages_is_named_and_can_be_retried(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "terms.txt"), "explode please")
    assert "explode please" in said(page)
    assert r"The model at \<b\>host\<\/b\> is down\. Start it again\." in page.error[0].value
    assert "terms.txt" in passages(page)
    (conversation,) = services.chats.conversations()
    question = services.chats.messages(conversation.id)[0].id
    page = press(page, f"answer:{question}")
    assert len(services.chats.messages(conversation.id)) == 3


def test_follow_ups_are_given_the_history(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "terms.txt"), "What is the refund period?")
    ask(page, "And in weeks?")
    assert services.histories[0] == []
    assert [role for role, _ in services.histories[1]] == ["human", "ai"]


def test_moving_a_slider_finds_the_last_questions_passages_again_with_marks(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "a.txt", "b.txt", "c.txt"), "What is the refund period?")
    before = passages(page)
    assert "gb-move" not in before
    page = checked(page.slider(key="knob:retrieval.vector_weight").set_value(1.0).run())
    after = passages(page)
    assert "↑2" in after
    assert "↓2" in after
    assert "Full text × 0.00" in after
    (conversation,) = services.chats.conversations()
    assert len(services.chats.messages(conversation.id)) == 2
    asked = len(services.retrieved)
    page = checked(page.run())
    assert len(services.retrieved) == asked
    page = press(page, "reset:retrieval")
    assert passages(page) == before


def test_answering_again_uses_the_present_sliders(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "a.txt", "b.txt"), "What is the refund period?")
    page = checked(page.slider(key="knob:retrieval.vector_weight").set_value(1.0).run())
    (conversation,) = services.chats.conversations()
    page = press(page, f"answer:{services.chats.messages(conversation.id)[0].id}")
    assert "The refund period of b.txt" in quotes(page)[-1]
    assert "gb-move" not in passages(page)


def test_an_overlap_that_is_left_to_the_chunker_has_its_slider_too(open_page: Open, services: FakeServices) -> None:
    page = open_page()
    overlap = page.slider(key="knob:ingest.chunk_overlap")
    assert (overlap.value, overlap.min, overlap.max, overlap.step) == (0, 0, 2000, 50)
    page = checked(overlap.set_value(200).run())
    assert services.preferences.get(tuning.PREFERENCE) == {"ingest.chunk_overlap": 200}
    assert open_page().slider(key="knob:ingest.chunk_overlap").value == 200
    assert "Default: left to the chunker" in page.slider(key="knob:ingest.chunk_overlap").help


def test_sliders_are_kept_for_the_next_session_and_reset(open_page: Open, services: FakeServices) -> None:
    page = open_page()
    page = checked(page.slider(key="knob:retrieval.top_k").set_value(3).run())
    page = checked(page.slider(key="knob:ingest.chunk_size").set_value(800).run())
    page = checked(page.selectbox(key="knob:retrieval.fusion:en").set_value("rrf").run())
    assert not page.slider(key="knob:retrieval.rrf_c").disabled
    later = open_page()
    assert later.slider(key="knob:retrieval.top_k").value == 3
    later = press(later, "reset:retrieval")
    assert later.slider(key="knob:retrieval.top_k").value == 8
    assert later.slider(key="knob:ingest.chunk_size").value == 800
    assert services.preferences.get(tuning.PREFERENCE) == {"ingest.chunk_size": 800}


def test_a_layers_numbers_show_while_it_is_on_and_survive_being_hidden(open_page: Open, services: FakeServices) -> None:
    page, depth = open_page(), "knob:retrieval.mmr.depth"
    assert depth not in [slider.key for slider in page.slider]
    page = checked(page.toggle(key="knob:retrieval.mmr.enabled").set_value(True).run())
    page = checked(page.slider(key=depth).set_value(50).run())
    page = checked(page.toggle(key="knob:retrieval.mmr.enabled").set_value(False).run())
    assert depth not in [slider.key for slider in page.slider]
    page = checked(open_page().toggle(key="knob:retrieval.mmr.enabled").set_value(True).run())
    assert page.slider(key=depth).value == 50
    assert "Default: 30" in page.slider(key=depth).help
    page = press(page, "reset:choosing")
    assert services.preferences.get(tuning.PREFERENCE) is None


def test_all_kinds_of_knobs_change_what_is_searched_and_a_reset_takes_all_back(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "a.txt"), "What is the refund period?")
    page = checked(page.toggle(key="knob:retrieval.lexical.strip_stop_words").set_value(False).run())
    page = checked(page.selectbox(key="knob:retrieval.vector.search:en").set_value("both").run())
    page = checked(page.toggle(key="knob:retrieval.recency.enabled").set_value(True).run())
    page = checked(page.number_input(key="knob:retrieval.recency.half_life_days").set_value(5000).run())
    page = checked(page.toggle(key="knob:retrieval.rerank.enabled").set_value(True).run())
    assert "knob:retrieval.rerank.model" not in [field.key for field in page.text_input]
    page = checked(page.slider(key="knob:retrieval.rerank.depth").set_value(7).run())
    chosen = services.settings_used[-1].retrieval
    assert not chosen.lexical.strip_stop_words
    assert (chosen.vector.search, chosen.recency.half_life_days) == ("both", 5000)
    assert (chosen.rerank.enabled, chosen.rerank.depth) == (True, 7)
    asked = len(services.retrieved)
    page = press(page, "reset:all")
    assert services.preferences.get(tuning.PREFERENCE) is None
    assert "gb-move" not in passages(page)
    assert len(services.retrieved) == asked


def test_a_reranker_without_its_model_says_so_and_the_page_goes_on(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "a.txt"), "What is the refund period?")
    page = checked(page.toggle(key="knob:retrieval.rerank.enabled").set_value(True).run())
    page = checked(page.selectbox(key="knob:retrieval.rerank.provider:en").set_value("cohere").run())
    assert "model must be set" in page.sidebar.warning[0].value
    page = checked(page.text_input(key="knob:retrieval.rerank.model").set_value(" rerank-v3.5 ").run())
    assert len(page.sidebar.warning) == 0
    assert services.settings_used[-1].retrieval.rerank.model == "rerank-v3.5"


def test_a_layer_that_wants_a_model_says_what_it_does_without(open_page: Open) -> None:
    page = open_page()
    assert "Without one: nothing" in page.toggle(key="knob:retrieval.hyde.enabled").help
    page = checked(page.toggle(key="knob:retrieval.hyde.enabled").set_value(True).run())
    assert any("No language model is set up. Without one: nothing." in each.value for each in page.sidebar.caption)


def test_an_upload_is_chunked_as_the_sliders_say(open_page: Open, services: FakeServices) -> None:
    page = checked(open_page().slider(key="knob:ingest.chunk_size").set_value(800).run())
    add(page, "a.txt")
    assert services.jobs.submitted[0][2].ingest.chunk_size == 800


def test_the_language_is_switched_and_kept(open_page: Open) -> None:
    page = open_page()
    page = checked(page.slider(key="knob:retrieval.top_k").set_value(3).run())
    page = checked(page.segmented_control(key="language_choice").select("zh").run())
    assert "向自己的文档提问" in page.main.markdown[0].value
    assert page.slider(key="knob:retrieval.top_k").value == 3
    later = open_page()
    assert "向自己的文档提问" in later.main.markdown[0].value
    assert later.chat_input[0].placeholder.startswith("向文档提问")


def test_each_run_tells_the_browser_which_language_is_chosen(open_page: Open) -> None:
    """One that draws the choice at its second run first, and is not told, answers that nothing is chosen."""
    page = open_page()
    for _ in range(2):
        assert list(page.segmented_control(key="language_choice").proto.default) == [0]
        page = checked(page.run())


def test_files_and_a_question_together_wait_for_the_files(open_page: Open, services: FakeServices) -> None:
    services.jobs.held = True
    page = open_page()
    page.chat_input[0].upload("terms.txt", b"The refund period is thirty days.", "text/plain")
    page = ask(page, "What is the refund period?")
    assert "Your files are being read" in said(page)
    assert "terms" in said(page)
    (conversation,) = services.chats.conversations()
    assert len(services.chats.messages(conversation.id)) == 1
    services.jobs.release()
    page = checked(page.run())
    assert "The refund period is thirty days." in quotes(page)[-1]
    assert len(services.chats.messages(conversation.id)) == 2


def test_a_later_question_waits_for_the_files_of_an_earlier_one(open_page: Open, services: FakeServices) -> None:
    services.jobs.held = True
    page = open_page()
    page.chat_input[0].upload("terms.txt", b"The refund period is thirty days.", "text/plain")
    page = ask(page, "What is the refund period?")
    page = ask(page, "How many days is the refund period?")
    (conversation,) = services.chats.conversations()
    assert [message.role for message in services.chats.messages(conversation.id)] == ["user", "user"]
    services.jobs.release()
    page = checked(page.run())
    assert len([quote for quote in quotes(page) if "The refund period is thirty days." in quote]) == 2
    assert len(services.chats.messages(conversation.id)) == 4


def test_files_alone_in_the_chat_box_are_added(open_page: Open, services: FakeServices) -> None:
    page = open_page()
    page.chat_input[0].upload("terms.txt", b"The refund period is thirty days.", "text/plain")
    page = checked(page.run())
    assert [name for _, name, _ in services.jobs.submitted] == ["terms.txt"]
    assert services.chats.conversations() == []


def test_a_question_left_unanswered_by_another_session_is_shown_with_a_button(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "terms.txt")
    conversation = services.chats.create("default")
    question = services.chats.add(conversation.id, "user", "Still there?")
    page = press(checked(page.run()), f"open:{conversation.id}")
    assert "Still there?" in said(page)
    assert len(services.chats.messages(conversation.id)) == 1
    page = press(page, f"answer:{question.id}")
    assert len(services.chats.messages(conversation.id)) == 2


def test_deleting_a_document_asks_first(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "keep.txt", "gone.txt")
    gone = services.library.find(services.library.base("default"), "gone.txt")
    assert gone is not None
    page = press(page, f"delete:{gone.doc_id}")
    assert any("will be removed from" in element.value and "gone" in element.value for element in page.markdown)
    assert len(services.library.documents(services.library.base("default"))) == 2
    page = press(page, "document_delete_yes")
    assert [each.source for each in services.library.documents(services.library.base("default"))] == ["keep.txt"]
    assert not any("will be removed from" in element.value for element in page.markdown)


def test_deleting_a_document_with_further_names_says_which_takes_its_place(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "first.txt")
    document = services.library.find(services.library.base("default"), "first.txt")
    assert document is not None
    for alias in ("second.txt", "third.txt"):
        services.library.add_alias(services.library.base("default"), document.doc_id, alias)
    shown = values(press(checked(page.run()), f"delete:{document.doc_id}").markdown)
    assert r"added as **second\.txt** too" in shown
    assert r"keeps its further names too: third\.txt" in shown


def test_a_long_name_is_short_on_the_page_and_whole_in_its_tooltips(open_page: Open, services: FakeServices) -> None:
    name = "_".join(["quarterly-report"] * 12) + ".txt"
    page = ask(add(open_page(), name), "What is the refund period?")
    row = next(each for each in page.sidebar.markdown if r"\.txt" in each.value)
    assert "quarterly-report_quarterly-re…rly-report.txt" in row.value.replace("\\", "")
    assert row.proto.help.replace("\\", "") == name
    (conversation,) = services.chats.conversations()
    source = page.button(key=f"source:{services.chats.messages(conversation.id)[1].id}:1")
    assert "…" in source.label
    assert source.help.replace("\\", "") == name
    assert f'title="{name}"' in passages(page)


def test_a_base_is_created_chosen_and_remembered(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt")
    menu = menu_of(page, "base_menu")
    page.text_input(key="base_new_name").set_value("知识库 **x**")
    page = checked(page.button[[b.label for b in page.button].index("Create")].click().run())
    assert menu_of(page, "base_menu") != menu, "another one, which is closed, as what was asked of it is done"
    assert page.selectbox(key="base_choice").value == "知识库 **x**"
    assert "Ask your own documents" in page.main.markdown[0].value
    later = open_page()
    assert later.selectbox(key="base_choice").value == "知识库 **x**"


def test_a_base_is_deleted_only_after_a_second_press(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt")
    page = press(page, "base_delete")
    assert [base.name for base in services.library.bases()] == ["default"]
    assert any("(1)" in element.value and "cannot be undone" in element.value for element in page.markdown)
    page = press(page, "base_delete_yes")
    assert services.library.bases() == []
    assert "Ask your own documents" in page.main.markdown[0].value


def test_a_conversation_whose_base_is_gone_says_so_and_which_one_is_asked_now(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "a.txt"), "What is the refund period?")
    assert len(page.main.warning) == 0
    services.library.ensure_base("other")
    services.library.delete_base("default")
    page = checked(page.run())
    assert "**default**" in page.main.warning[0].value
    assert "answered from **other**" in page.main.warning[0].value
    assert "(deleted)" in page.button(key=f"open:{page.query_params['c']}").help.replace("\\", "")
    asked = len(services.retrieved)
    page = checked(page.slider(key="knob:retrieval.top_k").set_value(3).run())
    assert len(services.retrieved) == asked, "another base's passages are nothing to compare with"
    assert len(press(page, "conversation_new").main.warning) == 0


def test_a_base_is_renamed_and_a_name_that_is_taken_is_refused(open_page: Open, services: FakeServices) -> None:
    page = add(open_page(), "a.txt")
    services.library.ensure_base("other")
    page.text_input(key="base_other_name").set_value("other")
    page = checked(page.button[[button.label for button in page.button].index("Rename")].click().run())
    assert "already" in page.error[0].value
    page.text_input(key="base_other_name").set_value("new")
    page = checked(page.button[[button.label for button in page.button].index("Rename")].click().run())
    assert sorted(base.name for base in services.library.bases()) == ["new", "other"]
    assert page.selectbox(key="base_choice").value == "new"


def test_a_new_conversation_leaves_the_old_one(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "a.txt"), "First question?")
    page = press(page, "conversation_new")
    assert said(page) == ""
    ask(page, "Second question?")
    assert {c.title for c in services.chats.conversations()} == {"First question?", "Second question?"}


def test_a_citation_opens_its_place_in_the_document_and_tells_when_it_is_gone(open_page: Open, services: FakeServices) -> None:
    page = ask(add(open_page(), "terms.txt"), "What is the refund period?")
    (conversation,) = services.chats.conversations()
    answer = services.chats.messages(conversation.id)[1].id
    page = press(page, f"source:{answer}:1")
    assert re.search(r"gb-place.*<mark>The refund period", values(page.get("html")))
    document = services.library.documents(services.library.base("default"))[0]
    services.library.delete_document(document.doc_id)
    page = press(page, f"source:{answer}:1")
    assert "has been deleted since" in page.warning[0].value


def test_hostile_names_and_text_are_shown_as_text(open_page: Open) -> None:
    page = open_page()
    name = '<img src=x onerror="alert(1)"> ![x](http://e.t) :smile:.txt'
    page.file_uploader[0].upload(name, b"<script>alert(1)</script> ![x](http://e.t/y.png) $x$", "text/plain")
    page = ask(checked(page.run()), "What is it?")
    markdown = values(page.get("markdown")) + values(page.get("caption"))
    assert not re.search(r"(?<!\\)(<img|<script|\]\(http|\$x)", markdown)
    assert not re.search(r"<img|<script", passages(page))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in passages(page)
