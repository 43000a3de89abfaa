"""One form for both scripts: places stay, Japanese stays, and both scripts have the same terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language import content_terms, folded, indexed_form, only_stop_words, term_set, terms, without_stop_words

CHINESE = st.text(st.one_of(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), st.sampled_from("a1，豈𠀀 後乾隆")))


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("資料庫備份與後台設定", "资料库备份与后台设定"),
        ("臺灣大學的圖書館裡", "台湾大学的图书馆里"),
        ("説明、綫路、裏面", "说明、线路、里面"),
        ("餅乾與特徵", "饼干与特征"),
        ("已是简体 and English", "已是简体 and English"),
        ("\uf900\uf96b", "岂参"),  # twice in Unicode
        ("薴", "苎"),
    ],
)
def test_traditional_characters_become_simplified_ones(written: str, same: str) -> None:
    assert folded(written) == same
    assert indexed_form(written) == same
    assert terms(written) == terms(same)
    assert term_set(written) == term_set(same)


@given(st.one_of(CHINESE, st.text()))
def test_folding_keeps_the_length_each_place_and_what_is_folded_already(text: str) -> None:
    same = folded(text)
    assert len(same) == len(text)
    assert folded(same) == same
    assert same == "".join(map(folded, text))
    assert len(terms(text)) == len(terms(same))


@pytest.mark.parametrize("text", ["乾隆皇帝写过这首诗。", "著名的特徵（宫商角徵羽）是这样的。", "软件安装说明 v2"])
def test_simplified_text_is_indexed_as_it_is(text: str) -> None:
    assert indexed_form(text) == text


def test_japanese_and_korean_keep_their_characters_and_narrow_kana_become_wide() -> None:
    for text in ("開発環境の設定について", "한국의 電話 번호를 알려 주세요"):
        assert indexed_form(text) == text
    assert indexed_form("ﾃﾞｰﾀの時間") == "データの時間"


def test_a_word_is_told_as_it_was_written() -> None:
    assert content_terms("備份") == {"备份": "備份"}
    assert list(content_terms("ＡＢＣ公司１２３號").values()) == ["ABC", "公司", "123", "號"]


@pytest.mark.parametrize(("query", "left"), [("什麼是備份嗎", "是備份"), ("為什麼後台慢？", "後台慢？"), ("哪個軟體", "軟體")])
def test_stop_words_of_either_script_are_cut_out_and_the_rest_stays_as_written(query: str, left: str) -> None:
    assert without_stop_words(query) == left
    assert only_stop_words("什麼是哪個？") is only_stop_words("什么是哪个？")
