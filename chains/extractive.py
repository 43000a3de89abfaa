"""The answer without a language model: the segments with the most evidence, quoted and cited."""

from __future__ import annotations

from chains.answer import Answer, cite
from retrievers import Retrieval


def quote_answer(retrieval: Retrieval, *, max_quotes: int) -> Answer:
    """The best segments of the contexts, highest evidence first, each text once, each followed by [n], its context's number."""
    ranked = sorted(
        (
            (segment.score, -n, segment, context)
            for n, context in enumerate(retrieval.contexts, start=1)
            for segment in context.segments
        ),
        key=lambda row: row[:2],
        reverse=True,
    )
    citations, said = [], set()
    for _, minus_n, segment, context in ranked:
        text = " ".join(context.segment_text(segment).split())
        if text not in said:
            said.add(text)
            citations.append(cite(context, n=-minus_n, start=segment.start, end=segment.end))
        if len(citations) == max_quotes:
            break
    return Answer("\n\n".join(f"{citation.quote} [{citation.n}]" for citation in citations), "extractive", tuple(citations))
