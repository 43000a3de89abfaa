"""Why was it not found? Where an expected text is, its rank in each leg, which stage lost it, and remedies that work."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lancedb.expr import col, lit

from retrievers import EVERY_DOCUMENT, Explainer, Filter, Retrieval, Retriever
from retrievers.build import LONGEST_QUESTION
from retrievers.expected import in_one_form
from retrievers.fate import Explanation, Fate
from retrievers.remedies import MOST_REMEDIES, Wanted, rank_of
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import SMALL, chunk, ids, word_shelf

NOISE = 30
QUESTION = "harbour of Lisbon"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Thirty documents on the harbour of Lisbon, each with less of the question than the one before, and some others."""
    shelf = word_shelf(tmp_path_factory.mktemp("harbour"))
    for n in range(NOISE):
        shelf.add(
            f"{n:02}.txt", f"The harbour of Lisbon has number n{n}." + " More words of other things follow here." * (n // 4)
        )
    shelf.add("full width.txt", "Ｔｈｅ  Ｃｕｓｔｏｍｓ\nofficers　inspect every ship，总是如此。")
    shelf.add("zh.md", "# 规定\n\n退款期限为三十天。超过期限的订单不能退款。")
    shelf.add("none.txt", "Zebras graze far inland.")
    return shelf


def explain(
    shelf: Shelf, expected: str, question: str = QUESTION, *, limits: Filter = EVERY_DOCUMENT, **changes: Any
) -> Explanation:
    settings = shelf.settings.override({f"retrieval.{key}": value for key, value in changes.items()})
    return Explainer(shelf.retriever, shelf.stores.library, [shelf.base], settings, limits=limits).explain(question, expected)


def fate(shelf: Shelf, expected: str, question: str = QUESTION, **more: Any) -> Fate:
    (only,) = explain(shelf, expected, question, **more).fates
    return only


def check_remedies(shelf: Shelf, found: Fate, question: str, **changes: Any) -> Sequence[Any]:
    """Each remedy brings the chunk among the contexts, and is no larger than needed."""
    before = shelf.settings.override({f"retrieval.{key}": value for key, value in changes.items()})

    def rank_with(remedy: dict[str, Any]) -> int | None:
        return rank_of(Wanted.all_of(found.chunk), shelf.retriever.retrieve(question, shelf.base, before.override(remedy)))

    assert len(found.remedies) <= MOST_REMEDIES
    assert rank_with({}) is None
    for remedy in found.remedies:
        assert rank_with(dict(remedy)), remedy
        for key, value in remedy.items():
            assert not rank_with({k: v for k, v in remedy.items() if k != key}), f"{key} is not needed"
            if key in ("retrieval.top_k", "retrieval.depth"):
                less = {**remedy, key: value - (1 if key == "retrieval.top_k" else 5)}
                assert not rank_with(less), f"a smaller {key} would do"
    for n, remedy in enumerate(found.remedies):
        assert not any(other.items() <= remedy.items() for other in found.remedies[:n])
    return found.remedies


@pytest.mark.parametrize(
    ("expected", "source"),
    [
        ("zebras   GRAZE\nfar inland", "none.txt"),
        ("the customs officers inspect", "full width.txt"),
        ("officersinspecteveryship,总是 如此", "full width.txt"),
        ("退款期限 为三十天", "zh.md"),
        ("ＺＥＢＲＡＳ", "none.txt"),
    ],
)
def test_a_text_is_found_across_blanks_case_and_width(shelf: Shelf, expected: str, source: str) -> None:
    found = fate(shelf, expected)
    assert (found.chunk.source, found.exact) == (source, True)
    assert in_one_form(found.chunk.text[found.at :])[0].startswith(in_one_form(expected)[0])


def test_a_chunk_is_found_by_its_id(shelf: Shelf) -> None:
    key = ids(shelf.find("zebras inland", top_k=1))[0]
    assert fate(shelf, f" {key} ").chunk.id == key
    assert explain(shelf, "0" * 32).fates == ()


def test_near_words_are_taken_for_what_was_meant_and_said_to_be_so(shelf: Shelf) -> None:
    found = fate(shelf, "far inland, zebras are grazing")
    assert (found.chunk.source, found.exact) == ("none.txt", False)


@pytest.mark.parametrize("expected", ["Penguins live on ice.", "", "  ", "？", "不存在的句子"])
def test_what_is_in_no_document_has_no_fate(shelf: Shelf, expected: str) -> None:
    found = explain(shelf, expected)
    assert found.fates == ()
    assert found.as_json()["in_index"] is False


def test_a_context_needs_no_remedy(shelf: Shelf) -> None:
    found = fate(shelf, "has number n3.")
    assert (found.place, found.reason, found.remedies) == ("contexts", None, ())
    assert shelf.find(QUESTION).contexts[(found.rank or 0) - 1].chunk_id == found.chunk.id


def test_behind_top_k(shelf: Shelf) -> None:
    found = fate(shelf, "has number n20.", top_k=3)
    assert (found.place, found.reason, found.rank) == ("top_k", "below_top_k", None)
    first, *_ = check_remedies(shelf, found, QUESTION, top_k=3)
    assert set(first) == {"retrieval.top_k"}


def test_below_the_threshold(shelf: Shelf) -> None:
    changes: dict[str, Any] = {"score_threshold": 0.75, "top_k": 50}
    found = fate(shelf, "has number n29.", **changes)
    assert (found.place, found.reason) == ("threshold", "below_threshold")
    (first, *_) = check_remedies(shelf, found, QUESTION, **changes)
    assert set(first) == {"retrieval.score_threshold"}
    more = first["retrieval.score_threshold"] + 0.01
    assert fate(shelf, "has number n29.", **changes | {"score_threshold": more}).rank is None, "a higher one would do"


def test_below_depth(shelf: Shelf) -> None:
    changes: dict[str, Any] = {"depth": 5, "top_k": 5}
    found = fate(shelf, "has number n29.", **changes)
    assert (found.place, found.reason) == ("not_recalled", "below_depth")
    assert check_remedies(shelf, found, QUESTION, **changes)


def test_only_a_leg_without_weight_found_it(shelf: Shelf) -> None:
    found = fate(shelf, "Zebras graze", vector_weight=0.0)
    assert (found.place, found.reason) == ("fused", "leg_without_weight")
    assert found.legs["bm25"] is None
    assert found.shared_words == ()
    check_remedies(shelf, found, QUESTION, vector_weight=0.0)


def test_what_only_a_leg_without_weight_knows(shelf: Shelf) -> None:
    changes: dict[str, Any] = {"vector_weight": 0.0, "depth": 5, "top_k": 50}
    found = fate(shelf, "Zebras graze", "harbour", **changes)
    assert (found.place, found.reason) == ("not_recalled", "leg_without_weight")
    changes["vector_weight"] = 0.5
    assert fate(shelf, "Zebras graze", "harbour", **changes).reason == "below_depth"


def test_filtered_out(shelf: Shelf) -> None:
    found = fate(shelf, "has number n3.", limits=Filter.parse(["source=none.txt"]))
    assert (found.place, found.reason) == ("not_recalled", "filtered_out")


def test_filtered_out_by_its_page(shelf: Shelf) -> None:
    found = fate(shelf, "has number n3.", limits=Filter.parse(["page=3"]))
    assert (found.place, found.reason) == ("not_recalled", "filtered_out")


def test_filtered_out_by_what_the_question_names(shelf: Shelf) -> None:
    question = "What is the number of the harbour of Lisbon in 05.txt?"
    changes: dict[str, Any] = {"self_query.enabled": True, "evidence_threshold": 0.5}
    found = fate(shelf, "has number n6.", question, **changes)
    assert (found.place, found.reason) == ("not_recalled", "filtered_out")
    assert {"retrieval.self_query.enabled": False} in check_remedies(shelf, found, question, **changes)
    assert fate(shelf, "has number n5.", question, **changes).place == "contexts"


def test_switched_off(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path)
    shelf.add("on.txt", "The market of Porto.")
    shelf.add("off.txt", "The harbour of Lisbon.")
    with shelf.store._writing() as table:
        table.update(where=(col("source") == lit("off.txt")).to_sql(), values={"enabled": False})
    found = fate(shelf, "harbour of lisbon")
    assert (found.place, found.reason, found.chunk.enabled) == ("not_recalled", "switched_off", False)
    assert found.legs == {"bm25": None, "vector": None}
    assert found.remedies == ()


@pytest.mark.parametrize(
    ("stage", "changes"),
    [
        ("redundancy", {"redundancy.enabled": True, "redundancy.threshold": 0.5, "top_k": 50}),
        ("embeddings_filter", {"embeddings_filter.enabled": True, "embeddings_filter.threshold": 0.75, "top_k": 50}),
        ("token_budget", {"token_budget.enabled": True, "token_budget.tokens": 50, "top_k": 50}),
    ],
)
def test_a_layer_that_dropped_it_is_named_and_to_be_switched_off(shelf: Shelf, stage: str, changes: dict[str, Any]) -> None:
    found = fate(shelf, "has number n29.", **changes)
    assert found.place == stage
    assert check_remedies(shelf, found, QUESTION, **changes)[0] == {f"retrieval.{stage}.enabled": False}


def test_two_layers_that_dropped_it_are_named_together(shelf: Shelf) -> None:
    changes: dict[str, Any] = {"redundancy.enabled": True, "redundancy.threshold": 0.5, "top_k": 3}
    found = fate(shelf, "has number n29.", **changes)
    check_remedies(shelf, found, QUESTION, **changes)


def test_ranks_are_those_in_the_whole_base_whatever_the_settings(shelf: Shelf) -> None:
    many = {"depth": 1000, "top_k": 50}
    whole = {
        leg: {c.chunk_id: c.scores[leg].rank for c in shelf.find(QUESTION, vector_weight=w, **many).contexts}
        for leg, w in (("bm25", 0.0), ("vector", 1.0))
    }
    for n in (0, 11, 29):
        found = fate(shelf, f"has number n{n}.", depth=5, top_k=1)
        for leg in ("bm25", "vector"):
            told = found.legs[leg]
            assert told
            assert told["rank"] == whole[leg][found.chunk.id]
            assert told["of"] >= NOISE


def test_the_words_that_full_text_compares(shelf: Shelf) -> None:
    explanation = explain(shelf, "has number n3.", "What is the HARBOURS' number of zebras?")
    assert {"harbour", "number", "zebra"} <= set(explanation.query_tokens)
    assert "what" not in explanation.query_tokens
    (found,) = explanation.fates
    assert set(found.shared_words) == {"harbour", "number"}
    assert set(found.shared_words) <= set(found.tokens)


def test_a_text_over_two_chunks_has_two_fates(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path, settings={"ingest.chunk_size": 100, "ingest.min_chunk_size": 1, "ingest.segment_size": 50})
    shelf.add(
        "a.txt", "The harbour of Lisbon opens at six in the morning. Zebras graze far inland behind the hills of the south."
    )
    found = explain(shelf, "six in the morning. Zebras graze")
    assert [f.chunk.start for f in found.fates] == sorted({f.chunk.start for f in found.fates})
    assert len(found.fates) == 2


def test_a_text_in_several_documents_has_a_fate_in_each(shelf: Shelf) -> None:
    assert len({f.chunk.source for f in explain(shelf, "The harbour of Lisbon has number").fates}) == 5


def test_each_place_of_a_text_in_one_document_has_a_fate(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path, settings={"ingest.min_chunk_size": 1, "ingest.chunk_size": 100})
    filler = "Between them stands a long paragraph on other things, so that they are two passages of the same text. "
    shelf.add("two.txt", f"Engineers worked on the dam of Lisbon.\n\n{filler * 2}\n\nEngineers worked on the harbour of Lisbon.")
    found = explain(shelf, "engineers worked on the", top_k=1).fates
    assert len(found) == 2
    assert [each.rank for each in found].count(None) == 1


@pytest.mark.parametrize("layer", ["window", "llm_extract"])
def test_a_passage_that_is_shown_without_the_expected_part_lost_it_to_that_layer(tmp_path: Path, layer: str) -> None:
    shelf = word_shelf(tmp_path)
    tail = "Zebras graze far inland and have nothing to do with ships."
    shelf.add("harbour.txt", f"The harbour of Lisbon is old. {'Gulls fly over the quays all day long. ' * 12}{tail}")
    changes: dict[str, Any] = {f"{layer}.enabled": True} | ({"window.sentences": 0} if layer == "window" else {})
    assert fate(shelf, "The harbour of Lisbon is old", **changes).place == "contexts"
    lost = fate(shelf, tail, **changes)
    assert (lost.place, lost.reason, lost.rank) == (layer, "cut_away", None)
    assert {f"retrieval.{layer}.enabled": False} in lost.remedies


def test_a_remedy_is_the_least_change_of_its_kind(shelf: Shelf) -> None:
    lost = fate(shelf, "Zebras graze far inland.", question="where do zebras graze", vector_weight=0.0, top_k=40, depth=5)
    assert lost.rank == 1
    found = fate(shelf, "number n20", score_threshold=0.999, top_k=50)
    assert found.place == "threshold"
    (lowered,) = (remedy for remedy in found.remedies if set(remedy) == {"retrieval.score_threshold"})
    assert 0 < lowered["retrieval.score_threshold"] < 0.999


def test_an_explanation_is_json(shelf: Shelf) -> None:
    told = json.loads(json.dumps(explain(shelf, "has number n20.", top_k=3).as_json(), allow_nan=False))
    assert told["in_index"] is True
    (only,) = told["fates"]
    assert (only["base"], only["chunk"]["source"]) == ("test", "20.txt")
    assert only["remedies"][0] == {"retrieval.top_k": only["remedies"][0]["retrieval.top_k"]}


def test_a_grown_passage_counts_for_what_it_took_in(shelf: Shelf) -> None:
    found = fate(shelf, "超过期限的订单", question="退款期限", **{"parent.enabled": True, "top_k": 1})
    assert (found.place, found.rank) == ("contexts", 1)


def test_a_chunk_that_no_document_row_speaks_of_is_explained_by_its_id(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path)
    shelf.store.upsert([chunk("ab" * 16, "The harbour of Lisbon")])
    assert fate(shelf, "ab" * 16).place == "contexts"


MANUAL = "\n\n".join(
    f"The harbour of Lisbon has crane {n}. Its operator signs the sheet of shift {n} in the evening. Crane {n} lifts "
    f"{n + 20} tons." for n in range(12)
)  # fmt: skip


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A document of many small chunks, whose windows and sections take each other in."""
    shelf = word_shelf(tmp_path_factory.mktemp("manual"), settings=SMALL)
    shelf.add("manual.txt", MANUAL)
    return shelf


@pytest.mark.parametrize(
    "changes",
    [
        {"window.enabled": True, "window.sentences": 2, "top_k": 50},
        {"parent.enabled": True, "parent.max_size": 300, "window.enabled": True, "window.sentences": 0, "top_k": 50},
        {"parent.enabled": True, "parent.max_size": 300, "window.enabled": True, "window.sentences": 1, "top_k": 2},
        {"parent.enabled": True, "parent.max_size": 300, "token_budget.enabled": True, "token_budget.tokens": 100, "top_k": 50},
    ],
)
def test_what_another_passage_took_in_shares_its_fate(manual: Shelf, changes: dict[str, Any]) -> None:
    book = manual.find(QUESTION, **changes).ledger
    dropped = {drop.chunk_id: drop.stage for drop in book.drops}
    ends = {dropped.get(book.carrier_of(merge.chunk_id), "contexts"): merge.chunk_id for merge in book.merges}
    assert ends, "nothing merged"
    for place, chunk_id in ends.items():
        found = fate(manual, chunk_id, **changes)
        assert (found.place, found.chunk.id) == (place, chunk_id)
        assert place == "contexts" or found.reason != "below_depth"


def test_the_window_of_another_passage_that_leaves_out_what_it_took_in(manual: Shelf) -> None:
    changes: dict[str, Any] = {"parent.enabled": True, "parent.max_size": 300, "window.enabled": True, "window.sentences": 0}
    changes["top_k"] = 50
    found = manual.find(QUESTION, **changes)
    taken = {merge.chunk_id for merge in found.ledger.merges}
    numbers = [n for n in range(12) if not any(f"lifts {n + 20} tons" in context.text for context in found.contexts)]
    fates = (fate(manual, f"lifts {n + 20} tons", **changes) for n in numbers)
    lost = next(each for each in fates if each.chunk.id in taken)
    assert (lost.place, lost.reason) == ("window", "cut_away")


def test_a_larger_top_k_is_told_by_rank_where_the_reading_order_is_another(shelf: Shelf) -> None:
    changes: dict[str, Any] = {"long_context_order.enabled": True, "top_k": 3}
    for n in (14, 26):
        found = fate(shelf, f"has number n{n}.", **changes)
        first, *_ = check_remedies(shelf, found, QUESTION, **changes)
        assert set(first) == {"retrieval.top_k"}


def test_a_long_question_is_explained_by_what_was_searched_for(shelf: Shelf) -> None:
    question = f"{'harbour of Lisbon ' * 120} zebras"
    assert len(question) > LONGEST_QUESTION
    assert "zebra" not in explain(shelf, "Zebras graze", question).query_tokens
    assert fate(shelf, "Zebras graze", question).shared_words == ()


def test_characters_that_nobody_can_send_are_explained(shelf: Shelf) -> None:
    assert fate(shelf, "zebras \ud800 are grazing far inland", "zebras\ud800 inland").chunk.source == "none.txt"


def test_a_text_in_many_places_is_searched_for_no_more_often_than_one(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    retrieve = Retriever.retrieve

    def counted(self: Retriever, *arguments: Any, **more: Any) -> Retrieval:
        asked.append(str(arguments[2]))
        return retrieve(self, *arguments, **more)

    monkeypatch.setattr(Retriever, "retrieve", counted)
    assert len(explain(shelf, "More words of other things follow", top_k=1).fates) > 1
    assert len(asked) == len(set(asked))


def test_more_places_than_are_told_of_are_owned_up_to(shelf: Shelf) -> None:
    explained = explain(shelf, "The harbour of Lisbon has number")
    assert [(note.code, note.params) for note in explained.notes] == [("more_places", {"count": 5})]
    assert explain(shelf, "has number n20.").notes == ()


def test_what_only_the_given_limits_leave_out_has_no_remedy_and_nothing_is_tried(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    retrieve = Retriever.retrieve

    def counted(self: Retriever, *arguments: Any, **more: Any) -> Retrieval:
        asked.append(arguments)
        return retrieve(self, *arguments, **more)

    monkeypatch.setattr(Retriever, "retrieve", counted)
    found = fate(shelf, "has number n3.", limits=Filter.parse(["source=none.txt"]))
    assert (found.reason, found.remedies, len(asked)) == ("filtered_out", (), 1)
