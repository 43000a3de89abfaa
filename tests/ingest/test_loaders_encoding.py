"""Files in every encoding that people still have come out as the same text, and the report names the encoding."""

from __future__ import annotations

import codecs

import pytest

from ingest.errors import UnreadableFile
from ingest.loaders.clean import clean
from tests.ingest.loading import load_one

HANS = "本公司的退货期限为三十天，请保留发票并联系客服人员。"
HANT = "本公司的退貨期限為三十天，請保留發票並聯絡客服人員。"
JAPANESE = "返品の期限は三十日以内です。領収書を保管してください。"
KOREAN = "환불 기간은 구매일로부터 삼십 일입니다."
GERMAN = "Die schöne Frau hat einen Kaffee für 15,50 € bestellt."


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (HANS, "gbk", "gbk"),
        (HANT, "gbk", "gbk"),
        (HANS + "㐂𠮷😀", "gb18030", "gb18030"),
        (HANT, "big5", "big5"),
        (HANT + "嘅啲", "big5hkscs", "big5hkscs"),
        (JAPANESE, "shift_jis", "shift_jis"),
        ("名前,年齢\n髙橋淳,35\n", "cp932", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (JAPANESE, "iso2022_jp", "iso2022_jp"),
        (KOREAN, "euc_kr", "euc_kr"),
        (KOREAN + " 똠방각하", "cp949", "cp949"),
        (GERMAN, "cp1252", "cp1252"),
        ("L’été était très chaud – “déjà”.", "cp1252", "cp1252"),
        ("können", "latin-1", "cp1252"),
        ("Срок возврата составляет тридцать дней.", "cp1251", "cp1251"),
        ("Срок возврата составляет тридцать дней.", "koi8-r", "koi8-r"),
        ("Proszę zachować rachunek i skontaktować się z obsługą.", "cp1250", "cp1250"),
        ("Η προθεσμία επιστροφής είναι τριάντα ημέρες.", "cp1253", "cp1253"),
        (HANS, "utf-8", "utf-8"),
        ("Größe", "utf-8", "utf-8"),
        ("é", "utf-8", "utf-8"),
        ("谢谢", "utf-8", "utf-8"),
        ("The refund window is thirty days.\nKeep the receipt.", "cp037", "cp037"),  # charset-normalizer's part
        ("plain", "ascii", "utf-8"),
    ],
)
def test_a_line_is_read_right_and_its_encoding_named(text: str, codec: str, name: str) -> None:
    document = load_one("a.txt", text.encode(codec))
    assert document.page_content == text
    assert document.metadata["encoding"] == name
    assert 0.5 <= document.metadata["encoding_confidence"] <= 1


@pytest.mark.parametrize("text", [HANS, HANT, JAPANESE, KOREAN, GERMAN, "Refund window: thirty days", "a,b\n1,2"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_utf_16_and_32_without_a_mark(text: str, codec: str) -> None:
    document = load_one("a.txt", text.encode(codec))
    assert document.page_content == text
    assert document.metadata["encoding"] == codec


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html"])
def test_the_mark_of_byte_order_is_obeyed_and_removed(mark: bytes, codec: str, name: str) -> None:
    document = load_one(name, mark + "名称,价格\n麻婆豆腐,28\n".encode(codec))
    assert document.page_content.startswith("名称")
    assert "麻婆豆腐" in document.page_content
    assert document.metadata["encoding"] == codec


@pytest.mark.parametrize("length", [6, 12, 30])
def test_short_pieces_of_chinese_are_never_taken_for_another_encoding(length: int) -> None:
    for text, codec in ((HANS * 2, "gbk"), (HANT * 2, "big5"), (HANS * 2, "utf-16-le"), (HANS * 2, "utf-16-be")):
        for start in range(26):
            piece = text[start : start + length]
            assert load_one("a.txt", piece.encode(codec)).page_content == piece, (codec, piece)


@pytest.mark.parametrize("text", ["Bush hid the facts", "this app can break", "AN", "2024-11-15", "DEADBEEF", "hello,world!"])
def test_plain_english_of_even_length_is_not_taken_for_utf_16(text: str) -> None:
    assert load_one("a.txt", text.encode()).page_content == text


def test_the_telling_line_may_come_late() -> None:
    text = "An English line.\n" * 4000 + HANS + "\n"
    assert load_one("a.txt", text.encode("gbk")).page_content == text


def test_one_bad_byte_does_not_turn_a_file_into_another_language() -> None:
    data = (HANS * 20).encode()
    document = load_one("a.txt", data + b"\xff" + data)
    assert document.metadata["encoding"] == "utf-8"
    assert document.page_content == HANS * 20 + "\ufffd" + HANS * 20


def test_a_coin_toss_is_reported_as_one() -> None:
    sure = load_one("a.txt", HANS.encode("gbk")).metadata["encoding_confidence"]
    unsure = load_one("a.txt", "年齢".encode("euc_jp")).metadata["encoding_confidence"]
    assert unsure < 0.9 < sure


def test_characters_that_break_storage_are_gone_and_line_ends_are_one_kind() -> None:
    text = "one\r\ntwo\rthree\x0bfour\u2028five\x00six\x07seven\ufeff\ufffeei\xadg\u200bht\x1b[31mred\x1b[0m\n"
    assert load_one("a.txt", text.encode()).page_content == "one\ntwo\nthree\nfour\nfivesixseveneightred\n"


def test_utf_16_that_begins_with_a_nul_is_not_utf_32() -> None:
    assert load_one("a.txt", codecs.BOM_UTF16_LE + "\0退款期限".encode("utf-16-le")).page_content == "退款期限"


def test_a_lone_surrogate_is_replaced() -> None:
    assert clean("a\ud800b") == "a\ufffdb"
    data = "退款".encode("utf-16-le") + b"\x00\xd8" + "期限为三十天，请保留发票。".encode("utf-16-le")
    text = load_one("a.txt", codecs.BOM_UTF16_LE + data).page_content
    assert text.startswith("退款\ufffd")
    text.encode("utf-8")


@pytest.mark.parametrize("data", [b"", b"\n\n\n", b" \t\r\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html"])
def test_an_empty_file_is_an_empty_text_not_an_error(name: str, data: bytes) -> None:
    assert not load_one(name, data).page_content.strip()


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html"])
def test_binary_content_is_refused_with_the_reason(name: str) -> None:
    data = bytes(range(256)) * 20
    with pytest.raises(UnreadableFile, match=rf"^{name}: the content is binary, not text\. .*UTF-8"):
        load_one(name, data)
