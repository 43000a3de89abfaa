"""Archives are read file by file, below their paths; what cannot be read is named; nothing is written to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from ingest.document import join
from ingest.errors import EncryptedFile, LoadError, TooLarge, UnreadableFile
from ingest.loaders import get_loader
from ingest.loaders.nest import escape_text, fenced, nest_markdown
from settings.ingest import IngestSettings, ParseSettings
from tests.files import make_pdf
from tests.ingest.loading import load, load_one

Pack = Callable[[dict[str, bytes]], bytes]
OFF = IngestSettings()


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def renamed(data: bytes, name: bytes, to: bytes) -> bytes:
    """An archive whose member has a name in another encoding, without the mark of UTF-8."""
    assert len(name) == len(to)
    return data.replace(name, to)


def skipped(name: str, data: bytes, settings: IngestSettings = OFF) -> dict[str, str]:
    documents = list(get_loader(name, data, settings).lazy_load())
    return {path: reason for document in documents for path, reason in document.metadata.get("skipped", ())}


MIXED = {
    "docs/guide.md": b"# Guide\n\nThe refund window.\n",
    "退款/说明.txt": "# 退款期限为三十天\n```\n".encode("gbk"),
    "table.csv": "名称,价格\n麻婆豆腐,28\n".encode(),
}


def test_each_file_stands_below_its_path_with_its_headings_deeper() -> None:
    document = join("a.zip", load("a.zip", zipped(MIXED)))
    assert document.markdown
    assert "# docs/guide.md\n\n## Guide\n\nThe refund window." in document.text
    assert "# 退款/说明.txt\n\n\\# 退款期限为三十天\n\\```" in document.text
    assert "# table.csv\n\n" in document.text
    assert document.title is None


def test_rows_of_a_table_keep_their_places() -> None:
    document = join("a.zip", load("a.zip", zipped(MIXED)))
    assert [(row.row, document.text[row.start : row.end]) for row in document.rows] == [(2, "名称: 麻婆豆腐\n价格: 28")]


def test_pages_are_known_within_their_file_only() -> None:
    files = {"a.pdf": make_pdf(["first page", "second page"]), "b.txt": b"no pages here"}
    document = join("a.zip", load("a.zip", zipped(files)))
    assert document.page_of(document.text.index("second page")) == 2
    assert document.page_of(document.text.index("# a.pdf")) == 1
    assert document.page_of(document.text.index("# b.txt")) is None


@pytest.mark.parametrize(
    ("pack", "name"),
    [
        (lambda files: zipped(files, zipfile.ZIP_STORED), "a.zip"),
        (lambda files: zipped(files, zipfile.ZIP_LZMA), "a.zip"),
        (tarred, "a.tar"),
        (lambda files: gzip.compress(tarred(files)), "a.tar.gz"),
        (lambda files: bz2.compress(tarred(files)), "a.tbz2"),
        (lambda files: lzma.compress(tarred(files)), "a.tar.xz"),
        (lambda files: gzip.compress(tarred(files)), "no suffix"),
    ],
)
def test_every_way_of_packing(pack: Pack, name: str) -> None:
    text = join(name, load(name, pack(MIXED))).text
    for word in ("# docs/guide.md", "The refund window.", "退款期限为三十天", "麻婆豆腐"):
        assert word in text


def test_a_compressed_file_is_that_file() -> None:
    document = load_one("方案.csv.gz", gzip.compress("名称,价格\n麻婆豆腐,28\n".encode("gbk")))
    assert document.page_content == "名称: 麻婆豆腐\n价格: 28"
    assert document.metadata["source"] == "方案.csv.gz"
    assert document.metadata["encoding"] == "gbk"
    two = gzip.compress(b"first ") + gzip.compress(b"second")
    assert load_one("a.log.gz", two).page_content == "first second"


@pytest.mark.parametrize(
    ("codec", "name"),
    [
        ("gbk", "报价单/二零二四年.txt"),
        ("big5", "報價單/客戶資料.txt"),
        ("cp932", "見積書/株式会社.txt"),
        ("utf-8", "报价单.txt"),
    ],
)
def test_names_in_the_code_page_of_some_machine(codec: str, name: str) -> None:
    raw = name.encode(codec)
    data = renamed(zipped({"x" * len(raw): b"text", "y.txt": b"more"}), b"x" * len(raw), raw)
    assert load("a.zip", data)[0].page_content == f"# {name}\n\ntext"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd.txt", "etc/passwd.txt"),
        ("/etc/cron.d/x.txt", "etc/cron.d/x.txt"),
        ("D:\\papers\\me\\x.txt", "papers/me/x.txt"),
        ("..\\..\\x.txt", "x.txt"),
        ("a\n# b.txt", "a # b.txt"),
        ("./a//b.txt", "a/b.txt"),
    ],
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_hostile_path_is_only_a_name(
    pack: Pack, name: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_one("a", pack({name: b"text"})).page_content == f"# {shown}\n\ntext"
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_read_is_named_and_stops_nothing() -> None:
    files = {
        "good.txt": b"text",
        "video.mp4": b"\x00\x00\x00\x18ftypmp42" + bytes(40),
        "broken.pdf": b"%PDF-1.7 broken",
        "blank.txt": b"\n\n",
        "wrong.docx": b"PK\x03\x04 cut off",
    }
    data = zipped(files)
    reasons = skipped("a.zip", data)
    assert set(reasons) == {*files} - {"good.txt"}
    assert "binary" in reasons["video.mp4"]
    assert "damaged" in reasons["broken.pdf"]
    assert reasons["blank.txt"] == "no text found"
    assert join("a.zip", load("a.zip", data)).text == "# good.txt\n\ntext"


def test_a_member_that_is_damaged_in_the_archive_is_named() -> None:
    data = zipped({"bad.txt": b"the words that will be changed", "good.txt": b"text"}, zipfile.ZIP_STORED)
    assert skipped("a.zip", data.replace(b"the words that", b"the WORDS that", 1)) == {"bad.txt": "it is damaged in the archive"}


@pytest.mark.parametrize(
    ("data", "error", "says"),
    [
        (zipped({}), UnreadableFile, "there are no files"),
        (zipped({"empty/": b"", "__MACOSX/._a.txt": b"x", ".DS_Store": b"x"}), UnreadableFile, "there are no files"),
        (zipped({"a.mp4": b"\x00\x00\x00\x18ftypmp42" + bytes(40), "b.txt": b" "}), UnreadableFile, r"none of its 2 .*a\.mp4"),
        (zipped(MIXED)[:-30], UnreadableFile, "the archive is damaged"),
        (gzip.compress(b"text" * 999)[:-20], UnreadableFile, "the archive is damaged"),
        (tarred(MIXED)[:700], UnreadableFile, "the archive is damaged"),
    ],
    ids=[
        "no members",
        "junk only",
        "nothing readable",
        "cut zip",
        "cut gzip",
        "cut tar",
    ],  # bytes hold the time
)
def test_an_archive_that_gives_nothing_says_why(data: bytes, error: type[LoadError], says: str) -> None:
    with pytest.raises(error, match=says):
        load("a.zip" if data.startswith(b"PK") else "a.gz", data)


def test_what_programs_leave_in_archives_is_not_read() -> None:
    junk = {"__MACOSX/._a.txt": b"junk", ".DS_Store": b"junk", "x/Thumbs.db": b"junk", "~$a.docx": b"junk", "a/._b.txt": b"junk"}
    [document] = load("a.zip", zipped({**junk, "a.txt": b"text"}))
    assert document.page_content == "# a.txt\n\ntext"
    assert "skipped" not in document.metadata


def encrypted(files: dict[str, bytes], only: str = "") -> bytes:
    """An archive whose members say that they are encrypted, in both of the places where they do."""
    data = bytearray(zipped(files, zipfile.ZIP_STORED))
    for mark, flags, length in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        place = data.find(mark)
        while place >= 0:
            if data[place + length :].startswith(only.encode()):
                data[place + flags] |= 1
            place = data.find(mark, place + 4)
    return bytes(data)


def test_encrypted_members_are_named_and_an_archive_of_them_asks_for_the_password() -> None:
    files = {"secret.txt": b"0123456789abcdef", "open.txt": b"text"}
    assert "encrypted" in skipped("a.zip", encrypted(files, only="secret"))["secret.txt"]
    with pytest.raises(EncryptedFile, match="secret.txt"):
        load("a.zip", encrypted(files))
    with pytest.raises(EncryptedFile):
        list(get_loader("a.zip", encrypted(files), OFF, SecretStr("wrong")).lazy_load())


def nest(depth: int) -> bytes:
    data = zipped({"deep.txt": "深处的文字".encode()})
    for level in range(depth):
        data = zipped({f"level{level}.zip": data, f"beside{level}.txt": b"beside"})
    return data


def test_archives_in_archives_are_opened_to_depth_two() -> None:
    text = join("a.zip", load("a.zip", nest(2))).text
    assert "# level1.zip\n\n## level0.zip\n\n### deep.txt\n\n深处的文字" in text
    reasons = skipped("a.zip", nest(3))
    assert ["archive within archives" in reason for reason in reasons.values()] == [True]
    assert list(reasons) == ["level2.zip / level1.zip / level0.zip"]


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = bytes(30 * 2**20)
    assert "grow to" in (why := skipped("a.zip", zipped({"bomb.txt": bomb, "good.txt": b"text"}))["bomb.txt"])
    assert "unpack it and upload the file itself" in why
    with pytest.raises(TooLarge, match="expand"):
        load("a.gz", gzip.compress(bomb))
    with pytest.raises(TooLarge, match="expand"):
        load("a.tar.bz2", bz2.compress(bomb))


def test_what_may_be_unpacked_is_counted_over_all_levels() -> None:
    parse = ParseSettings(max_expanded_mb=1)
    noise = "".join(chr(33 + (n * n * 7919) % 89) for n in range(400_000)).encode()
    inner = zipped({"c.txt": noise}, zipfile.ZIP_STORED)
    data = zipped({"a.txt": noise, "b.zip": inner, "d.txt": b"small"}, zipfile.ZIP_STORED)
    reasons = skipped("x.zip", data, IngestSettings(parse=parse))
    assert ["max_expanded_mb" in reason for reason in reasons.values()] == [True]
    assert "c.txt" in str(reasons)


def test_too_many_entries_are_cut_off_and_said() -> None:
    parse = ParseSettings(max_entries=3)
    files = {f"{n}.txt": b"text" for n in range(50)}
    for name, data in (("a.zip", zipped(files)), ("a.tar", tarred(files))):
        documents = list(get_loader(name, data, IngestSettings(parse=parse)).lazy_load())
        assert len(documents) == 3
        assert "max_entries" in dict(documents[0].metadata["skipped"])["…"]


def test_links_and_sparse_files_are_not_followed() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
        entry = tarfile.TarInfo("a.txt")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"text"))
    assert "link" in skipped("a.tar", out.getvalue())["link.txt"]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zip_archive:
        info = zipfile.ZipInfo("link.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        zip_archive.writestr(info, "/etc/hostname")
        zip_archive.writestr("a.txt", "text")
    assert "link" in skipped("a.zip", out.getvalue())["link.txt"]


def test_code_in_an_archive_stands_in_a_block_that_it_cannot_end() -> None:
    assert fenced("a\n````\nb\n", "python") == "`````python\na\n````\nb\n`````"


def test_markdown_below_a_heading() -> None:
    text = "# A\n```\n# code\n```\n###### deep\n#hash\n~~~\n# open"
    nested = nest_markdown(text, 2)
    assert nested.text == "### A\n```\n# code\n```\n###### deep\n#hash\n~~~\n# open\n~~~"
    for word in ("A\n", "code", "deep", "open"):
        place = nested.place(text.index(word))
        assert nested.text[place:].startswith(word)


def test_signs_of_markdown_in_plain_text() -> None:
    text = "# not a heading\n#hash\n  ## nor this\n```\n~~~~ x\nplain # sign"
    nested = escape_text(text)
    assert nested.text == "\\# not a heading\n#hash\n  \\## nor this\n\\```\n\\~~~~ x\nplain # sign"
    assert nested.text[nested.place(text.index("plain")) :] == "plain # sign"
