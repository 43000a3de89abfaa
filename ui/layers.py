"""The layers of retrieval as the panel groups them; each is a subsection of the settings (settings/retrieval.py)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """A layer: the name of its subsection, and whether it wants a chat model (what it does without is `without.NAME`'s text)."""

    name: str
    wants_model: bool = False

    @property
    def switch(self) -> str:
        """The setting that switches it on; the legs have none, as their weights do that."""
        return f"retrieval.{self.name}.enabled"


FINDING = (
    Layer("lexical"),
    Layer("vector"),
    Layer("coverage"),
    Layer("questions"),
    Layer("summaries"),
    Layer("multi_query", wants_model=True),
    Layer("hyde", wants_model=True),
    Layer("decomposition"),
    Layer("step_back", wants_model=True),
    Layer("keywords"),
    Layer("abbreviations"),
    Layer("self_query"),
)
CHOOSING = (
    Layer("embeddings_filter"),
    Layer("redundancy"),
    Layer("rerank"),
    Layer("llm_filter", wants_model=True),
    Layer("recency"),
    Layer("mmr"),
)
PREPARING = (
    Layer("parent"),
    Layer("window"),
    Layer("llm_extract", wants_model=True),
    Layer("long_context_order"),
    Layer("token_budget"),
)
GROUPS = {"finding": FINDING, "choosing": CHOOSING, "preparing": PREPARING}
"""By the name of the group, in the order in which a question goes through them."""
