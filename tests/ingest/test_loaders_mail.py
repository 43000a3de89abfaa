"""Mails: header and body as they were written, attachments below their names, whatever the encodings claim."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart

import pytest

from ingest.document import join
from ingest.errors import UnreadableFile
from ingest.loaders import get_loader
from settings.ingest import IngestSettings, ParseSettings
from tests.ingest.loading import load, load_one

BODY = "退款期限为三十天，请保留发票。\n\n> On Monday you wrote:\n> > What is the refund window?\n\n# not a heading\n"


def mail(body: str = BODY, subject: str = "退款通知") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "王小明 <wang@example.com>"
    message["To"] = "li@example.com"
    message["Subject"] = subject
    message["Date"] = "Tue, 14 Nov 2023 22:13:20 +0800"
    message["Message-ID"] = "<1@example.com>"
    message.set_content(body)
    return message


def raw(header: str, body: bytes = b"words") -> bytes:
    return f"From: a@example.com\nSubject: S\n{header}\n\n".encode() + body


def test_header_body_and_quoted_replies() -> None:
    document = load_one("a.eml", mail().as_bytes())
    assert document.page_content == (
        "# 退款通知\n\nFrom: 王小明 <wang@example.com>\nTo: li@example.com\nDate: Tue, 14 Nov 2023 22:13:20 +0800\n\n"
        + BODY.replace("# not", "\\# not").rstrip()
    )
    assert document.metadata["title"] == "退款通知"
    assert document.metadata["author"] == "王小明 <wang@example.com>"
    assert document.metadata["created"] == "2023-11-14T22:13:20+08:00"


@pytest.mark.parametrize(
    ("declared", "codec"),
    [("gb2312", "gbk"), ("", "gbk"), ("us-ascii", "gbk"), ("iso-8859-1", "gbk"), ("x-unknown", "big5"), ("utf-8", "gbk")],
)
def test_bodies_and_subjects_in_a_charset_that_is_wrong_or_missing(declared: str, codec: str) -> None:
    text = {"gbk": "退款期限为三十天，请保留发票和包装。", "big5": "退貨期限為三十天，請保留發票並聯絡客服人員。"}[codec]
    kind = f"Content-Type: text/plain{f'; charset={declared}' if declared else ''}\n"
    data = (
        b"From: a@example.com\nSubject: "
        + text.encode(codec)
        + b"\nMIME-Version: 1.0\n"
        + kind.encode()
        + b"\n"
        + text.encode(codec)
    )
    document = load_one("a.eml", data)
    assert document.metadata["title"] == text
    assert document.page_content.endswith(f"\n\n{text}")


def test_encoded_words_that_cut_a_character() -> None:
    words = "=?gb2312?B?zcu/7Mbaz94=?= =?gb2312?Q?=CE=AA=C8=FD=CA=AE=CC=EC?="
    assert load_one("a.eml", raw("").replace(b"Subject: S", f"Subject: {words}".encode())).metadata["title"] == "退快期限为三十天"


def test_the_plain_alternative_unless_it_only_says_that_there_is_another() -> None:
    message = mail("The plain words of the mail.")
    message.add_alternative("<p>The page's words of the mail.</p>", subtype="html")
    assert "plain words" in load_one("a.eml", message.as_bytes()).page_content
    assert "page's words" not in load_one("a.eml", message.as_bytes()).page_content
    stub = mail("Your program shows no HTML.")
    stub.add_alternative(f"<h1>Title</h1><p>{'The words of the page. ' * 20}</p><script>x()</script>", subtype="html")
    text = load_one("a.eml", stub.as_bytes()).page_content
    assert "## Title\n\nThe words of the page." in text
    assert "x()" not in text


def test_a_long_note_that_there_is_a_page_is_no_version_of_it() -> None:
    note = (
        "Your mail program does not show pages. To read this letter, open it at https://example.org/letters/2026/11?id=1 instead."
    )
    stub = mail(note)
    stub.add_alternative(
        "<h1>Harbour</h1><p>Ferries leave at nine.</p><table><tr><td>fare</td><td>12</td></tr></table>", subtype="html"
    )
    text = load_one("a.eml", stub.as_bytes()).page_content
    assert "Ferries leave at nine." in text
    assert "mail program" not in text
    same = mail("Ferries leave at nine. The fare is 12. See https://example.org/a/long/address for the other fares.")
    same.add_alternative(
        "<p>Ferries leave at nine. The fare is <b>12</b>. See <a href='#'>the other fares</a>.</p>", subtype="html"
    )
    assert "**12**" not in load_one("a.eml", same.as_bytes()).page_content


def test_attachments_stand_below_their_names() -> None:
    message = mail()
    message.add_attachment("三十天内可以退款".encode("gbk"), maintype="text", subtype="plain", filename="退款说明.txt")
    message.add_attachment(b"# Guide\n\nwords", maintype="application", subtype="octet-stream", filename="guide.md")
    message.add_attachment(b"\x00\x00\x00\x18ftypmp42" + bytes(40), maintype="video", subtype="mp4", filename="clip.mp4")
    documents = load("a.eml", message.as_bytes())
    document = join("a.eml", documents)
    assert "## 退款说明.txt\n\n三十天内可以退款" in document.text
    assert "## guide.md\n\n### Guide\n\nwords" in document.text
    assert "Attachment clip.mp4: this kind of file (binary) is not read" in document.text
    assert documents[0].metadata["skipped"] == [["clip.mp4", "this kind of file (binary) is not read"]]
    assert document.title == "退款通知"


def test_a_mail_in_a_mail_in_a_mail() -> None:
    deep = mail("innermost words", "Innermost")
    for subject in ("Middle", "Outer", "Outermost"):
        around = mail(f"words of {subject}", subject)
        around.add_attachment(deep)
        deep = around
    text = join("a.eml", load("a.eml", deep.as_bytes())).text
    assert "## Outer.eml\n\n### Outer" in text
    assert "words of Middle" in text
    assert "innermost" in text


def test_an_archive_in_a_mail_is_opened_and_counted() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(5):
            archive.writestr(f"{number}.txt", f"words {number}")
    message = mail()
    message.add_attachment(out.getvalue(), maintype="application", subtype="zip", filename="a.zip")
    assert "### 4.txt\n\nwords 4" in join("a.eml", load("a.eml", message.as_bytes())).text
    settings = IngestSettings(parse=ParseSettings(max_entries=2))
    documents = list(get_loader("a.eml", message.as_bytes(), settings).lazy_load())
    assert "words 1" in join("a.eml", documents).text
    assert "words 2" not in join("a.eml", documents).text
    assert "max_entries" in str(documents[0].metadata["skipped"])


def test_small_pictures_of_a_page_are_no_attachments_and_signatures_neither() -> None:
    related = MIMEMultipart("related")
    related["From"], related["Subject"] = "a@example.com", "S"
    page = EmailMessage()
    page.set_content("<p>words <img src='cid:logo'></p>", subtype="html")
    logo = EmailMessage()
    logo.set_content(b"\x89PNG\r\n\x1a\n" + bytes(100), maintype="image", subtype="png", cid="<logo>")
    signature = EmailMessage()
    signature.set_content(b"0\x80", maintype="application", subtype="pkcs7-signature", filename="smime.p7s")
    for part in (page, logo, signature):
        related.attach(part)
    [document] = load("a.eml", related.as_bytes())
    assert "skipped" not in document.metadata
    assert document.page_content.endswith("words")


def test_lines_that_flow_are_paragraphs_again() -> None:
    body = b"One paragraph that \ngoes on here.\n> quoted and \n> flowed\n-- \nsignature"
    text = load_one("a.eml", raw("Content-Type: text/plain; format=flowed", body)).page_content
    assert text.endswith("One paragraph that goes on here.\n> quoted and flowed\n-- \nsignature")


def test_the_blank_at_the_end_of_a_flowing_line_may_be_no_part_of_the_text() -> None:
    body = "退款期限为 \n三十天。\n".encode()
    text = load_one("a.eml", raw("Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes", body)).page_content
    assert text.endswith("退款期限为三十天。")


def test_a_mailbox_is_its_mails() -> None:
    one, two = mail("first words\nFrom here on it goes.\n", "一").as_bytes(), mail("second words", "二").as_bytes()
    data = b"From a@example.com Mon Jan  1 00:00:00 2024\n" + one + b"\n\nFrom b@example.com Mon Jan  1 00:00:00 2024\n" + two
    document = join("inbox.mbox", load("inbox.mbox", data))
    assert document.text.startswith("# 一\n\n")
    assert "first words\nFrom here on it goes." in document.text
    assert "\n\n# 二\n\n" in document.text
    assert document.title is None
    assert load("inbox", data)[0].metadata["read_as"] == "mailbox"
    few = list(get_loader("inbox.mbox", data, IngestSettings(parse=ParseSettings(max_entries=1))).lazy_load())
    assert "second words" not in join("inbox.mbox", few).text
    assert "max_entries" in str(few[-1].metadata["skipped"])


@pytest.mark.parametrize("data", [b"\n\n", b"no mail at all", b"\x80\x81\x82 words\n\nmore"])
def test_what_is_no_mail_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="save it again as .eml"):
        load("a.eml", data)


@pytest.mark.parametrize(
    "header",
    [
        "Content-Type: multipart/mixed",
        "Content-Type: multipart/mixed; boundary=x",
        'Content-Type: text/plain; charset="\\""',
        "Content-Type: text/plain\nContent-Transfer-Encoding: base64",
        "Content-Type: message/rfc822",
        "Content-Type: multipart/alternative; boundary=x\nDate: not a date\nTo: =?utf-8?B?broken",
        "Content-Type: ;;;\nContent-Disposition: attachment; filename*=bad''%zz",
    ],
)
def test_damaged_headers_lose_no_mail(header: str) -> None:
    assert "S" in join("a.eml", load("a.eml", raw(header))).text
