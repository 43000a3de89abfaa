"""What becomes of a chat model's answer once it is held against the passages: it stays, with marks, or it is refused."""

from __future__ import annotations

from dataclasses import replace

from chains.answer import Answer, Reason
from chains.grounding import Grounder
from chains.packing import Numbered
from language import detect
from models.prompts import prompt
from retrievers import Retrieval
from retrievers.ledger import recording
from settings.grounding import GroundingSettings
from store.errors import StoreError


def grounded(answer: Answer, retrieval: Retrieval, contexts: Numbered, grounder: Grounder, chosen: GroundingSettings) -> Answer:
    """The answer with its grounding, whose [n] is `contexts[n]`; or a refusal that keeps what was written as `withheld`.

    Refused is what is grounded too little, and what says only that the documents do not tell. An answer that is not complete, as
    it was stopped or cut off, is marked but never refused.
    """
    if not chosen.enabled or answer.refused or answer.mode != "llm" or not answer.text:
        return answer
    whole = not answer.stopped and answer.error is None
    with recording() as book:
        try:
            found = grounder.ground(retrieval.query, answer.text, contexts, finished=whole)
        except StoreError as error:
            retrieval.ledger.note("grounding_failed", error=str(error))
            return answer
    for note in book.notes:
        retrieval.ledger.note(note.code, **note.params)
    marked = replace(answer, grounding=found)
    if whole and found.only_asides and not answer.citations:
        return _refused(marked, retrieval, Reason("model_found_none"))
    if whole and found.score is not None and found.score < chosen.refuse_below:
        params = {"score": round(found.score, 4), "threshold": chosen.refuse_below}
        return _refused(marked, retrieval, Reason("not_grounded", params))
    return marked


def _refused(answer: Answer, retrieval: Retrieval, reason: Reason) -> Answer:
    text = prompt("refusal", detect(retrieval.query))
    return replace(answer, text=text, citations=(), refused=True, reason=reason, withheld=answer.text)
