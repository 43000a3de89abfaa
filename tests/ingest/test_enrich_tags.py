"""Tags that a model gives documents: read in whatever shape it writes them, beside those that are there, kept and found by."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ingest.enrich.kinds import Unreadable
from ingest.enrich.tags import Tags, new_tags
from store.library import MOST_TAGS
from tests.ingest.desk import Desk
from tests.ingest.enriching import Enricher, Writer, shown
from tests.ingest.test_enrich_kinds import unit

KIND = Tags(3)


@pytest.fixture
def enricher(desk: Desk) -> Iterator[Enricher]:
    with Writer(reply=lambda asked: "花园\n退款" if "退款期限" in shown(asked) else "boats, Water") as server:
        desk.add("条款.txt", "退款期限为三十天，自收货之日起计算。")
        desk.add("b.txt", "Boats float.")
        yield Enricher(desk, server)


@pytest.mark.parametrize(
    "written",
    [
        "refunds\nterms of sale\n退款",
        "1. refunds\n2. terms of sale\n3. 退款\n4. one too many",
        "Sure! Here are the tags:\n\n- refunds\n- terms of sale\n- 退款",
        "refunds, terms of sale, 退款",
        "#refunds、#terms of sale、#退款。",
        '```json\n["refunds", "terms of sale", "退款"]\n```',
        "<think>maybe: bees</think>refunds\nRefunds\nterms of sale\n退款",
    ],
)
def test_tags_are_read_in_whatever_shape_they_come(written: str) -> None:
    assert KIND.read(written, cut=False) == ["refunds", "terms of sale", "退款"]


def test_what_is_no_tag_is_none() -> None:
    assert KIND.read("refunds\n" + "x" * 61 + "\nhid\u202eden", cut=False) == ["refunds"]
    assert KIND.read("refunds\nterms of sa", cut=True) == ["refunds"]
    for nothing in ("", "None", "x" * 61):
        with pytest.raises(Unreadable):
            KIND.read(nothing, cut=False)


def test_the_model_sees_the_beginning_of_a_document_in_one_call() -> None:
    [ask] = KIND.asks([unit(n, f"Part {n}. " + "Words are told. " * 100) for n in range(9)])
    assert "Part 0." in ask.asked
    assert "Part 8." not in ask.asked
    assert len(ask.asked) < 8000
    assert list(KIND.asks([])) == []


def test_documents_get_tags_beside_theirs_in_their_language_once(enricher: Enricher) -> None:
    desk = enricher.desk
    boats, _ = enricher.documents
    desk.library.set_tags(boats.doc_id, ["mine", "Boats"])
    reports = enricher.run("tags")
    assert [(report.status, report.calls, report.tags, report.written) for report in reports] == [
        ("enriched", 1, ["Water"], {}),
        ("enriched", 1, ["花园", "退款"], {}),
    ]
    assert [document.tags for document in enricher.documents] == [("Boats", "mine", "Water"), ("花园", "退款")]
    assert [(report.status, report.calls, report.tags) for report in enricher.run("tags")] == [("unchanged", 0, [])] * 2
    assert enricher.rows("b.txt") == []
    told = {"退款期限" in shown(request.body): request.body["messages"][0]["content"] for request in enricher.server.requests}
    assert "at most 5 tags" in told[False]
    assert "最多写 5 个标签" in told[True]
    desk.check()


def test_a_document_has_no_more_tags_than_it_may(enricher: Enricher) -> None:
    boats = enricher.documents[0]
    enricher.desk.library.set_tags(boats.doc_id, [f"tag {n}" for n in range(MOST_TAGS - 1)])
    assert len(new_tags(enricher.documents[0], ["one", "two"])) == 1
    assert len(enricher.run("tags")[0].tags) == 1
    assert len(enricher.documents[0].tags) == MOST_TAGS
