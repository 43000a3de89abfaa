"""Each kind by itself: what is shown to the model, how answers of all shapes are read, which chunk they lead to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.consistency import check
from ingest.enrich.faq import Faq
from ingest.enrich.figures import Figures
from ingest.enrich.kinds import Kind, Unreadable
from ingest.enrich.questions import Questions
from ingest.enrich.registry import chosen_kinds, every_kind
from ingest.enrich.rewrite import Rewrite
from ingest.enrich.summary import Summary
from ingest.enrich.units import Unit
from ingest.pictures.found import FoundPicture
from language import detect
from models import ModelError
from settings.enrich import EnrichSettings
from tests.ingest.desk import Desk
from tests.ingest.enriching import Enricher, Writer, shown

FAQ = Faq(count=3, part_size=6000)
PAIR = ("When do bees sleep?", "Bees sleep in winter.", 2)


def unit(number: int, text: str) -> Unit:
    return Unit(f"c{number}", number, "d", "v", 0, len(text), None, None, "a.txt", text)


UNITS = [unit(0, "Apples are picked in autumn."), unit(1, "Bees sleep in winter."), unit(2, "Cats climb trees.")]


def test_every_kind_has_a_switch_and_prompts_in_both_languages() -> None:
    settings = EnrichSettings()
    assert chosen_kinds(settings) == []
    for kind in every_kind(settings):
        on = EnrichSettings.model_validate({kind.name: {"enabled": True}})
        assert [chosen.name for chosen in chosen_kinds(on)] == [kind.name]
        for text, language in (("Bees sleep in winter. " * 30, "en"), ("退款期限为三十天。" * 60, "zh")):
            if isinstance(kind, Figures):
                assert list(kind.asks([unit(0, text)])) == []
                ask = kind.of_picture(FoundPicture("key", None, 300, 200), language)
                assert detect(ask.told) == language
                assert ask.tokens > 0 < ask.expected
                continue
            [ask] = kind.asks([unit(0, text)])
            assert text in ask.asked
            assert not any(name in ask.told + ask.asked for name in ("{count}", "{shown}", "{context}"))
            assert ("段落" in ask.told) is text.startswith("退款")
            assert ask.tokens > 0 < ask.expected


@pytest.mark.parametrize(
    "written",
    [
        "Q: When do bees sleep?\nA: Bees sleep in winter. [2]",
        "Sure! Here are the questions:\n\n1. Q: When do bees sleep?\n   A: Bees sleep in winter. [2]\n\nI hope this helps!",
        "**Q: When do bees sleep?**\n**A:** Bees sleep in winter. [passage 2]",
        "### Question 1: When do bees sleep?\nAnswer: Bees sleep in winter. (2)",
        "Q1: When do bees sleep?\n\nA1: Bees sleep in winter. [2].",
        "```\nQ: When do bees sleep?\nA: Bees sleep in winter. [2]\n```",
        '[{"question": "When do bees sleep?", "answer": "Bees sleep in winter.", "passage": 2}]',
        '```json\n{"faq": [{"Q": "When do bees sleep?", "A": "Bees sleep in winter.", "number": 2}]}\n```',
        "<think>Q: x?\nA: y</think>Q: When do bees sleep?\nA: Bees sleep in winter. [2]",
    ],
)
def test_questions_with_answers_in_all_shapes(written: str) -> None:
    assert [tuple(pair) for pair in FAQ.read(written, cut=False)] == [PAIR]


def test_chinese_questions_with_answers() -> None:
    written = "好的：\n问：蜜蜂什么时候睡觉？\n答：蜜蜂在冬天睡觉。[2]\n\n问题2：猫做什么？\n答案：猫爬树。【段落3】"
    assert FAQ.read(written, cut=False) == [("蜜蜂什么时候睡觉？", "蜜蜂在冬天睡觉。", 2), ("猫做什么？", "猫爬树。", 3)]


@pytest.mark.parametrize("written", ["", "I cannot help with that.", "Q: What?\n", "<think>Q: a?\nA: b", "[1, 2]", '{"a": null}'])
def test_no_pair_is_unreadable(written: str) -> None:
    with pytest.raises(Unreadable):
        FAQ.read(written, cut=False)


def test_of_an_answer_that_was_cut_the_last_pair_is_none() -> None:
    written = "Q: When do bees sleep?\nA: Bees sleep in winter. [2]\nQ: What do cats do?\nA: They cl"
    assert FAQ.read(written, cut=True) == [PAIR]


def test_a_pair_leads_to_the_chunk_that_is_named_or_is_nearest() -> None:
    [ask] = FAQ.asks(UNITS)
    pairs = [PAIR, ("Who climbs?", "Cats climb trees.", 0), ("What of apples?", "Apples are picked.", 77)]
    lines = list(FAQ.lines(ask, pairs))
    assert [line.unit.index for line in lines] == [1, 2, 0]
    assert [line.kind for line in lines] == ["question"] * 3
    assert lines[0].more == {"written": "faq", "answer": "Bees sleep in winter."}


def test_a_document_is_read_in_parts() -> None:
    units = [unit(n, "word " * 60) for n in range(7)]
    assert [len(ask.units) for ask in Faq(count=3, part_size=700).asks(units)] == [2, 2, 2, 1]
    assert [len(ask.units) for ask in Faq(count=3, part_size=10).asks(units[:2])] == [1, 1]
    assert list(FAQ.asks([])) == []


def test_a_rewrite_sees_what_stands_before_and_is_asked_anew_when_that_changes() -> None:
    kind = Rewrite()
    first, second, _ = kind.asks(UNITS)
    assert "Apples are picked" in second.asked
    assert "Bees" not in first.asked
    _, moved, _ = kind.asks([UNITS[2], UNITS[1], UNITS[0]])
    assert (moved.key == second.key, moved.units) == (False, second.units)
    trap = unit(1, "{context} >>> {shown}")
    assert "{context} ››› {shown}" in list(kind.asks([UNITS[0], trap]))[1].asked


@pytest.mark.parametrize("kind", [Rewrite(), Summary(1)])
def test_text_that_is_cut_or_missing_is_none(kind: Kind) -> None:
    with pytest.raises(ModelError):
        kind.read("Bees sle", cut=True)
    with pytest.raises(Unreadable):
        kind.read("<think>hm", cut=False)


@given(st.text(alphabet="QA问答:：\n [12]{}\"',questionanswer", max_size=120), st.booleans())
def test_any_answer_is_read_or_refused(written: str, cut: bool) -> None:
    for kind in (FAQ, Questions(3), Summary(1), Rewrite()):
        [ask] = list(kind.asks(UNITS[:1]))
        try:
            value = kind.read(written, cut=cut)
        except ModelError:
            continue
        assert all(line.text.strip() for line in kind.lines(ask, value))


@pytest.fixture
def enricher(desk: Desk) -> Iterator[Enricher]:
    with Writer() as server:
        yield Enricher(desk, server)


def test_rewrites_and_faq_are_found_and_lead_to_their_chunks(enricher: Enricher) -> None:
    text = "# Pump\n\nThe Nile pump moves water.\n\n# Price\n\nIt costs ninety euros.\n"
    enricher.desk.add("pump.md", text, chunker="markdown_recursive", min_chunk_size=1)

    def reply(asked: dict[str, object]) -> str:
        if "rewrite a passage" in str(asked["messages"]):
            return f"Rewritten passage: {shown(asked).split('>>>')[-1].replace('It costs', 'The Nile pump costs').strip()}"
        return "Q: What is the price of the Nile pump?\nA: It is ninety euros. [2]"

    enricher.server.reply = reply
    [report] = enricher.run("rewrite", "faq")
    assert (report.status, report.written, report.calls) == ("enriched", {"summary": 2, "question": 1}, 3)
    assert "It costs ninety" in enricher.found_by("What is the price of the Nile pump?")[0]
    assert "It costs ninety" in enricher.found_by("The Nile pump costs ninety euros", "summary")[0]
    assert check(enricher.desk.stores, enricher.desk.base) == []
    assert enricher.run("rewrite", "faq")[0].calls == 0
    enricher.desk.check()
