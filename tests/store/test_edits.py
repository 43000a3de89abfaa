"""Edits belong to the text: whatever chunks it is cut into, they say the same, and in another text they move with their place."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from store.differences import MOST_COMPARED, changes
from store.edits import DOCUMENT, OFF, PATCH, Edit, Place, Wanted, carried, corrected, settled, switched, wanted

WORDS = st.lists(
    st.sampled_from(["kettle", "returns", "30", " ", "\n\n", "，", "茶壶", "退货", "。", "a", "😀"]), min_size=1, max_size=40
)
TEXTS = WORDS.map(lambda words: f"x{''.join(words)}y")


def applied(before: str, after: str) -> str:
    parts, at = [], 0
    for start, end, new in changes(before, after):
        assert at <= start < end <= len(before)
        parts += [before[at:start], new]
        at = end
    return "".join([*parts, before[at:]])


@given(TEXTS, TEXTS | st.text(max_size=30))
def test_with_all_changes_made_a_text_is_the_other(before: str, after: str) -> None:
    assert applied(before, after) == after


def test_only_what_differs_is_a_change_and_long_texts_are_compared_at_their_ends() -> None:
    assert list(changes("thirty days after arrival", "ninety days after arrival")) == [(0, 6, "ninety")]
    assert list(changes("退款期限为三十天。", "退款期限为九十天。")) == [(5, 6, "九")]
    assert list(changes("same", "same")) == []
    assert list(changes("ab", "abc")) == [(0, 2, "abc")]
    words = [f"{number} " for number in range(int(MOST_COMPARED**0.5) + 2)]
    long, other = "".join(words), "".join(reversed(words))
    assert applied(long, other) == other
    assert len(list(changes(long, other))) == 1


@st.composite
def cut(draw: st.DrawFn) -> tuple[str, list[Place]]:
    """A text and chunks of it without blanks around them, each beginning where the one before ends, or earlier."""
    text = draw(st.text(alphabet="abcd 三十天。\n", min_size=12, max_size=80).map(lambda text: f"x{text}y"))
    ends = [*sorted(draw(st.sets(st.integers(4, len(text) - 1), max_size=4))), len(text)]
    places, start = [], 0
    for number, end in enumerate(ends):
        inner = text[start:end]
        first, last = start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())
        if first < last:
            places.append(Place(str(number), first, last))
        start = max(places[-1].start + 1 if places else 0, end - draw(st.integers(0, 3)))
    return text, places


@given(cut(), st.data())
def test_a_corrected_chunk_says_what_it_was_told_and_no_chunk_says_what_was_there(
    given_: tuple[str, list[Place]], data: st.DataObject
) -> None:
    text, places = given_
    edits: list[Edit] = []
    for _ in range(data.draw(st.integers(1, 3))):
        chunk = data.draw(st.sampled_from(places))
        new = data.draw(st.text(alphabet="XYZ ", min_size=1, max_size=12).map(lambda new: f"Q{new}Q"))
        edits = corrected(edits, text, places, chunk, new)
        states = wanted(edits, text, places)
        assert states[chunk.id] == Wanted(enabled=True, override=new)
        patches = sorted((e for e in edits if e.kind == PATCH), key=lambda edit: edit.start)
        assert all(one.end <= other.start for one, other in pairwise(patches))
        for other in places:
            if other.end <= chunk.start or other.start >= chunk.end:
                continue
            shown = states[other.id].override
            common = text[max(other.start, chunk.start) : min(other.end, chunk.end)]
            assert shown is not None or not common.strip() or other == chunk
        assert all(not state.enabled for state in states.values() if state.override == "")
    for chunk in places:
        edits = corrected(edits, text, places, chunk, None)
    assert wanted(edits, text, places) == {place.id: Wanted() for place in places}


@given(cut(), st.data())
def test_switches_are_of_the_chunks_that_were_named(given_: tuple[str, list[Place]], data: st.DataObject) -> None:
    text, places = given_
    chosen = data.draw(st.sets(st.sampled_from([place.id for place in places])))
    edits = switched([], text, places, off=chosen)
    off = {key for key, state in wanted(edits, text, places).items() if not state.enabled}
    assert off >= chosen
    again = switched(edits, text, places, on=[place.id for place in places])
    assert all(state.enabled for state in wanted(again, text, places).values())
    whole = [*edits, Edit(DOCUMENT)]
    assert not any(state.enabled for state in wanted(whole, text, places).values())


@settings(max_examples=60)
@given(cut(), st.text(alphabet="mnop ", max_size=20), st.data())
def test_in_a_longer_text_they_are_where_their_text_is(given_: tuple[str, list[Place]], more: str, data: st.DataObject) -> None:
    text, places = given_
    chunk = data.draw(st.sampled_from(places))
    edits = corrected(switched([], text, places, off=[places[0].id]), text, places, chunk, "QQ")
    before = wanted(edits, text, places)
    longer, by = f"{more}{text}{more}", len(more)
    moved = [Place(place.id, place.start + by, place.end + by) for place in places]
    kept = settled(carried(edits, longer), longer, moved)
    assert not any(edit.lost for edit in kept)
    assert wanted(kept, longer, moved) == before
    gone = settled(carried(edits, "something else"), "something else", [Place("z", 0, 14)])
    assert all(edit.lost for edit in gone)
    assert wanted(gone, "something else", [Place("z", 0, 14)]) == {"z": Wanted()}
    back = settled(carried(gone, text), text, places)
    assert wanted(back, text, places) == before


def test_of_equal_places_each_edit_takes_its_own() -> None:
    text = "Same line.\n\nSame line.\n\nSame line."
    places = [Place(str(number), start, start + 10) for number, start in enumerate((0, 12, 24))]
    edits = switched([], text, places, off=["1", "2"])
    shorter, left = "New.\n\nSame line.\n\nSame line.", [Place("a", 0, 4), Place("b", 6, 16), Place("c", 18, 28)]
    kept = settled(carried(edits, shorter), shorter, left)
    assert [state.enabled for state in wanted(kept, shorter, left).values()] == [True, False, False]


def test_a_larger_chunk_is_off_when_all_of_it_was_and_on_when_a_part_was() -> None:
    text = "One here.\n\nTwo here.\n\nSix here."
    places = [Place("a", 0, 9), Place("b", 11, 20), Place("c", 22, 31)]
    edits = switched([], text, places, off=["a", "b"])
    joined = [Place("ab", 0, 20), Place("c", 22, 31)]
    assert [state.enabled for state in wanted(settled(edits, text, joined), text, joined).values()] == [False, True]
    other = [Place("a", 0, 9), Place("bc", 11, 31)]
    kept = settled(edits, text, other)
    assert [state.enabled for state in wanted(kept, text, other).values()] == [False, True]
    assert [edit.original for edit in kept if edit.lost] == ["Two here."]
    small = [Place("a1", 0, 3), Place("a2", 4, 9), *places[1:]]
    assert [state.enabled for state in wanted(settled(edits, text, small), text, small).values()] == [False, False, False, True]


def test_a_correction_beyond_a_new_border_is_shown_once() -> None:
    text = "Kettles may be returned within thirty days."
    edits = corrected([], text, [Place("k", 0, 43)], Place("k", 0, 43), "Kettles may not come back.")
    halves = [Place("one", 0, 20), Place("two", 21, 43)]
    states = wanted(carried(edits, text), text, halves)
    shown = " ".join(states[half.id].override or text[half.start : half.end] for half in halves)
    assert "thirty" not in shown
    assert shown.count("not come back") == 1
    assert [edit.kind for edit in edits if edit.kind == OFF] == []
