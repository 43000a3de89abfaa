"""The tree of a conversation's questions: which branch is shown, and which questions were asked in the same place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store.branches import Branches

FORKED = Branches({1: None, 2: 1, 3: 2, 4: 1, 5: 4, 6: 2, 7: None})
"""1 - 2 - 3 and 1 - 2 - 6, 1 - 4 - 5, and 7, which was asked in the place of 1."""


def test_a_branch_goes_on_to_the_question_asked_last_in_it() -> None:
    assert FORKED.path(2) == [1, 2, 6]
    assert FORKED.path(3) == [1, 2, 3]
    assert FORKED.path(4) == [1, 4, 5]
    assert FORKED.path(1) == [1, 2, 6]
    assert FORKED.path(7) == [7]


def test_without_a_question_or_with_one_that_is_gone_the_branch_is_the_one_last_asked_in() -> None:
    assert FORKED.path() == FORKED.path(99) == [7]
    assert FORKED.end(5) == 5
    assert Branches({}).path() == []
    assert Branches({}).end() is None


def test_versions_are_the_questions_in_the_same_place() -> None:
    assert FORKED.versions(2) == FORKED.versions(4) == (2, 4)
    assert FORKED.versions(1) == (1, 7)
    assert FORKED.versions(5) == (5,)


def test_a_question_of_an_older_store_follows_the_one_before_it_by_id() -> None:
    told = [(1, False, None), (4, False, None), (6, True, 1), (7, False, None), (9, True, None)]
    assert Branches.of(told).after == {1: None, 4: 1, 6: 1, 7: 6, 9: None}


def test_what_follows_a_question_that_is_not_there_or_comes_later_begins_the_conversation() -> None:
    assert Branches.of([(1, True, 2), (2, True, 99)]).after == {1: None, 2: None}


@given(st.lists(st.none() | st.integers(0, 40), max_size=30), st.integers(0, 40))
def test_every_question_is_on_its_own_path_and_every_path_follows_the_tree(follows: list[int | None], through: int) -> None:
    tree = Branches.of((number, True, after) for number, after in enumerate(follows))
    path = tree.path(through)
    assert [tree.after[each] for each in path] == [None, *path[:-1]][: len(path)]
    assert path == sorted(path)
    if through in tree.after:
        assert through in path
        assert through in tree.versions(through)
