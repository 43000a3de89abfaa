"""What a question has become before it is searched for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from chains.routing.route import Route

How = Literal["as_asked", "by_rules", "by_model", "by_person"]
"""Who made the question stand alone; `as_asked` where nobody changed it."""


@dataclass(frozen=True)
class Prepared:
    """The question that stands alone, how it came to do so, and its route.

    `beside` is a rewriting by a model that is searched for with the question, and not instead of it; `in_context` is the question
    asked of what the conversation is about, for when it finds no answer by itself. "" where there is none.
    """

    question: str
    how: How = "as_asked"
    route: Route = field(default_factory=Route)
    beside: str = ""
    in_context: str = ""
