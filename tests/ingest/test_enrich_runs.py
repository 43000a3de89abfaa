"""Enrichment behind the page: counted before anything is asked, begun, cancelled, and what remains told with its reason."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ingest.enrich.asker import Budget
from ingest.enrich.kinds import Ask
from ingest.enrich.runs import EnrichmentRuns, EnrichProgress
from models import get_chat_model
from settings.enrich import EnrichSettings
from store.errors import Occupied
from tests.ingest.desk import Desk
from tests.ingest.enriching import Enricher, Reply, Writer
from tests.ingest.test_enrich import CUT, GARDEN
from tests.ingest.test_jobs import until
from tests.models.endpoints import SECRETS

NOTES = "---\nkeywords: [Garden, 花园, bees]\n---\nBees are told of."


@pytest.fixture
def enricher(desk: Desk) -> Iterator[Enricher]:
    with Writer() as server:
        desk.add("garden.md", GARDEN, **CUT)
        desk.add("plain.txt", "Lighthouses are tall.")
        yield Enricher(desk, server)


@pytest.fixture
def runs(enricher: Enricher) -> Iterator[EnrichmentRuns]:
    runs = EnrichmentRuns(enricher.desk.stores, enricher.desk.pipeline)
    yield runs
    runs.stop()


def counted(
    runs: EnrichmentRuns,
    enricher: Enricher,
    *kinds: str,
    name: str = "",
    keywords: bool = False,
    changes: dict[str, Any] | None = None,
) -> EnrichProgress:
    desk, settings = enricher.desk, enricher.settings(*kinds, **(changes or {}))
    document = desk.library.find(desk.base, name) if name else None
    runs.count(desk.base, settings, model=get_chat_model(settings, SECRETS), keywords=keywords, document=document)
    return settled(runs, desk)


def written(runs: EnrichmentRuns, desk: Desk) -> EnrichProgress:
    runs.start(desk.base.id)
    return settled(runs, desk)


def settled(runs: EnrichmentRuns, desk: Desk) -> EnrichProgress:
    until(lambda: (told := runs.progress(desk.base.id)) is None or not told.under_way)
    progress = runs.progress(desk.base.id)
    assert progress
    return progress


def test_nothing_is_asked_before_it_is_begun_and_then_what_was_counted(enricher: Enricher, runs: EnrichmentRuns) -> None:
    told = counted(runs, enricher, "questions", "faq")
    assert (told.stage, told.kinds, told.model, told.documents) == ("counted", ("questions", "faq"), "talker", 2)
    assert (told.estimate.kinds["questions"].calls, told.estimate.kinds["faq"].calls, told.estimate.calls) == (4, 2, 6)
    assert told.estimate.tokens > 100
    assert enricher.server.requests == []
    enricher.server.reply = lambda _: "Q: Who cares for it?\nA: A keeper does.\nQ: 谁负责？\nA: 管理员。"
    done = written(runs, enricher.desk)
    assert (done.stage, done.calls, done.done, done.remaining, done.problem, done.told) == ("finished", 6, 2, 0, None, ())
    assert done.tokens == 720
    assert done.written["question"] == len(enricher.rows("garden.md")) + len(enricher.rows("plain.txt"))
    assert enricher.found_by("Who cares for it?")
    runs.dismiss(enricher.desk.base.id)
    assert runs.progress(enricher.desk.base.id) is None
    assert counted(runs, enricher, "questions", "faq").estimate.calls == 0


def test_one_document_is_written_for_alone(enricher: Enricher, runs: EnrichmentRuns) -> None:
    assert counted(runs, enricher, "questions", name="plain.txt").estimate.calls == 1
    assert written(runs, enricher.desk).written == {"question": 1}
    assert enricher.rows("garden.md") == []


def test_what_was_only_counted_is_forgotten_and_begins_no_more(enricher: Enricher, runs: EnrichmentRuns) -> None:
    counted(runs, enricher, "questions")
    runs.cancel(enricher.desk.base.id)
    assert runs.progress(enricher.desk.base.id) is None
    runs.start(enricher.desk.base.id)
    assert enricher.server.requests == []


def test_a_cancelled_run_keeps_and_indexes_what_was_written_and_says_what_remains(
    enricher: Enricher, runs: EnrichmentRuns
) -> None:
    asked, go_on, base_id = threading.Event(), threading.Event(), enricher.desk.base.id

    def slow(_: dict[str, Any]) -> Reply:
        asked.set()
        assert go_on.wait(20)
        return "What sleeps in winter?"

    enricher.server.reply = slow
    counted(runs, enricher, "questions", changes={"ingest.enrich.at_once": 1, "llm.timeout_seconds": 20})
    runs.start(base_id)
    assert asked.wait(20)
    settings = enricher.settings("summary")
    with pytest.raises(Occupied):
        runs.count(enricher.desk.base, settings, model=None)
    runs.cancel(base_id)
    stopping = runs.progress(base_id)
    assert stopping
    assert (stopping.stage, stopping.stopping) == ("writing", True)
    go_on.set()
    done = settled(runs, enricher.desk)
    assert done.stopped is not None
    assert (done.stopped.code, done.calls, done.remaining, done.written) == ("cancelled", 1, 3, {"question": 1})
    assert enricher.found_by("What sleeps in winter?"), "what was paid for is found at once"
    assert counted(runs, enricher, "questions").estimate.calls == 3


def test_the_limit_is_named_and_the_next_run_goes_on(enricher: Enricher, runs: EnrichmentRuns) -> None:
    limit = {"ingest.enrich.max_calls": 2, "ingest.enrich.at_once": 2}
    counted(runs, enricher, "questions", changes=limit)
    done = written(runs, enricher.desk)
    assert done.stopped is not None
    assert (done.stopped.code, done.stopped.params, done.calls, done.remaining) == ("most_calls", {"count": 2}, 2, 2)
    assert [(report.source, report.status, report.left) for report in done.told] == [
        ("garden.md", "left", 1),
        ("plain.txt", "left", 1),
    ]
    assert counted(runs, enricher, "questions").estimate.calls == 2
    assert written(runs, enricher.desk).remaining == 0
    budget = Budget(EnrichSettings(max_tokens=1000))
    assert budget.admitted([Ask("faq", "key", "Told.", "Asked.", (), 2000)]) == []
    assert budget.stopped is not None
    assert (budget.stopped.code, budget.stopped.params) == ("most_tokens", {"count": 1000})


def test_failures_are_counted_as_remaining_and_a_hopeless_one_ends_the_run(enricher: Enricher, runs: EnrichmentRuns) -> None:
    enricher.server.reply = lambda asked: ("server_error", "") if "Bees" in str(asked) else "Who?"
    counted(runs, enricher, "questions")
    done = written(runs, enricher.desk)
    assert (done.failures, done.remaining, done.stopped) == (1, 1, None)
    [report] = done.told
    assert (report.source, report.status, report.failures[0]["code"]) == ("garden.md", "failed", "server_error")
    enricher.server.reply = lambda _: ("unauthorized", "")
    counted(runs, enricher, "summary", changes={"ingest.enrich.summary.min_size": 1, "ingest.enrich.at_once": 1})
    done = written(runs, enricher.desk)
    assert done.stopped is not None
    assert (done.stopped.code, done.calls, done.remaining) == ("key_refused", 1, 4)


def test_without_a_model_only_tags_can_be_given(enricher: Enricher, runs: EnrichmentRuns) -> None:
    enricher.desk.add("notes.md", NOTES)
    counted(runs, enricher, keywords=True, changes={"llm.provider": "none"})
    done = written(runs, enricher.desk)
    assert (done.tagged, done.calls, done.problem) == (1, 0, None)
    document = enricher.desk.library.find(enricher.desk.base, "notes.md")
    assert document
    assert document.tags == ("bees", "Garden", "花园")
    counted(runs, enricher, keywords=True, changes={"llm.provider": "none"})
    assert written(runs, enricher.desk).tagged == 0, "they have them already"
    assert counted(runs, enricher, "questions", changes={"llm.provider": "none"}).estimate.calls == 5
    problem = written(runs, enricher.desk).problem
    assert problem
    assert "llm.provider is none" in problem.reason
