"""What a run would ask of the model, told before it starts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.enrich.kinds import Ask
from models.usage import MILLION
from settings.models import PricesSettings


@dataclass
class Share:
    """The part of one kind: calls to be made, with about so many tokens read and written; `kept` were made before."""

    calls: int = 0
    kept: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass
class Estimate:
    """Calls and tokens by kind. Tokens are estimated from the texts' widths; only the model's own count is exact."""

    documents: int = 0
    kinds: dict[str, Share] = field(default_factory=lambda: defaultdict(Share))

    def add(self, asks: Iterable[Ask], missing: Iterable[Ask]) -> None:
        """Count what is to be asked for one document, and what of it is missing."""
        self.documents += 1
        for ask in asks:
            self.kinds[ask.kind].kept += 1
        for ask in missing:
            share = self.kinds[ask.kind]
            share.kept -= 1
            share.calls += 1
            share.tokens_in += ask.tokens
            share.tokens_out += ask.expected

    @property
    def calls(self) -> int:
        """All calls to be made."""
        return sum(share.calls for share in self.kinds.values())

    @property
    def tokens(self) -> int:
        """All tokens, read and written."""
        return sum(share.tokens_in + share.tokens_out for share in self.kinds.values())

    def cost(self, models: Mapping[str, str], prices: PricesSettings) -> float | None:
        """What that would cost, about, with the model of each kind; None where one of them has no price."""
        asked = {kind: share for kind, share in self.kinds.items() if share.calls}
        priced = [(prices.of(models.get(kind, "")), share) for kind, share in asked.items()]
        if not priced:
            return None
        total = 0.0
        for price, share in priced:
            if price is None:
                return None
            total += (share.tokens_in * price.input + share.tokens_out * price.output) / MILLION
        return total

    def as_json(self) -> dict[str, Any]:
        """The estimate as JSON values."""
        kinds = {name: vars(share) for name, share in self.kinds.items()}
        return {"documents": self.documents, "calls": self.calls, "tokens": self.tokens, "kinds": kinds}
