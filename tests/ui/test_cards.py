"""Cards and the ledger show every figure of the JSON and none of a document's markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui import strings
from ui.components import cards, ledger, trace, why

ALLOWED = {
    "article",
    "header",
    "div",
    "span",
    "p",
    "mark",
    "i",
    "details",
    "summary",
    "h4",
    "table",
    "tr",
    "th",
    "td",
    "ol",
    "li",
    "small",
}
GONE = {"code": "unknown_base", "params": {"message": "Gone."}}
HOSTILE = (
    st.sampled_from(
        ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</p></article>", "&lt;b&gt;", "{{x}}", "正文"]
    )
    | st.text()
)


def context(**changes: Any) -> dict[str, Any]:
    text = "Before. The refund period is thirty days. After."
    place = {
        "chunk_id": "c1",
        "doc_id": "d1",
        "source": "terms.pdf",
        "page": 3,
        "heading": "Refunds",
        "start": 100,
        "end": 100 + len(text),
    }
    segments = [
        {"start": 108, "end": 141, "score": 0.9, "winner": True},
        {"start": 142, "end": 148, "score": 0.7, "winner": False},
    ]
    scores = {"bm25": {"rank": 2, "score": 12.34}, "fused": {"rank": 1, "score": 1.5}}
    return {
        **place,
        "text": text,
        "segments": segments,
        "scores": scores,
        "relevance": 0.876,
        "matched_terms": ["refund"],
        **changes,
    }


def shown(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_card_shows_source_page_heading_scores_terms_and_relevance() -> None:
    html = cards.card(context(), 1, spans={"bm25": (2.34, 12.34), "fused": (1.0, 2.0)}, cited_as=[1, 4])
    text = shown(html)
    for part in (
        "1 terms.pdf p. 3 · Refunds [1] [4] relevance 88 %",
        "Full text #2 12.3",
        "Fused #1 1.500",
        "Matched terms: refund",
    ):
        assert part in text
    assert "Vectors not found by this leg" in text
    assert re.findall(r"width:(\d+)%", html) == ["100", "53"]


def test_exactly_the_winning_segment_is_marked() -> None:
    html = cards.card(context(), 1, spans={})
    assert set(re.findall(r"<mark>(.*?)</mark>", html)) == {"The refund period is thirty days."}


def test_winners_far_apart_are_shown_with_the_text_between_left_out() -> None:
    text = "Alpha." + "x" * 900 + "Omega." + "y" * 900
    segments = [{"start": 0, "end": 6, "score": 1, "winner": True}, {"start": 906, "end": 912, "score": 1, "winner": True}]
    html = cards.card(context(text=text, start=0, segments=segments), 1, spans={})
    excerpt = html[: html.index("<details>")]
    assert re.findall(r"<mark>(.*?)</mark>", excerpt) == ["Alpha.", "Omega."]
    assert len(shown(excerpt)) < 800
    assert "x" * 900 in html


def test_an_excerpt_begins_between_words_and_shows_no_marks_of_headings() -> None:
    before = "It was said that parcels are never weighed twice by anybody who works in the shop, whatever they hold and cost"
    text = f"{before}\n\n## Refunds\n\nThe refund period is thirty days.\n\n### Shipping\n\n" + "It takes five working days. " * 9
    start = text.index("The refund")
    segments = [{"start": start, "end": text.index("\n\n### S"), "score": 1, "winner": True}]
    html = cards.card(context(text=text, start=0, segments=segments, source="terms.md"), 1, spans={})
    excerpt = html[html.index('<p class="gb-text">') : html.index("</p>")].removeprefix('<p class="gb-text">')
    assert excerpt == (
        "…Refunds\n"
        "<mark>The refund period is thirty days.</mark>\nShipping\n"
        "It takes five working days. It takes five working days. It takes five…"
    )
    assert "## Refunds" in html, "the whole passage is letter for letter"


def test_the_excerpt_of_a_passage_that_was_expected_shows_what_was_expected_of_it() -> None:
    text = "Some words. " * 30 + "Zebras graze inland. " + "More words. " * 30
    chunk = {"source": "a.txt", "text": text, "heading": None, "page": None}
    fate = {"base": "b", "exact": True, "legs": {}, "chunk": chunk}
    assert "…" + text[320:480] + "…" in shown(why.fate_html(fate | {"at": text.index("Zebras")}))
    assert "Zebras graze" in shown(why.fate_html(fate | {"at": text.index("Zebras")}))
    assert shown(why.fate_html(fate)).startswith("a.txt Some words."), "of an older version"


def test_without_winners_the_beginning_is_shown_up_to_the_end_of_a_word() -> None:
    html = cards.card(context(text="Some words here. " * 99, start=0, segments=[]), 1, spans={})
    assert re.search(r"gb-text\">Some words here\. .*(Some|words|here\.)…</p>", html)


def test_rank_changes() -> None:
    assert [shown(cards.rank_change(before, after)) for before, after in [(4, 2), (1, 3), (2, 2), (None, 1)]] == [
        "↑2",
        "↓2",
        "=",
        "new",
    ]


def test_scores_that_are_nearly_alike_have_bars_that_are() -> None:
    span = {"vector": (0.930, 0.934)}
    widths = []
    for score in (0.934, 0.930):
        html = cards.card(context(scores={"vector": {"rank": 1, "score": score}}), 1, spans=span)
        widths += re.findall(r"width:(\d+)%", html)
    assert widths == ["100", "96"]


def test_the_bars_span_the_scores_that_are_there() -> None:
    both = [context(), context(scores={"bm25": {"rank": 1, "score": 20.0}})]
    assert cards.ranges(both) == {"bm25": (12.34, 20.0), "fused": (1.5, 1.5)}


def test_why_not_found_shows_how_question_and_passage_were_parted() -> None:
    assert shown(why.question_html({"query_tokens": ["refund", "退款"]})) == "Full text looks for: refund 退款"
    assert "only words that stand everywhere" in shown(why.question_html({"query_tokens": []}))
    place = {"rank": 3, "score": 0.9, "of": 7, "recall_rank": 5}
    chunk = {"source": "a.txt", "text": "A refund period", "heading": None, "page": None}
    fate = {"base": "b", "exact": True, "legs": {"vector": place}, "chunk": chunk, "shared_words": ["refund"]}
    html = why.fate_html(fate | {"tokens": ["refund", "period"]})
    assert "How the index has this passage: 2 words" in shown(html)
    assert "<mark>refund</mark> · period" in html
    assert "#3 of 7; #5 by the mean of its parts" in shown(html)


@pytest.mark.parametrize(
    ("language", "note", "words"),
    [
        ("en", {"code": "needs_llm", "params": {"layer": "hyde"}}, "The layer Imagined answer (HyDE) needs"),
        ("zh", {"code": "needs_llm", "params": {"layer": "llm_filter"}}, "模型过滤 这一层需要语言模型"),
        ("zh", {"code": "leg_failed", "params": {"leg": "vector", "error": "x"}}, "向量 这一路出错，已略过：x"),
        (
            "en",
            {"code": "base_failed", "params": {"base": "b", "error": "Gone.", "told": GONE}},
            "b could not be searched and was left out: Gone.",
        ),
        ("zh", {"code": "base_failed", "params": {"base": "b", "error": "Gone.", "told": GONE}}, "已跳过：知识库已被删除"),
        ("zh", {"code": "needs_llm", "params": {"layer": "<b>"}}, "<b> 这一层"),
    ],
)
def test_a_note_calls_legs_layers_and_errors_as_the_page_does(language: str, note: dict[str, Any], words: str) -> None:
    strings.speak(language)
    try:
        said = ledger.note_words(note)
    finally:
        strings.speak("en")
    assert words in said.replace("\\", "").replace("*", "")


@settings(deadline=None)
@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_nothing_of_a_document_becomes_markup(text: str, name: str, heading: str, term: str) -> None:
    segment = {"start": 0, "end": max(1, len(text) // 2), "score": 1, "winner": True}
    scores = {name or "leg": {"rank": 1, "score": 1.0}}
    hostile = context(text=text, start=0, source=name, heading=heading, matched_terms=[term], segments=[segment], scores=scores)
    dropped = [{"chunk_id": "x", "source": name, "stage": heading, "reason": text}]
    stages = [{"name": term, "base": name, "query": 2, "ms": 1, "in": 0, "added": 1, "dropped": 0, "merged": 0, "out": 1}]
    retrieval = {
        "query": "q",
        "queries": [{"text": text, "kind": "k"}, {"text": name, "kind": heading, "legs": [term]}],
        "dropped": dropped,
        "stages": stages,
        "weights": {name: 1},
    }
    legs = {name: None, term: {"rank": 1, "score": 1, "of": 2}}
    chunk = {"source": name, "text": text, "heading": heading, "page": None}
    fate = {"base": name, "exact": False, "legs": legs, "chunk": chunk, "shared_words": [term], "tokens": [term, name, text]}
    made = [cards.card(hostile, 1, spans={}), ledger.steps(retrieval), ledger.losses(retrieval), ledger.summary(retrieval)]
    for html in (why.fate_html(fate, several_bases=True), why.question_html({"query_tokens": [text, term]}), *made):
        assert _tags(html) <= ALLOWED


def _tags(html: str) -> set[str]:
    """The tags that the HTML opens; fails on attributes, ends and comments that are not ours."""
    opened: set[str] = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            opened.add(tag)
            assert {name for name, _ in attrs} <= {"class", "style", "title", "colspan"}

        def handle_endtag(self, tag: str) -> None:
            assert tag in ALLOWED

        def handle_comment(self, data: str) -> None:
            raise AssertionError(f"a comment came through: {data}")

    Reader().feed(html)
    return opened


def test_the_ledger_shows_stages_and_counts_what_was_dropped_by_reason() -> None:
    stages = [{"name": "bm25", "ms": 2.345, "in": 0, "added": 7, "dropped": 0, "merged": 0, "out": 7}]
    dropped = [{"chunk_id": str(n), "source": f"{n}.md", "stage": "fused", "reason": "below_top_k"} for n in range(50)]
    dropped.append({"chunk_id": "z", "source": "z.md", "stage": "fused", "reason": "below_threshold"})
    assert "Full text 2.3 · 7 · · 7" in shown(ledger.steps({"stages": stages}))
    text = shown(ledger.losses({"dropped": dropped}))
    assert "Fused beyond the number of passages shown 50" in text
    assert "Fused below the least relevance 1" in text
    assert "The first 40 of 51" in text


def test_queries_and_stages_are_told_apart_where_there_are_several() -> None:
    queries = [{"text": "q", "kind": "original"}, {"text": "p", "kind": "paraphrase", "legs": ["bm25"], "weight": 0.25}]
    stages = [
        {"name": "bm25", "ms": 1.0, "in": 0, "added": 2, "out": 2, "query": 0, "base": "a"},
        {"name": "vector", "ms": 4.0, "in": 0, "added": 2, "out": 2, "query": 1, "base": "b"},
    ]
    html = ledger.steps({"queries": queries, "stages": stages})
    text = shown(html)
    assert "1 q the question all 1.00" in text
    assert "2 p paraphrase Full text 0.25" in text
    assert "Full text 1 a 1.0" in text
    assert "Vectors 2 b 4.0" in text
    assert re.findall(r"width:(\d+)%", html) == ["25", "100"]


def test_the_table_of_candidates_has_their_place_in_every_leg_and_what_became_of_them() -> None:
    lost = {"chunk_id": "d1", "source": "b.md", "stage": "fused", "reason": "below_top_k", "scores": {}}
    near = lost | {"chunk_id": "d2", "scores": {"mmr": {"rank": 3, "score": 0.5}}}
    table = trace.candidates({"contexts": [context()], "dropped": [lost, near]})
    assert table["Chunk"] == ["c1", "d2", "d1"]
    assert table["Outcome"][:2] == ["shown", "lost at Fused: beyond the number of passages shown"]
    assert table["Full text #"] == [2, None, None]
    assert table["Full text"] == [12.34, None, None]
    assert table["Diversity #"] == [None, 3, None]
    assert trace.candidates({"contexts": [], "dropped": []}) == {}


def test_the_summary_shows_evidence_weights_and_further_queries() -> None:
    queries = [{"text": "q", "kind": "original"}, {"text": "other words", "kind": "paraphrase"}]
    stages = [{"name": "bm25", "ms": 3.0}, {"name": "vector", "ms": 4.5}]
    found = {"query": "q", "queries": queries, "evidence": 0.934, "weights": {"bm25": 0.25, "vector": 0.75}, "stages": stages}
    text = shown(ledger.summary(found))
    assert "evidence 0.89 (0.90 needed)" in shown(ledger.summary({"evidence": 0.8996}, needed=0.9))
    for part in ("evidence 0.93", "Full text × 0.25", "Vectors × 0.75", "7.5 ms", "Also searched: other words"):
        assert part in text


def test_a_passage_over_several_pages_names_them_all() -> None:
    assert cards.where(context(page=2, later_pages=[[3, 120], [4, 130]], heading=None)) == "p. 2–4"
    assert cards.where(context(page=2, later_pages=[], heading=None)) == "p. 2"
    assert cards.where(context(page=None, heading=None)) == ""


def test_the_legs_come_before_their_fusion_and_later_stages_behind() -> None:
    assert cards.in_order(["vector", "rerank", "fused", "bm25", "pairs", "mmr", "bm25"]) == [
        "bm25",
        "pairs",
        "vector",
        "fused",
        "rerank",
        "mmr",
    ]


def test_a_passage_of_a_table_names_its_sheet_and_rows_in_both_languages() -> None:
    table = context(page=None, heading="Q1", sheet="Q1", rows=[12, 31])
    try:
        assert cards.where(table) == "Q1, rows 12 to 31"
        assert cards.where(table | {"rows": [12, 12]}) == "Q1, row 12"
        assert cards.where(table | {"sheet": None, "heading": None}) == "rows 12 to 31"
        assert cards.where(table | {"page": 2, "heading": "Q1 / East"}) == "p. 2 · Q1, rows 12 to 31 · Q1 / East"
        strings.speak("zh")
        assert cards.where(table) == "工作表 Q1，第 12–31 行"
        assert "第 12 行" in cards.card(table | {"rows": [12, 12]}, 1, spans={})
    finally:
        strings.speak("en")
    assert cards.table_place(context()) == ""
    hostile = cards.card(table | {"sheet": "<img src=x onerror=alert(1)>"}, 1, spans={})
    assert "<img" not in hostile


def test_a_corrected_passage_is_marked_and_shows_what_the_document_says() -> None:
    plain = cards.card(context(), 1, spans={})
    assert "gb-edited" not in plain
    drawn = cards.card(context(edited=True, original="It was <b>sixty</b> days."), 1, spans={})
    assert "gb-edited" in drawn
    assert ">corrected</span>" in drawn, "the word that the page of the passages uses"
    assert "It was &lt;b&gt;sixty&lt;/b&gt; days." in drawn


def test_a_passage_that_a_model_wrote_about_a_picture_is_marked() -> None:
    drawn = cards.card(context(by_model="<b>seer"), 1, spans={})
    assert ">written by a model</span>" in drawn
    assert "A model (&lt;b&gt;seer) wrote this" in drawn
    assert "written by a model" not in cards.card(context(), 1, spans={})


def test_a_card_says_who_wrote_the_document_and_when() -> None:
    assert "Ann &lt;b&gt; · 2024-05" in cards.card(context(author="Ann <b>", created="2024-05"), 1, spans={})
