"""Abbreviations: what texts explain, in both languages; expansion in both directions; the model for the rest."""

import pytest

from retrievers.queries.abbreviations import Abbreviations
from retrievers.queries.glossary import Glossary, Meanings
from retrievers.queries.short_forms import Pair, best_long_form, pairs_in
from retrievers.queries.writer import Expansions, QueryWriter
from tests.models.endpoints import chat_at
from tests.retrievers.conftest import Shelf
from tests.servers import ModelServer

EXPLAINED = {
    "We use Virtual Reality (VR) here.": [("VR", "Virtual Reality")],
    "VR (Virtual Reality) is new.": [("VR", "Virtual Reality")],
    "the Internet of Things (IoT)": [("IoT", "Internet of Things")],
    "a messenger RNA (mRNA) vaccine": [("mRNA", "messenger RNA")],
    "heat shock protein 70 (HSP70)": [("HSP70", "heat shock protein 70")],
    "retrieval-augmented generation (RAG)": [("RAG", "retrieval-augmented generation")],
    "Key Performance Indicators (KPIs, see below)": [("KPIs", "Key Performance Indicators")],
    "虚拟现实（VR）": [("VR", "虚拟现实")],
    "我们采用虚拟现实（VR）技术": [("VR", "虚拟现实")],
    "VR（虚拟现实）": [("VR", "虚拟现实")],
    "公司使用虚拟专用网络（VPN）连接": [("VPN", "虚拟专用网络")],
    "支持向量机（SVM）": [("SVM", "支持向量机")],
    "系统支持应用程序接口（API）": [("API", "应用程序接口")],
    "采用面向对象编程（OOP）": [("OOP", "面向对象编程")],
    "这是对等网络（P2P）": [("P2P", "对等网络")],
    "目前在通用人工智能（AGI）": [("AGI", "通用人工智能")],
    "由国际标准化组织（ISO）制定": [("ISO", "国际标准化组织")],
    "数据发送到边缘计算（EC）": [("EC", "边缘计算")],
    "“客户关系管理”（CRM）": [("CRM", "客户关系管理")],
    "北京大学（简称北大）": [("北大", "北京大学")],
    "我在北京大学（北大）读书": [("北大", "北京大学")],
    "企业资源计划（Enterprise Resource Planning, ERP）": [("ERP", "企业资源计划"), ("ERP", "Enterprise Resource Planning")],
    "人工智能(AI，Artificial Intelligence)": [("AI", "人工智能"), ("AI", "Artificial Intelligence")],
    "使用自然语言处理（NLP）与机器学习（ML）": [("NLP", "自然语言处理"), ("ML", "机器学习")],
}


@pytest.mark.parametrize("text", EXPLAINED)
def test_a_text_explains(text: str) -> None:
    assert list(pairs_in(text)) == [Pair(*pair) for pair in EXPLAINED[text]]


@pytest.mark.parametrize(
    "text",
    ["we saw it (see below)", "in the year (2023)", "some text (Figure 2)", "(VR) first", "foo (A) bar",
     "any words (XYZ)", "文字（如下）", "He knew it. Is (it small)", "(" * 500]
)  # fmt: skip
def test_brackets_that_explain_nothing(text: str) -> None:
    assert list(pairs_in(text)) == []


def test_the_first_character_begins_a_word() -> None:
    assert best_long_form("TS", "artefacts of the system") == "the system"
    assert best_long_form("XS", "artefacts of the system") is None


def test_both_directions_and_whole_words_only() -> None:
    known = Meanings(
        [Pair("VR", "Virtual Reality"), Pair("VR", "虚拟现实"), Pair("IT", "Information Technology"), Pair("北大", "北京大学")]
    )
    assert known.of("What is VR?") == known.of("vr headset") == ["Virtual Reality", "虚拟现实"]
    assert known.of("a virtual reality headset") == known.of("虚拟现实设备") == ["VR"]
    assert known.of("VR, that is Virtual Reality") == ["虚拟现实"]
    assert known.of("is it good?") == known.of("virtual realityx") == known.of("Pivrot") == []
    assert known.of("the IT department") == ["Information Technology"]
    assert known.of("北大在哪里") == known.of("北大在哪裡") == ["北京大学"]


@pytest.mark.parametrize("question", ["臺大在哪裡？", "台大在哪里？"])
def test_an_abbreviation_of_either_script_is_explained_in_the_other(shelf: Shelf, question: str) -> None:
    shelf.add("tw.txt", "我在臺灣大學（臺大）讀書。")
    assert Glossary(shelf.store).meanings.of(question) == ["台湾大学"]
    assert Glossary(shelf.store).meanings.of("臺灣大學") == ["台大"]


def test_the_beginning_of_a_chinese_name_is_what_its_mentions_share() -> None:
    assert Meanings([Pair("VR", "大力推广虚拟现实"), Pair("VR", "研究虚拟现实")]).long_forms == {"VR": ("虚拟现实",)}


def test_the_base_explains_and_is_read_again_when_it_changes(shelf: Shelf) -> None:
    shelf.add("vr.txt", "Virtual Reality (VR) shows worlds.")
    glossary = Glossary(shelf.store)
    layer = Abbreviations(glossary, shelf.statistics)
    assert [(q.text, q.kind, q.legs) for q in layer.queries("Where is VR used?")] == [
        ("VR used Virtual Reality", "abbreviation", ("bm25",))
    ]
    assert layer.queries("Where is AR used?") == []
    before = glossary.meanings
    assert glossary.meanings is before
    shelf.add("ar.txt", "Augmented Reality (AR) adds to them.")
    assert [q.text for q in layer.queries("Where is AR used?")] == ["AR used Augmented Reality"]


def test_the_model_is_asked_for_what_the_base_does_not_explain_and_believed_where_letters_fit(shelf: Shelf) -> None:
    shelf.add("vr.txt", "Virtual Reality (VR) shows worlds.")
    words = "Sure:\n- **AR** = Augmented Reality\n- XR: something else\n- QA = Question Answering"
    with ModelServer(words=[words]) as server:
        writer = QueryWriter(chat_at(server), name="talker", expansions=Expansions())
        layer = Abbreviations(Glossary(shelf.store), shelf.statistics, writer)
        assert [q.text for q in layer.queries("Is VR known?")] == ["VR known Virtual Reality"]
        assert server.requests == []
        assert [q.text for q in layer.queries("Is AR like XR?")] == ["AR like XR Augmented Reality"]
        assert len(server.requests) == 1


def test_what_the_abbreviation_stands_for_is_found(shelf: Shelf) -> None:
    shelf.add("intro.txt", "Our laboratory studies Virtual Reality (VR).")
    shelf.add("headset.txt", "A virtual reality headset must be charged for two hours.")
    query = Abbreviations(Glossary(shelf.store), shelf.statistics).queries("VR")[0]
    by_words = [{d.metadata["source"] for d, _ in shelf.searched.hits.text(text, depth=5)} for text in ("VR", query.text)]
    assert by_words == [{"intro.txt"}, {"intro.txt", "headset.txt"}]
