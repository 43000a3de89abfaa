"""A file is read as what its name says, once its bytes confirm it; a refusal names the file, the reason and the remedy."""

from __future__ import annotations

import gzip
import pickle
import random
import subprocess
import sys
import zipfile
import zlib
from io import BytesIO

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from langchain_core.document_loaders import BaseLoader

from ingest.errors import EncryptedFile, LoadError, TooLarge, UnreadableFile, UnsupportedFile
from ingest.loaders import LOADERS, get_loader
from ingest.loaders.registry import BY_KIND, reads_text
from settings.ingest import IngestSettings
from tests.files import make_docx, make_pdf
from tests.ingest.loading import load
from tests.ingest.ole import make_msg, make_ole

NO_TEXT = {
    "random": random.Random(3).randbytes(3000),
    "packed": zlib.compress(random.Random(4).randbytes(900)),
    "zeros": bytes(500),
    "erased": b"\xff" * 500,
}
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64)) * 8
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
MP4 = b"\x00\x00\x00\x18ftypmp42" + bytes(40)
PDF = make_pdf(["Refund window is thirty days."])
DOCX = make_docx(["Refund window is thirty days."])


def zipped(**files: bytes) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "error", "says"),
    [
        ("a.pdf", b"<html>Please log in</html>", UnsupportedFile, ("content is a web page", "rename it to end in .html")),
        ("a.pdf", b"Please log in", UnsupportedFile, ("content is text", "rename it to end in .txt")),
        ("a.pdf", b"", UnreadableFile, ("the file is empty", "again")),
        ("a.docx", OLE, UnsupportedFile, ("old Office version", "save it as .docx")),
        ("a.doc", OLE, UnsupportedFile, ("old Office version", "save it as .docx")),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), EncryptedFile, ("password", "Save a copy without")),
        ("a.docx", zipped(a=b"1"), UnsupportedFile, ("content is a zip archive", "Supported are .txt")),
        ("a.docx", b"PK\x03\x04 cut off", UnsupportedFile, ("content is a zip archive", "original document")),
        ("a.png", PNG, UnreadableFile, ("the picture is damaged", "save it again as PNG")),
        ("a.txt", PNG, UnreadableFile, ("the picture is damaged", "save it again as PNG")),
        ("a.7z", b"7z\xbc\xaf\x27\x1c" + bytes(90), UnsupportedFile, ("not unpacked", "pack them as .zip")),
        ("a.mp4", MP4, UnsupportedFile, ("this kind of file (binary) is not read", ".pdf, .docx, .csv")),
        ("a.txt", MP4, UnsupportedFile, ("content is binary", "original document")),
    ],
)
def test_a_file_that_is_not_what_its_name_says(name: str, data: bytes, error: type[LoadError], says: tuple[str, str]) -> None:
    with pytest.raises(error) as caught:
        load(name, data)
    assert type(caught.value) is error
    assert caught.value.name == name
    assert says[0] in caught.value.reason
    assert says[1] in caught.value.remedy
    assert str(caught.value) == f"{name}: {caught.value.reason}. {caught.value.remedy}"


@pytest.mark.parametrize(
    ("name", "data", "read_as"),
    [
        ("a.txt", PDF, "pdf"),
        ("a", PDF, "pdf"),
        ("A.DOCX", PDF, "pdf"),
        ("a.zip", DOCX, "docx"),
        ("a.pdf", DOCX, "docx"),
        ("a.backup", DOCX, "docx"),
        ("a", b"<!DOCTYPE html><p>Refund window is thirty days.</p>", "html"),
        ("a.xls", b"<html><table><tr><td>Refund window is thirty days.</td></tr></table>", "html"),
        ("a.doc", b"\n<html><p>Refund window is thirty days.</p>", "html"),
    ],
)
def test_a_document_under_a_wrong_name_is_read_as_what_it_is_and_says_so(name: str, data: bytes, read_as: str) -> None:
    [document] = load(name, data)
    assert "Refund window is thirty days." in document.page_content
    assert "<p>" not in document.page_content
    assert document.metadata["read_as"] == read_as


@pytest.mark.parametrize(("name", "data"), [("A.PDF", PDF), ("a.DocX", DOCX), ("notes", b"text"), ("a.HTML", b"<p>x</p>")])
def test_a_right_name_in_any_case_needs_no_note(name: str, data: bytes) -> None:
    assert "read_as" not in load(name, data)[0].metadata


@pytest.mark.parametrize("kind", NO_TEXT)
def test_bytes_that_are_no_text_are_not_called_so(kind: str) -> None:
    for suffix, loader in LOADERS.items():
        with pytest.raises(LoadError) as caught:
            load(f"a{suffix}", NO_TEXT[kind])
        if not reads_text(loader):
            assert (caught.value.code, caught.value.params["kind"]) == ("wrong_content", "other")
            assert "the content is binary" in caught.value.reason


def test_a_text_that_speaks_of_a_pdf_is_none() -> None:
    assert load("a.txt", b"A PDF begins with %PDF-1.7 and ends with %%EOF.")[0].metadata["format"] == "text"
    assert "thirty days" in load("a.pdf", b"junk\x00" + PDF)[0].page_content


def test_every_kind_that_has_a_suffix_and_a_loader_is_read_under_that_suffix() -> None:
    for kind, loader in BY_KIND.items():
        assert not kind.suffix or LOADERS[kind.suffix] is loader, kind


@pytest.mark.parametrize(
    "text", ["BMW is a car.", "ID3 is a tag format.", "MZ are initials.", "GIF89a was a format.", "PK is a name"]
)
def test_a_text_may_begin_like_the_signature_of_a_binary_format(text: str) -> None:
    assert load("a.txt", text.encode())[0].page_content == text


def test_a_file_over_the_limit_is_refused_and_one_at_the_limit_is_not() -> None:
    get_loader("a.txt", b"a" * 2**20, IngestSettings(max_file_mb=1))
    with pytest.raises(TooLarge, match=r"more than 1 MB\. .*max_file_mb"):
        get_loader("a.txt", b"a" * (2**20 + 1), IngestSettings(max_file_mb=1))


@pytest.mark.parametrize(
    "name",
    ["../../etc/x.txt", "CON.txt", "a" * 300 + ".txt", "\u202etxt.exe.txt", "😀.txt", "a\\b.txt", "it's.txt", 'a"b;--.txt'],
)
def test_a_hostile_name_is_only_a_name(name: str) -> None:
    assert load(name, b"text")[0].metadata["source"] == name


def test_every_loader_is_a_langchain_loader() -> None:
    assert all(issubclass(loader, BaseLoader) for loader in LOADERS.values())
    documents = get_loader("a.txt", b"text", IngestSettings(max_file_mb=1)).load()
    assert [document.page_content for document in documents] == ["text"]


def test_an_error_crosses_processes_whole() -> None:
    error = EncryptedFile("a.pdf", "locked", remedy="Unlock it.", code="password", pages=3)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is EncryptedFile
    assert (copy.name, copy.reason, copy.remedy, str(copy)) == ("a.pdf", "locked", "Unlock it.", str(error))
    assert (copy.code, copy.params) == ("password", {"pages": 3})


def test_importing_the_loaders_does_not_import_what_is_slow() -> None:
    code = "import sys, ingest.loaders; print(*{'markitdown', 'trafilatura', 'magika', 'bs4', 'mammoth'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_loading_leaves_no_warnings_in_a_fresh_process() -> None:
    code = (
        "from ingest.loaders import get_loader\n"
        "from settings.ingest import IngestSettings\n"
        "from tests.files import make_docx, make_pdf\n"
        "page = b'<?xml version=\"1.0\"?><x>http://example.org/</x>'\n"
        "files = {'a.pdf': make_pdf(['a']), 'a.docx': make_docx(['a']), 'a.html': page, 'a.txt': b'\\xd6\\xd0'}\n"
        "for name, data in files.items():\n"
        "    assert list(get_loader(name, data, IngestSettings(max_file_mb=1)).lazy_load())"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


OPENINGS = (
    *(
        b'[{"title": "a", "text": "',
        b'{"cells": [{"cell_type": "code", "outputs": [',
        b"<?xml version='1.0'?><a b='",
        b"\x1f\x8b\x08\0",
    ),
    *(b"From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n--x\n", b"From a\nFrom: b\n", b"BEGIN:VCARD\n", b"=====\nA\n"),
    *(b"\\begin{document}", b"00:01.000 --> 00:02.000\n", b"[table]\n"),
)
ZIP = zipped(**{"a.txt": b"text", "b.json": b'{"a": [1, 2]}', "c__d.csv": b"a,b\n1,2\n"})
MAIL = (
    b"From: a@b.c\nSubject: S\nContent-Type: multipart/mixed; boundary=x\n\n"
    b"--x\n\nbody\n--x\nContent-Disposition: attachment\n\nx\n--x--"
)
MSG = make_ole(make_msg({0x0037: "S", 0x1000: "words", 0x0C1A: b"a"}, code_page=936))
MAGIC = st.sampled_from(
    [b"", b"%PDF-1.4\n", PDF[:400], DOCX[:300], b"<html><body>", b"\xff\xfe", b"\xef\xbb\xbf", b'a,"b', PNG, *OPENINGS]
)
ANY_BYTES = st.builds(lambda *parts: b"".join(parts), MAGIC, st.binary(max_size=300), MAGIC)
ANY_TEXT = st.builds(
    lambda text, codec: text.encode(codec, "ignore"),
    st.text(max_size=200),
    st.sampled_from(["utf-8", "utf-16", "gb18030", "big5", "cp932", "cp949", "cp1252"]),
)


def damaged(whole: bytes) -> st.SearchStrategy[bytes]:
    """A real file with one stretch replaced."""
    return st.builds(
        lambda start, length, middle: whole[:start] + middle + whole[start + length :],
        st.integers(0, len(whole)),
        st.integers(0, 200),
        st.binary(max_size=50),
    )


DAMAGED = damaged(ZIP) | damaged(MAIL) | damaged(MSG) | damaged(gzip.compress(ZIP))


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(suffix=st.sampled_from(sorted({*LOADERS, "", ".xyz"})), data=ANY_BYTES | ANY_TEXT | damaged(PDF) | damaged(DOCX) | DAMAGED)
def test_any_bytes_give_clean_text_or_a_load_error(suffix: str, data: bytes) -> None:
    try:
        documents = load("any" + suffix, data)
    except LoadError as refusal:
        event(type(refusal).__name__)
        return
    event("text" if any(document.page_content for document in documents) else "no text")
    assert documents
    for document in documents:
        document.page_content.encode("utf-8")
        assert not any(ch in "\r\x00\ufeff\x85\u2028" or (ch < " " and ch not in "\n\t") for ch in document.page_content)
