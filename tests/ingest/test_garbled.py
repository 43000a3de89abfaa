"""Text that is no language is told from text in any language."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.garbled import garbled_share, is_garbled
from tests.ingest.desk import Desk

ROOT = Path(__file__).parents[2]
CHINESE = "退款期限为三十天。请保留收据，并在期限内联系客服人员办理。" * 4
FRENCH = "Le café où l’été s’achève, naïf et déçu : « garçon, à bientôt ! » Ça coûte 5 €." * 3
GERMAN = "Größenmaßstäbe für Übergrößen: ärgerlich, öffentlich, süß."


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Plain English, with 3 % of “quotes” and a dash — so.",
        CHINESE,
        CHINESE.replace("为", "為").replace("联", "聯"),
        FRENCH,
        GERMAN,
        "これは日本語の文章です。返金期間は三十日です。",
        "환불 기간은 30일입니다. 영수증을 보관하십시오.",
        "Срок возврата составляет тридцать дней.",
        "مدة الاسترداد ثلاثون يوماً.",
        "Ελληνικά και ไทย และ हिन्दी 😀👍🏽",
        "x = [0]; y/1/2; (1) (2) · ½ ¼ © ® § ¶ ±5 µm",
        "one \ufffd in a good and somewhat longer text " * 5,
        "龘靐齉爩 " + CHINESE,
        "第三章 营业时间：茶馆每天上午九点开门。\n第四章 每期八节课，学费九百八十元。",
        "综合得分：同济大学 92 分",
    ],
)
def test_a_text_in_any_language_is_none(text: str) -> None:
    assert not is_garbled(text, garbled_share(text))


@pytest.mark.parametrize(
    "text",
    [
        FRENCH.encode().decode("cp1252", "replace"),
        FRENCH.encode().decode("latin-1"),
        GERMAN.encode().decode("cp1252", "replace"),
        CHINESE.encode().decode("latin-1"),
        CHINESE.encode("gbk").decode("latin-1"),
        CHINESE.encode("big5", "ignore").decode("latin-1"),
        CHINESE.encode().decode("gb18030", "replace"),
        "Refunds: 锟斤拷锟斤拷锟斤拷 days",
        "(cid:12)(cid:45)(cid:3) (cid:7)(cid:19)",
        "\ue001\ue002\ue003 \ue004\ue005",
        "".join(chr(0x3400 + 37 * n) for n in range(150)),
        "\ufffd\ufffd\ufffd\ufffd abc \ufffd\ufffd",
    ],
)
def test_garbage_is(text: str) -> None:
    assert is_garbled(text, garbled_share(text))
    assert garbled_share(text) > 0.15


def test_the_guides_in_both_languages_are_fine() -> None:
    for path in (ROOT / "docs").rglob("*.md"):
        assert garbled_share(path.read_text(encoding="utf-8")) < 0.02, path


def test_the_end_of_a_long_text_is_looked_at_too() -> None:
    assert is_garbled("", 0.5) is False
    long = "Fine English text. " * 40_000
    assert is_garbled(long, garbled_share(long + CHINESE.encode("gbk").decode("latin-1") * 2000))


def test_the_report_warns_and_the_text_is_kept(desk: Desk) -> None:
    report = desk.add("a.txt", GERMAN.encode().decode("cp1252", "replace"))
    assert report.status == "indexed"
    assert report.garbled > 0.1
    [warning] = report.warnings
    assert (warning["code"], set(warning["params"])) == ("garbled", {"percent"})
    assert "looks garbled" in warning["reason"]
    fine = desk.add("b.txt", CHINESE)
    assert (fine.warnings, fine.garbled, fine.language) == ([], 0.0, "zh")
    assert desk.add("b.txt", CHINESE).language == "zh", "a report of what is there says the same"
