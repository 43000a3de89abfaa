"""From a message to the question that is searched for, and its route; by a person, by features, or by a chat model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chains.followup import StandaloneQuestions
from chains.followup.standalone import History
from chains.routing.changes import changes_of, set_by_hand
from chains.routing.features import Features, features
from chains.routing.prepared import Prepared
from chains.routing.route import Route
from chains.routing.small_talk import small_talk, without_small_talk
from chains.routing.written import Written, written_route
from models import ModelError
from retrievers.ledger import current
from retrievers.queries import Query
from retrievers.queries.query import make
from settings import Settings

STANDALONE, ROUTE = "standalone", "route"
"""The stages in the ledger."""
_WRITES = frozenset({"multi_query", "hyde"})
"""Layers that do nothing for a single question without a chat model, or something that is no gain by itself."""


class Router:
    """Prepares questions with given settings. `own` are settings that a person named, which no route changes.

    `follow_ups` gives what makes a question stand alone; it is asked for only where there is something to make. The model is
    asked for a route only with `conversation.route_by: model`; what it says that cannot be used leaves a note, and the features
    decide.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        own: Collection[str] = (),
        model: BaseChatModel | None = None,
        follow_ups: Callable[[], StandaloneQuestions],
    ) -> None:
        self._settings, self._model = settings, model
        self._own = set_by_hand(settings, own)
        self._follow_ups = follow_ups

    def prepare(self, question: str, history: History, *, given: str | None = None) -> Prepared:
        """The question and its route. `given` is the standalone question as a person wrote it: it is not changed any more.

        Raises StoreError when a follow-up cannot be looked at because its base cannot be opened.
        """
        chosen, history = self._settings.conversation, without_small_talk(history)
        given = " ".join((given or "").split())
        talk = small_talk(question, history[-1][1] if history else "") if chosen.route == "auto" and not given else None
        if talk:
            return Prepared(question, route=Route("none", why=talk))
        by_model = chosen.route == "auto" and chosen.route_by == "model"
        written = self._written(given or question, () if given else history) if by_model else None
        if given:
            alone = Prepared(given, "by_person" if given != question else "as_asked")
        else:
            alone = self._alone(question, history, written)
        route = self._route(alone.question, written)
        return replace(alone, route=replace(route, queries=(*route.queries, *make("rewriting", [alone.beside]))))

    def _alone(self, question: str, history: History, written: Written | None) -> Prepared:
        if not (self._settings.conversation.standalone and history):
            return Prepared(question)
        if written and written.question:
            made = self._follow_ups().written(written.question, question, history)
        else:
            with current().stage(STANDALONE):
                made = self._follow_ups().of(question, history)
        return Prepared(made.question, made.how, beside=made.beside, in_context=made.in_context)

    def _route(self, question: str, written: Written | None) -> Route:
        chosen = self._settings.conversation.route
        if written:
            route = Route(written.name, "model", "model" if written.reason else "model_silent", {"reason": written.reason})
            taken_apart = any(query.kind == "part" for query in written.queries)
            layers: tuple[str, ...] = ("decomposition",) if written.name == "complex" and not taken_apart else ()
            return self._with_changes(route, layers, written.queries)
        with current().stage(ROUTE):
            found = features(question)
        if chosen != "auto":
            layers = ("decomposition",) if chosen == "complex" else found.layers if chosen == found.name else ()
            queries = self._in_turn(found) if chosen == "complex" else ()
            return self._with_changes(Route(chosen, "setting", "chosen"), layers, queries)
        return self._with_changes(Route(found.name, why=found.why, params=found.params), found.layers, self._in_turn(found))

    def _with_changes(self, route: Route, layers: Iterable[str], queries: tuple[Query, ...]) -> Route:
        """The route with the layers that can work, and with the queries that were written where their layers may be used."""
        wanted = [layer for layer in layers if not getattr(self._settings.retrieval, layer).enabled]
        lacking = tuple(layer for layer in wanted if layer in _WRITES and self._model is None)
        on = [layer for layer in wanted if layer not in lacking]
        changes = changes_of(route.name, on, self._settings, own=self._own)
        return replace(route, changes=changes, queries=queries, lacking=lacking)

    def _in_turn(self, found: Features) -> tuple[Query, ...]:
        """Questions that were asked one after the other, each made to stand alone by rules; a model takes them apart itself."""
        if not found.questions or self._model is not None:
            return ()
        follow_ups, asked = self._follow_ups(), list(found.questions)
        alone = [follow_ups.by_rules(each, asked[:number]).question for number, each in enumerate(asked)]
        return tuple(make("part", alone[: self._settings.retrieval.decomposition.count]))

    def _written(self, question: str, history: History) -> Written | None:
        if self._model is None:
            current().note("route_without_llm")
            return None
        with current().stage(ROUTE):
            try:
                written = written_route(self._model, question, history, self._settings)
            except ModelError as error:
                current().note("route_failed", error=str(error))
                return None
        if written is None:
            current().note("route_unclear")
        return written
