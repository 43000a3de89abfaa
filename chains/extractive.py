"""The answer without a language model: the segments with the most evidence, quoted and cited."""

from __future__ import annotations

from chains.answer import Answer, Citation, cite
from retrievers import Retrieval


def quote_answer(retrieval: Retrieval, *, max_quotes: int, margin: float) -> Answer:
    """The best segments of the contexts, highest score first, each text once, each followed by [n], its context's number.

    The first is always quoted, a further one when its score is at most `margin` below the first's.
    """
    numbered = enumerate(retrieval.contexts, start=1)
    scored = [(segment.score, n, segment, context) for n, context in numbered for segment in context.segments]
    scored.sort(key=lambda row: (-row[0], row[1]))
    citations: list[Citation] = []
    said: set[str] = set()
    for score, n, segment, context in scored:
        text = " ".join(context.segment_text(segment).split())
        if len(citations) == max_quotes or score < scored[0][0] - margin:
            break
        if text not in said:
            said.add(text)
            citations.append(cite(context, n=n, start=segment.start, end=segment.end))
    return Answer("\n\n".join(f"{citation.quote} [{citation.n}]" for citation in citations), "extractive", tuple(citations))
