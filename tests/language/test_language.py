"""Language: widths, sentences with exact spans, terms that fit both languages, stop words that leave something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language import content_terms, detect, is_cjk, sentences, terms, width, without_particles, without_stop_words

TEXT = st.text(
    alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("ab c.。！？\n\n，,中文 字")), max_size=400
)


@pytest.mark.parametrize(("text", "expected"), [("abc", 3), ("中文", 5), ("a中", 3.5), ("", 0), ("，。！", 7.5)])
def test_width_counts_a_cjk_character_as_two_and_a_half(text: str, expected: float) -> None:
    assert width(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is RAG?", "en"),
        ("什么是 RAG？", "zh"),
        ("これは日本語です", "ja"),
        ("한국어 문장입니다", "ko"),
        ("123", "en"),
        ("", "en"),
    ],
)
def test_detect(text: str, expected: str) -> None:
    assert detect(text) == expected


def test_sentences_of_two_languages_in_one_text() -> None:
    text = "Mr. Smith left. 你好！今天天气怎么样？\n\nVersion 2.0 is out! "
    assert [text[a:b] for a, b in sentences(text)] == ["Mr. Smith left.", "你好！", "今天天气怎么样？", "Version 2.0 is out!"]


def test_a_hundred_chinese_sentences_are_a_hundred() -> None:
    assert len(sentences("这是一个很短的句子。" * 100)) == 100


def test_lines_of_a_chat_are_sentences_and_wrapped_prose_is_not_cut() -> None:
    chat = "Anna: see you at the station tomorrow morning\nBen: fine"
    assert [chat[a:b] for a, b in sentences(chat)] == chat.split("\n")
    prose = "The council decided in its spring session that the\nbridge would be repaired."
    assert len(sentences(prose)) == 1


def test_text_without_punctuation_is_cut_to_the_bound_and_prefers_a_blank() -> None:
    assert all(width("字" * (b - a)) <= 450 for a, b in sentences("字" * 100_000))
    words = "word " * 500
    assert all(words[a:b].startswith("word") and words[a:b].endswith("word") for a, b in sentences(words))


@given(TEXT, st.integers(5, 200))
def test_sentences_are_ordered_bounded_and_cover_every_character(text: str, longest: int) -> None:
    spans = sentences(text, longest=longest)
    covered: set[int] = set()
    end = 0
    for span in spans:
        assert end <= span.start < span.end
        assert width(text[span.start : span.end]) <= max(longest, 2.5)
        assert text[span.start : span.end].strip()
        covered.update(range(span.start, span.end))
        end = span.end
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)


@given(TEXT)
def test_sentences_of_a_part_are_inside_it(text: str) -> None:
    half = len(text) // 2
    assert all(half <= a < b for a, b in sentences(text, start=half))


def test_terms_ignore_case_accents_and_endings() -> None:
    assert terms("Refund window is thirty days.")[0] == terms("REFUNDS")[0]
    assert set(terms("Café")) == set(terms("cafe"))


def test_terms_of_chinese_are_bigrams_and_part_from_latin() -> None:
    assert terms("ERP审批流程") == ["erp", "审批", "批流", "流程"]
    assert set(terms("手机")) <= set(terms("新手机发布"))


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("Who created Python and when?", "created Python"),
        ("谁创造了Python？", "创造 Python？"),
        ("今天天气怎么样？", "今天天气 ？"),
        ("what is it", "what is it"),
        ("What does VPN stand for?", "VPN ?"),
        ("Why do flags stand for nations?", "flags stand nations?"),
        ("What is the meaning of entropy?", "entropy?"),
        ("What is the full name of the founder?", "full name founder?"),
        ("What does it mean?", "What does it mean?"),
        ("VPN是什么意思？", "VPN ？"),
        ("VPN 的全称是什么？", "VPN ？"),
        ("GDP代表什么？", "GDP ？"),
        ("什么意思？", "什么意思？"),
    ],
)
def test_stop_words_leave_the_query_when_nothing_else_remains(query: str, left: str) -> None:
    assert without_stop_words(query) == left


def test_content_terms_do_not_cross_a_stop_word() -> None:
    assert list(content_terms("退款的期限是什么？")) == ["退款", "期限"]


def test_content_terms_remember_the_word_as_written() -> None:
    assert content_terms("Which Defences did ERP审批 have?") == {"defenc": "Defences", "erp": "ERP", "审批": "审批"}


@given(TEXT)
def test_terms_and_stop_words_take_any_text(text: str) -> None:
    assert all(terms(text))
    assert isinstance(without_stop_words(text), str)
    assert all(is_cjk(c) in (True, False) for c in text)


def test_particles_are_cut_out_as_words_only() -> None:
    tokens = ["我", "的", "目的", "是", "什么", "了解", "了", "吗"]
    assert without_particles("我的目的是什么了解了吗", tokens) == "我 目的 什么了解"
    assert without_particles("的吗", ["的", "吗"]) == "的吗"
    assert without_particles("running 的 shops", ["run", "的", "shop"]) == "running shops"
