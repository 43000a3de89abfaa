"""Outlook messages: header, body and attachments, in whatever code page the texts are."""

from __future__ import annotations

import struct

import pytest

from ingest.document import join
from ingest.errors import UnreadableFile
from ingest.loaders.msg_rtf import decompress, text_of_rtf
from tests.ingest.loading import load, load_one
from tests.ingest.ole import make_msg, make_ole

SENT = 133_444_736_000_000_000  # 2023-11-14T22:13:20 in steps of 100 ns since 1601
FIELDS: dict[int, str | bytes] = {0x0037: "退款通知", 0x0C1A: "王小明", 0x5D01: "wang@example.com", 0x0E04: "李雷; 韩梅梅"}


def test_header_and_plain_body() -> None:
    body = "退款期限为三十天。\r\n> # quoted\r\n# not a heading"
    document = load_one("a.msg", make_ole(make_msg({**FIELDS, 0x1000: body, 0x1013: b"<p>page</p>"}, sent=SENT)))
    assert document.page_content == (
        "# 退款通知\n\nFrom: 王小明 <wang@example.com>\nTo: 李雷; 韩梅梅\nDate: 2023-11-14T22:13:20+00:00\n\n"
        "退款期限为三十天。\n> # quoted\n\\# not a heading"
    )
    metadata = document.metadata
    assert (metadata["title"], metadata["author"]) == ("退款通知", "王小明 <wang@example.com>")
    assert metadata["created"] == "2023-11-14T22:13:20+00:00"


@pytest.mark.parametrize("declared", [950, 936, 1252, 0, 65001, 99999])
@pytest.mark.parametrize(
    ("codec", "text"),
    [("big5", "本公司的退貨期限為三十天，請保留發票並聯絡客服人員。"), ("utf-8", "本公司的退货期限为三十天，请保留发票。" * 2)],
)
def test_narrow_text_is_read_right_even_where_the_code_page_is_another_one(declared: int, codec: str, text: str) -> None:
    if codec == "big5" and declared == 936:
        pytest.skip("these bytes are valid in both")
    document = load_one("a.msg", make_ole(make_msg({0x0037: b"Subject", 0x1000: text.encode(codec)}, code_page=declared)))
    assert text in document.page_content


def test_a_body_that_is_a_page_only() -> None:
    page = "<html><body><h1>退款</h1><p>期限为<b>三十天</b></p><script>x()</script></body></html>".encode()
    text = load_one("a.msg", make_ole(make_msg({0x0037: "S", 0x1013: page}))).page_content
    assert "## 退款\n\n期限为**三十天**" in text
    assert "x()" not in text


def literal(data: bytes, size: int) -> bytes:
    """Compressed rich text of which nothing is a reference."""
    runs = b"".join(b"\0" + data[place : place + 8] for place in range(0, len(data), 8))
    return struct.pack("<IIII", len(runs) + 12, size, 0x75465A4C, 0) + runs


def test_a_body_that_is_rich_text_only() -> None:
    rich = rb"{\rtf1\ansi\ansicpg936 The refund window is \'c8\'fd\'ca\'ae days.\par}"
    document = load_one("a.msg", make_ole(make_msg({0x0037: "S", 0x1009: literal(rich, len(rich))})))
    assert "The refund window is 三十 days." in document.page_content


def test_compressed_rich_text_of_the_specification() -> None:
    data = bytes.fromhex("2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0")
    assert decompress(data) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    crossing = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert decompress(crossing) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


@pytest.mark.parametrize("data", [b"", b"short", bytes(40), literal(b"no rich text", 12), literal(b"{\\rtf1 cut", 10)[:20]])
def test_rich_text_that_is_damaged_is_no_text(data: bytes) -> None:
    assert text_of_rtf(data) in ("", "c", "cut")


def test_attachments_and_messages_that_are_attached() -> None:
    file = make_msg({0x3707: "说明.txt", 0x3701: "三十天内可以退款".encode("gbk")}, header=8)
    video = make_msg({0x3704: "clip.mp4", 0x3701: b"\x00\x00\x00\x18ftypmp42" + bytes(40)}, header=8)
    inner = {
        **make_msg({0x3001: "original"}, header=8),
        "__substg1.0_3701000D": make_msg({0x0037: "Inner", 0x1000: "inner words"}, header=24),
    }
    data = make_ole(make_msg({**FIELDS, 0x1000: "outer words"}, attachments=[file, video, inner]))
    documents = load("a.msg", data)
    text = join("a.msg", documents).text
    assert "## 说明.txt\n\n三十天内可以退款" in text
    assert "## Inner\n\ninner words" in text
    assert text.index("outer words") < text.index("Attachment clip.mp4:") < text.index("## 说明.txt")
    assert [path for path, _ in documents[0].metadata["skipped"]] == ["clip.mp4"]
    assert join("a.msg", documents).title == "退款通知"


def test_an_outlook_message_under_another_name_is_found_by_its_content() -> None:
    data = make_ole(make_msg({0x0037: "Subject", 0x1000: "words"}))
    assert load_one("letter", data).metadata["read_as"] == "msg"


@pytest.mark.parametrize("cut", [600, 1024, 1500])
def test_a_damaged_message_is_refused_with_the_remedy(cut: int) -> None:
    data = make_ole(make_msg({**FIELDS, 0x1000: "words " * 900}))
    assert len(data) > 2 * cut
    with pytest.raises(UnreadableFile, match="save it"):
        load("a.msg", data[:cut])
