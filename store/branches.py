"""Branches: the questions of a conversation as a tree, since one that is edited is asked anew beside the old one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from store.chat_rows import BranchRow, MessageRow

Told = tuple[int, bool, int | None]
"""A question's id, whether the store says what it follows, and the id of that (None: nothing)."""


@dataclass(frozen=True)
class Branches:
    """What each question follows, by its id; None for one that begins the conversation. Ids ascend; none follows a later one."""

    after: Mapping[int, int | None]

    @classmethod
    def of(cls, told: Iterable[Told]) -> Branches:
        """The tree of questions, oldest first; what nothing is told of follows the one before it, as all did in older stores."""
        after: dict[int, int | None] = {}
        last: int | None = None
        for question, is_told, follows in told:
            after[question] = (follows if follows in after else None) if is_told else last
            last = question
        return cls(after)

    def path(self, through: int | None = None) -> list[int]:
        """The questions from the first one on, through the given one, to the one asked last of all that come after it.

        Without one, or with one that is not there, it is the path to the question that was asked last.
        """
        inside = self._from(through) if through in self.after else self.after
        at = max(inside, default=None)
        found: list[int] = []
        while at is not None:
            found.append(at)
            at = self.after[at]
        return found[::-1]

    def end(self, through: int | None = None) -> int | None:
        """The last question of the path; None where there is no question yet."""
        return next(reversed(self.path(through)), None)

    def versions(self, question: int) -> tuple[int, ...]:
        """The questions that were asked in this one's place, itself among them, oldest first."""
        return tuple(each for each, before in self.after.items() if before == self.after[question])

    def _from(self, through: int | None) -> set[int]:
        """A question and all that come after it."""
        found = {through}
        for question, before in self.after.items():
            if before in found and before is not None:
                found.add(question)
        return {each for each in found if each is not None}


def branches_in(session: Session, conversation_id: str) -> Branches:
    """The tree of a conversation's questions."""
    questions = select(MessageRow.id, BranchRow.question_id, BranchRow.after)
    of_it = (MessageRow.conversation_id == conversation_id) & (MessageRow.role == "user")
    with_told = questions.outerjoin(BranchRow, BranchRow.question_id == MessageRow.id).where(of_it).order_by(MessageRow.id)
    rows = session.execute(with_told)
    return Branches.of((question, told is not None, after) for question, told, after in rows)
