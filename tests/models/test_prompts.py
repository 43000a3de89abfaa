"""Prompts: the files in both languages, what a text of one's own needs, and which text is in force where."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextvars import copy_context

import pytest
from langchain_core.runnables.config import ContextThreadPoolExecutor

from models.prompts import (
    LANGUAGES,
    InvalidPrompt,
    checked,
    default,
    in_force,
    key_of,
    names,
    placeholders,
    prompt,
    stepwise,
    used,
    using,
)
from models.prompts.checking import LONGEST

OWN = "Answer from these, or say NO_ANSWER.\n\n{passages}"


def test_every_prompt_is_there_in_both_languages_with_the_same_places_and_passes_its_own_check() -> None:
    assert {"answer", "standalone", "route", "multi_query", "reply_greeting"} <= set(names())
    for name in names():
        texts = [default(key_of(name, language)) for language in LANGUAGES]
        assert len({frozenset(placeholders(text)) for text in texts}) == 1, name
        for language, text in zip(LANGUAGES, texts, strict=True):
            assert checked(key_of(name, language), text) == text
        assert texts[1] != texts[0], name


def test_another_language_is_told_in_english() -> None:
    assert prompt("answer", "ja") == prompt("answer", "en") == default("answer.en")
    assert prompt("answer", "zh") == default("answer.zh")


def test_braces_that_hold_no_name_are_no_places() -> None:
    assert placeholders('{passages} {"a": [1]} {} {a b} {passages} {Count} {2}') == ["passages"]


@pytest.mark.parametrize(
    ("key", "text", "code", "params"),
    [
        ("answer.en", "  \n", "empty", {}),
        ("answer.en", "x" * (LONGEST + 1), "long", {"most": str(LONGEST)}),
        ("answer.en", "Say NO_ANSWER.", "lacks", {"names": "{passages}"}),
        ("answer.en", "{passages} NO_ANSWER {pasages} {x}", "foreign", {"names": "{pasages}, {x}"}),
        ("answer.zh", "{passages}", "word", {"words": "NO_ANSWER"}),
        ("llm_filter.en", "{shown}\n{question}", "line", {}),
        ("llm_filter.zh", "{question}\n---\n{shown}", "side", {"names": "{question}"}),
        ("nothing.en", "x", "unknown", {"name": "nothing.en"}),
        ("answer.de", OWN, "unknown", {"name": "answer.de"}),
        ("../answer.en", OWN, "unknown", {"name": "../answer.en"}),
    ],
)
def test_a_text_that_cannot_be_used_is_refused_with_the_reason(key: str, text: str, code: str, params: dict[str, str]) -> None:
    with pytest.raises(InvalidPrompt) as refused:
        checked(key, text)
    assert (refused.value.code, refused.value.params) == (code, params)


def test_a_text_is_kept_without_blanks_around_it_and_may_lack_a_count() -> None:
    assert checked("answer.en", f"\r\n {OWN}\0\ud800 \r\n") == f"{OWN} \ufffd"
    assert checked("multi_query.en", "Write two other versions.") == "Write two other versions."


def test_the_own_text_is_in_force_inside_and_its_digest_is_another() -> None:
    before = in_force("answer", "en")
    assert (before.text, before.changed) == (default("answer.en"), False)
    with using({"answer.en": OWN}):
        inside = in_force("answer", "en")
        assert (inside.text, inside.changed, prompt("answer", "en")) == (OWN, True, OWN)
        assert prompt("answer", "zh") == default("answer.zh")
        assert inside.digest != before.digest
    assert in_force("answer", "en") == before
    assert len(before.digest) == 16


def test_an_own_text_that_does_not_fit_any_more_gives_way() -> None:
    with using({"answer.en": "An older version had no places."}):
        found = in_force("answer", "en")
        assert (found.text, found.changed, found.unusable) == (default("answer.en"), False, True)
        assert prompt("answer", "en") == default("answer.en")


def test_what_was_used_is_noted_with_its_version_also_in_other_threads() -> None:
    with using({"answer.en": OWN}):
        in_force("hyde", "en")  # looking is not using
        prompt("answer", "en")
        with using({"answer.en": OWN}), ContextThreadPoolExecutor(max_workers=1) as pool:
            assert pool.submit(prompt, "answer", "en").result() == OWN
            pool.submit(prompt, "standalone", "zh").result()
        assert [(each["prompt"], each["changed"]) for each in used()] == [("answer.en", True), ("standalone.zh", False)]
        assert used()[0]["digest"] == in_force("answer", "en").digest
    assert used() == []


def steps(seen: list[str]) -> Iterator[str]:
    try:
        while True:
            yield prompt("answer", "en")
    finally:
        seen.append(prompt("answer", "en"))


def test_steps_have_their_own_texts_and_leave_none_behind_between_two() -> None:
    seen: list[str] = []
    made = stepwise({"answer.en": OWN}, lambda: steps(seen))
    assert next(made) == OWN
    assert prompt("answer", "en") == default("answer.en")
    assert next(made) == OWN
    other = threading.Thread(target=copy_context().run, args=(made.close,))
    other.start()
    other.join()
    assert seen == [OWN], "what is let go of in the middle, from another thread, still ends in its own context"


def test_steps_that_end_or_fail_end_or_fail_here() -> None:
    assert list(stepwise({}, lambda: iter([1, 2]))) == [1, 2]

    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    made = stepwise({}, failing)
    assert next(made) == 1
    with pytest.raises(ValueError, match="no more"):
        next(made)
