"""Pages whose fonts do not tell their letters are read by OCR, or say that they need it; those that tell them are left alone."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

import pytest

from ingest.loaders import get_loader
from ingest.loaders.pdf.nonsense import agrees, is_unlike_language
from settings.ingest import IngestSettings, OcrSettings
from tests.ingest.loading import load_one
from tests.ingest.pdf_pages import draw_in
from tests.ingest.test_remarks import told

SIZE = 330, 120
LINES = [
    "The refund window is thirty days from the",
    "day of purchase. Keep the receipt: without",
    "it the shop can only offer a credit note.",
]
ENGLISH = " ".join(LINES)
CHINESE = "退款期限为三十天。请保留收据，并在期限内联系客服人员办理。到期后商店只能提供代金券，而且需要经理批准。"
HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding"
SHAPES = (
    "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 32 /LastChar 126"
    f" /Widths [{'600 ' * 95}] /Encoding << /Differences [32 {' '.join(f'/a{n}' for n in range(95))}] >>"
    f" /CharProcs << {' '.join(f'/a{n} 7 0 R' for n in range(95))} >>"
)
"""A font of shapes that have names of their own."""


def meaning(rule: Callable[[str], str]) -> dict[str, str]:
    return {ch: rule(ch) for ch in sorted({*ENGLISH})}


SHUFFLED = str.maketrans(
    string.ascii_letters, "qxzjkvbpygfwmucldrhsnioatePQZJKVBXYGFWMUCLDRHSNIOATE"[: len(string.ascii_letters)]
)
WRONG = {
    "glyph numbers": lambda ch: chr(max(3, ord(ch) - 29)),
    "numbers as they came": lambda ch: ch if ch == " " else chr(0x21 + [*dict.fromkeys(ENGLISH.replace(" ", ""))].index(ch)),
    "shuffled": lambda ch: ch.translate(SHUFFLED),
    "private": lambda ch: chr(0xE000 + ord(ch)),
    "unknown": lambda ch: "\ufffd",
    "none": lambda ch: "\0",
    "controls": lambda ch: chr(1 + ord(ch) % 8),
    "ideographs": lambda ch: ch if ch == " " else chr(0x6000 + 37 * ord(ch)),
    "many scripts": lambda ch: ch if ch == " " else chr([0x0531, 0x10A0, 0x13A0, 0x1401, 0x0E01][ord(ch) % 5] + ord(ch) % 30),
}


def read_without_ocr(data: bytes):
    [page] = get_loader("a.pdf", data, IngestSettings(ocr=OcrSettings(enabled=False))).lazy_load()
    return page


@pytest.mark.parametrize("kind", WRONG)
def test_a_font_that_tells_other_letters_than_it_shows_needs_ocr(kind: str) -> None:
    page = read_without_ocr(draw_in(HELVETICA, LINES, means=meaning(WRONG[kind]), size=SIZE))
    assert page.metadata["ocr_needed"] == "nonsense_off"


def test_its_page_is_read_as_it_looks() -> None:
    page = load_one("a.pdf", draw_in(HELVETICA, LINES, means=meaning(WRONG["glyph numbers"]), size=SIZE))
    assert page.page_content == ENGLISH
    assert page.metadata["ocr_confidence"] > 0.9
    assert "ocr_needed" not in page.metadata


def test_codes_that_are_no_language_stay_as_the_page_tells_them() -> None:
    """OCR reads the same, but for a letter here and there."""
    draw = random.Random(4)
    codes = ["".join(draw.choices("BCDFGHJKLMNPQRSTVWXZ", k=30)) for _ in range(3)]
    data = draw_in(HELVETICA, codes, size=SIZE)
    assert read_without_ocr(data).metadata["ocr_needed"] == "nonsense_off"
    page = load_one("a.pdf", data)
    assert page.page_content.split() == codes
    assert page.metadata.keys().isdisjoint({"ocr_confidence", "ocr_needed"})


def test_shapes_without_names_are_believed_if_they_read_as_a_language() -> None:
    assert read_without_ocr(draw_in(SHAPES, LINES, size=SIZE)).page_content == ENGLISH
    assert "ocr_needed" not in read_without_ocr(draw_in(SHAPES, LINES, size=SIZE)).metadata
    few = read_without_ocr(draw_in(SHAPES, ["7KH UHIXQG"], size=SIZE))
    assert few.metadata["ocr_needed"] == "nonsense_off", "too few to judge by"


def test_shapes_that_cannot_be_read_either_are_told() -> None:
    assert load_one("a.pdf", draw_in(SHAPES, ["7KH UHIXQG"], size=SIZE)).metadata["ocr_needed"] == "nonsense_failed"


def test_the_report_names_the_pages_and_the_remedy_once(desk) -> None:
    data = draw_in(HELVETICA, LINES, means=meaning(WRONG["private"]), size=SIZE)
    assert told(desk, "a.pdf", data, **{"ocr.enabled": False}) == [("pages_nonsense_off", {"pages": 1})]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ENGLISH,
        ENGLISH.upper(),
        CHINESE,
        "これは日本語の文章です。返金期間は三十日で、レシートが必要です。ただし、セール品は返品できません。",
        "환불 기간은 30일입니다. 영수증을 보관하십시오. 기간이 지나면 상점은 상품권만 제공할 수 있습니다.",
        "Срок возврата составляет тридцать дней со дня покупки; сохраняйте чек.",
        "مدة الاسترداد ثلاثون يوماً من تاريخ الشراء، احتفظ بالإيصال من فضلك.",
        "धनवापसी की अवधि तीस दिन है। कृपया रसीद संभाल कर रखें और समय पर संपर्क करें।",
        "ระยะเวลาคืนเงินคือสามสิบวันนับจากวันที่ซื้อ โปรดเก็บใบเสร็จไว้",
        "Okres zwrotu wynosi trzydzieści dni od zakupu. Zachowaj paragon, bez niego sklep może dać tylko bon.",
        "Thời hạn hoàn tiền là ba mươi ngày kể từ ngày mua. Hãy giữ hóa đơn, nếu không cửa hàng chỉ có thể đổi phiếu mua hàng.",
        "Contents . . . . . . . . . . . . . . . . . . . . . . . . 1\nRefunds ................................... 12",
        "2024-01-05 | 1,204.50 | -3.2 % | 17\n2024-01-06 | 1,310.00 | +8.8 % | 19\n" * 4,
        " ".join(f"仓库{n % 7} Qty {n} Kg {n} µm Ωm" for n in range(60)),
        "def f(x): return [g(y) for y in x if y > 0]  # (a, b) -> {c: d}\nfor i in range(10): print(f(i))\n" * 2,
        "Ελληνικά · русский · العربية · हिन्दी · ไทย · 한국어 · 中文 · 日本語 · ქართული · հայերեն · עברית · English",
    ],
)
def test_no_language_and_no_table_is_taken_for_nonsense(text: str) -> None:
    assert not is_unlike_language(text)


def test_shuffled_ideographs_and_syllables_are_no_language() -> None:
    draw = random.Random(1)
    for first, last in ((0x4E00, 0x9FA5), (0xAC00, 0xD7A3)):
        assert is_unlike_language("".join(chr(draw.randint(first, last)) for _ in range(60)))


def test_what_was_read_agrees_with_a_text_that_it_is_not_letter_by_letter() -> None:
    assert agrees(ENGLISH, ENGLISH.replace("w", "vv").replace("l", "1"))
    assert agrees(CHINESE, CHINESE.replace("，", "").replace("天", "夫"))
    assert not agrees(ENGLISH.translate(SHUFFLED), ENGLISH)
    assert not agrees(ENGLISH[: len(ENGLISH) // 2], ENGLISH), "half of it is missing"
