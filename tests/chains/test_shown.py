"""What is shown of a model's words, however they are split into pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.shown import Shown

# What a model writes, what is shown of it, whether it said NO_ANSWER at all, whether it began with it.
WRITTEN = [
    ("Thirty days [1].", "Thirty days [1].", False, False),
    ("NO_ANSWER", "", True, True),
    ("NO_ANSWER.", "", True, True),
    (" \n**NO_ANSWER**\nSorry!", "", True, True),
    (r"NO\_ANSWER", "", True, True),
    ("“NO_ANSWER”", "", True, True),
    ("Thirty days [1]. NO_ANSWER", "Thirty days [1]. ", True, False),
    ("A NO_ANSWER B", "A  B", True, False),
    ("NO", "NO", False, False),
    ("NO_ANSWE", "NO_ANSWE", False, False),
    ("NO_NO_ANSWER", "NO_", True, False),
    ("No answer.", "No answer.", False, False),
    ("…", "…", False, False),
    ("", "", False, False),
    (" \n", " \n", False, False),
    ("<think>Is it NO_ANSWER? [2]</think>\n\nThirty days.", "\n\nThirty days.", False, False),
    ("<think>Hm.</think>NO_ANSWER", "", True, True),
    ("<thinking>Is it NO_ANSWER? [2]</thinking>Thirty days.", "Thirty days.", False, False),
    ("<think>Never ends, NO_ANSWER", "", False, False),
    ("<thi", "", False, False),
    ("\n[THINK", "", False, False),
    ("<thin ice", "<thin ice", False, False),
    ("<", "<", False, False),
    ("They ask for days: NO_ANSWER? [2]\n</think>\n\nThirty days [1].", "\n\nThirty days [1].", False, False),
    ("用户想知道天数【2】。</think>是的，三十天【1】。", "是的，三十天【1】。", False, False),
    ("NO_ANSWER? No, it is there.</thinking>Thirty days.", "Thirty days.", False, False),
    ("Is it there? Hm\n</THINK>NO_ANSWER", "", True, True),
    ("Hm</think>Thirty days.", "Thirty days.", False, False),
    ("<think>One.</think>Two.\n</think>Thirty days.", "Thirty days.", False, False),
    ("Only a thought.\n</think>", "", False, False),
    ("</think>Thirty days.", "Thirty days.", False, False),
    ("◁think▷嗯◁/think▷三十天。", "三十天。", False, False),
    ("[THINK]Hm.[/THINK]Thirty days [1].", "Thirty days [1].", False, False),
    ("A thought ends with `</think>`\nor “</think>” [1].", "A thought ends with `</think>`\nor “</think>” [1].", False, False),
    ("The mark </think> ends it.", "The mark </think> ends it.", False, False),
    ("标记</think>表示思考结束。", "标记</think>表示思考结束。", False, False),
    ("So:\n```\n</think>\n```\n", "So:\n```\n</think>\n```\n", False, False),
    ("<think> opens it.\n</think>Done.", "Done.", False, False),
    ("It opens with <think> and ends with </think>.", "It opens with <think> and ends with </think>.", False, False),
    ("One </thin", "One </thin", False, False),
    ("Use <think> tags.", "Use <think> tags.", False, False),
    ("是的，三十天【1】。", "是的，三十天【1】。", False, False),
]


def show(pieces: Sequence[str]) -> tuple[Shown, list[str]]:
    """What is shown of the pieces, without what was taken back."""
    shown, said, taken_back = Shown(), list[str](), 0
    feeds: list[Callable[[], str]] = [*(partial(shown.feed, piece) for piece in pieces), shown.end]
    for feed in feeds:
        new = feed()
        if shown.taken_back > taken_back:
            said, taken_back = [], shown.taken_back
        said.append(new)
    return shown, said


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 100])
@pytest.mark.parametrize(("written", "expected", "no_answer", "refused"), WRITTEN)
def test_pieces_of_any_size_show_the_same(written: str, expected: str, no_answer: bool, refused: bool, size: int) -> None:
    shown, said = show([written[i : i + size] for i in range(0, len(written), size)])
    assert "".join(said) == shown.text == expected
    assert (shown.said_no_answer, shown.refused) == (no_answer, refused)


@given(
    st.lists(
        st.sampled_from(
            ["NO", "_", "\\_", "ANSWER", "ANSW", "ER", "N", "O", " ", "*", "a", "<think>", "</think>", "[1]", "\n", "."]
        )
    )
)
@example(["NO", "_", "ANSWER"])
def test_no_answer_is_never_shown(pieces: list[str]) -> None:
    shown, said = show(pieces)
    whole, _ = show(["".join(pieces)])
    assert "NO_ANSWER" not in "".join(said) or "NO_NO_ANSWERANSWER" in "".join(pieces).replace("\\", "")
    assert (shown.text, shown.said_no_answer, shown.refused) == (whole.text, whole.said_no_answer, whole.refused)


def test_words_are_shown_at_once() -> None:
    shown = Shown()
    assert shown.feed("Thirty") == "Thirty"
    assert shown.feed(" days N") == " days "
    assert shown.feed("ow.") == "Now."
