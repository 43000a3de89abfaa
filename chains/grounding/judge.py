"""A chat model reads an answer's sentences beside the passages and says which of them those support."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel

from chains.grounding.result import Grounded
from chains.grounding.statements import Statement
from models import ModelError
from models.choice import choose, numbered_blocks, numbered_lines
from retrievers import Context
from retrievers.ledger import current

PURPOSE = "grounding_judge"


def judged(
    model: BaseChatModel, question: str, found: Sequence[Grounded], said: Sequence[Statement], contexts: Sequence[Context]
) -> list[Grounded] | None:
    """The sentences with the model's verdicts; None, with a note in the ledger, when it fails or is unclear.

    A sentence with a number or a name that no passage holds is not asked about: that is no matter of opinion.
    """
    asked = [n for n, each in enumerate(found) if each.status in ("supported", "unsupported") and not each.misses]
    if not asked:
        return list(found)
    lines = numbered_lines([said[n].text for n in asked])
    passages = numbered_blocks([context.read_text for context in contexts])
    shown = f"{passages}\n\n{lines}"
    try:
        chosen = choose(model, PURPOSE, question=question, shown=shown, count=len(asked))
    except ModelError as error:
        current().note("judge_failed", error=str(error))
        return None
    if chosen is None:
        current().note("judge_unclear")
        return None
    verdicts = {n: number in chosen for number, n in enumerate(asked, start=1)}
    return [each.judged(verdicts[n]) if n in verdicts else each for n, each in enumerate(found)]
