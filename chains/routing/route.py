"""A route: how much is done for one question, who decided it, why, and what it changes of the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from retrievers.queries import Query
from settings import Settings

RouteName = Literal["none", "simple", "medium", "complex"]
"""`none`: no search. `simple`: the settings as they are. `medium`: more contexts, reranked where a reranker is set up.
`complex`: each part of the question is searched by itself, and what they find is put together."""
ROUTES: tuple[RouteName, ...] = get_args(RouteName)
By = Literal["features", "model", "setting"]


@dataclass(frozen=True)
class Route:
    """A decision. `why` is a code, said in words by the page (ui/strings, route_why), with its values in `params`.

    `changes` are settings of retrieval by dotted name, for this question alone; `queries` are searched beside the question;
    `lacking` are layers that the question asks for, and that only a chat model could have done.
    """

    name: RouteName = "simple"
    by: By = "features"
    why: str = "one_thing"
    params: Mapping[str, Any] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    queries: tuple[Query, ...] = ()
    lacking: tuple[str, ...] = ()

    def settings(self, settings: Settings) -> Settings:
        """The settings with its changes."""
        return settings.override(self.changes) if self.changes else settings

    def as_json(self) -> dict[str, Any]:
        """The decision as JSON values, without its name."""
        return {
            "by": self.by,
            "why": self.why,
            "params": dict(self.params),
            "changes": dict(self.changes),
            "queries": [{"text": query.text, "kind": query.kind, "legs": list(query.legs)} for query in self.queries],
            "lacking": list(self.lacking),
        }
