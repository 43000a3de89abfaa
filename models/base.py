"""What every embedder of the app offers beyond LangChain's interface."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings


class GlassboxEmbeddings(Embeddings):
    """What the rooms above rely on: LangChain's interface, and which model it is, for the base's passport."""

    provider: str
    model: str

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        raise NotImplementedError

    @property
    def counts_tokens(self) -> bool:
        """Whether `token_counts` works: whether the model's tokenizer is at hand, without a network."""
        return False

    def token_counts(self, texts: list[str]) -> list[int]:
        """How many tokens each text is for the model, without prefix and special ones."""
        raise NotImplementedError

    def passport(self) -> dict[str, str | int]:
        """What a base must remember to know whether another embedder's vectors fit it."""
        return {"provider": self.provider, "model": self.model, "dimension": self.dimension}
