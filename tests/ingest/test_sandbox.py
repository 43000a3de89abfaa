"""Files are read in a process of their own: whatever becomes of it, the file is named and the next one is read."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from ingest.document import LoadedDocument, PageSpan, RowSpan
from ingest.errors import EncryptedFile, LoadError, TooLarge, UnreadableFile
from ingest.pictures.found import FoundPicture, FoundPictures
from ingest.sandbox import Sandbox, wire
from settings.ingest import IngestSettings
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

ROOT = Path(__file__).parents[2]
SETTINGS = IngestSettings.model_validate({"parse": {"timeout_seconds": 60, "memory_mb": 300}})
HASTY = IngestSettings.model_validate({"parse": {"timeout_seconds": 1, "memory_mb": 300}})
"""For files that are never read: a busy machine may need longer for the others."""


@pytest.fixture(scope="module")
def shared() -> Iterator[Sandbox]:
    """For all tests here; what they do to its process is mended by itself."""
    sandbox = Sandbox("tests.ingest.hostile_reader")
    yield sandbox
    sandbox.close()


def refused(sandbox: Sandbox, name: str, data: bytes = b"text", settings: IngestSettings = SETTINGS) -> LoadError:
    with pytest.raises(LoadError) as caught:
        sandbox.read(name, data, settings)
    return caught.value


def gone(pid: int | None) -> bool:
    """Whether a process has ended (a zombie has)."""
    assert pid is not None
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def until(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("name", "kind", "code", "said"),
    [
        ("segfault.txt", UnreadableFile, "parse_crash", "SIGSEGV"),
        ("exit.txt", UnreadableFile, "parse_crash", "exit status 3"),
        ("killed.txt", TooLarge, "parse_memory", "ingest.parse.memory_mb"),
        ("hang.txt", TooLarge, "parse_timeout", "more than 1 seconds. Split it, or raise ingest.parse.timeout_seconds."),
        ("hold.txt", TooLarge, "parse_timeout", "more than 1 seconds"),
        ("allocate.txt", TooLarge, "parse_memory", "300 MB"),
        ("raise.txt", UnreadableFile, "parse_failed", "RuntimeError: not foreseen"),
        ("recurse.txt", UnreadableFile, "parse_failed", "RecursionError"),
        ("lie.txt", UnreadableFile, "parse_crash", "spans outside the text"),
    ],
)
def test_what_goes_wrong_is_an_error_that_names_the_file_and_the_next_one_is_read(
    shared: Sandbox, name: str, kind: type[LoadError], code: str, said: str
) -> None:
    error = refused(shared, name, settings=HASTY if code == "parse_timeout" else SETTINGS)
    assert (type(error), error.code) == (kind, code)
    assert str(error).startswith(f"{name}: ")
    assert said in str(error)
    assert shared.read("知识.md", "# 退款\n\n三十天。".encode(), SETTINGS).title == "退款"


def test_memory_in_use_is_bounded(shared: Sandbox) -> None:
    shared.read("a.txt", b"text", SETTINGS)
    pid = shared.pid
    assert refused(shared, "eat.txt").code == "parse_memory"
    assert gone(pid)


def test_one_process_reads_all_files_until_one_breaks_it(shared: Sandbox) -> None:
    shared.read("a.txt", b"text", SETTINGS)
    pid = shared.pid
    for n in range(5):
        assert shared.read(f"{n}.txt", b"text %d" % n, SETTINGS).text == f"text {n}"
    assert refused(shared, "b.pdf", b"%PDF-1.7 broken").code == "damaged_pdf"
    assert refused(shared, "raise.txt").code == "parse_failed"
    assert shared.pid == pid
    refused(shared, "segfault.txt")
    assert shared.pid is None
    assert gone(pid)


def test_a_process_that_died_between_two_files_is_not_the_next_ones_fault(shared: Sandbox) -> None:
    shared.read("a.txt", b"text", SETTINGS)
    assert shared.pid
    os.kill(shared.pid, signal.SIGKILL)
    assert shared.read("b.txt", b"more", SETTINGS).text == "more"


def test_a_process_that_cannot_be_started_is_told() -> None:
    error = refused(Sandbox("tests.no_such_module"), "a.txt")
    assert (error.code, str(error).startswith("a.txt: the process that reads files")) == ("parse_start", True)


def test_what_libraries_print_is_no_answer(shared: Sandbox) -> None:
    assert shared.read("print.txt", b"text", SETTINGS).text == "text"


def test_a_file_is_known_by_the_name_that_the_app_gave_it(shared: Sandbox) -> None:
    assert shared.read("other.txt", b"", SETTINGS).source == "other.txt"


def test_who_stops_listening_ends_the_reading(shared: Sandbox) -> None:
    shared.read("a.txt", b"text", SETTINGS)
    pid = shared.pid
    reading = shared.load("hang.txt", b"text", SETTINGS)
    assert next(reading) is None
    reading.close()
    assert gone(pid)
    assert shared.read("a.txt", b"text", SETTINGS).text == "text"


def test_the_process_has_no_network_no_keys_and_none_of_the_heavy_libraries(
    shared: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.close()
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("GLASSBOX_STORE__DIR", "secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        error = refused(shared, "connect.txt", str(server.getsockname()[1]).encode())
    assert "without the network" in str(error)
    assert not {"OPENAI_API_KEY", "GLASSBOX_STORE__DIR"} & set(shared.read("environment.txt", b"", SETTINGS).text.split())
    assert not {"streamlit", "lancedb", "streamlit_app"} & set(shared.read("modules.txt", b"", SETTINGS).text.split())


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's part of it; elsewhere a thread notices when it comes to run")
@pytest.mark.parametrize("doing", ["hold.txt", "hang.txt", "a.txt"])
def test_it_does_not_outlive_an_app_that_is_killed(doing: str) -> None:
    """Neither while it waits, nor while a library holds the interpreter."""
    code = (
        "import sys; from ingest.sandbox import Sandbox; from settings.ingest import IngestSettings\n"
        "s = Sandbox('tests.ingest.hostile_reader'); s.read('a.txt', b'', IngestSettings()); print(s.pid, flush=True)\n"
        "for _ in s.load(sys.argv[1], b'', IngestSettings()): print('reading', flush=True)\n"
        "input()"
    )
    app = subprocess.Popen(
        [sys.executable, "-c", code, doing], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with app:
        assert app.stdout
        pid = int(app.stdout.readline())
        app.stdout.readline()
        assert not gone(pid)
        app.kill()
        app.wait()
        until(lambda: gone(pid), 5)


def test_the_pipeline_goes_on_after_a_file_that_crashed(tmp_path: Path) -> None:
    desk = Desk.on(tmp_path, WordEmbeddings())
    desk.pipeline._preparation._sandbox = Sandbox("tests.ingest.hostile_reader")
    reports = [desk.add(name, "Refund window.") for name in ("segfault.txt", "fine.txt")]
    assert [(report.status, report.code) for report in reports] == [("failed", "parse_crash"), ("indexed", None)]
    desk.check()
    desk.pipeline._preparation._sandbox.close()
    desk.library.engine.dispose()


texts = st.text(alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))


@given(
    text=texts,
    cuts=st.lists(st.integers(0, 10**6)),
    title=st.none() | texts,
    confidence=st.none() | st.floats(0, 1),
    markdown=st.booleans(),
)
def test_a_document_is_the_same_on_the_other_side(text: str, cuts: list[int], title: str | None, confidence, markdown) -> None:
    places = sorted(cut % (len(text) + 1) for cut in cuts)
    document = LoadedDocument(
        "a.txt",
        text,
        markdown=markdown,
        title=title,
        pages=tuple(PageSpan(n, start, start) for n, start in enumerate(places)),
        rows=tuple(RowSpan(title, n, start, len(text)) for n, start in enumerate(places)),
        encoding_confidence=confidence,
    )
    assert wire.unpack_document(wire.pack_document(document), "a.txt") == document


@given(st.binary())
def test_anything_else_is_a_bad_reply(body: bytes) -> None:
    for letter in (wire.DOCUMENT, wire.REFUSAL, b"X"):
        with pytest.raises(wire.BadReply):
            wire.unpack(letter, body, "a.txt")
    with pytest.raises(wire.BadReply):
        wire.unpack(wire.PICTURES, body, "a.txt", asked=wire.PICTURES)


def test_pictures_cross_over_whole_and_are_what_they_say() -> None:
    png, jpeg = b"\x89PNG\r\n\x1a\nrest", b"\xff\xd8\xffrest"
    good = FoundPictures(
        (FoundPicture("a" * 64, 2, 30, 20, "image/png", png), FoundPicture("b" * 64, None, 9, 9, "image/jpeg", jpeg)), 3, 1
    )
    body = wire.pack_pictures(good)
    assert wire.unpack(wire.PICTURES, body, "a.pdf", asked=wire.PICTURES) == good
    markup = replace(good.pictures[0], data=b"<svg onload=alert(1)>")
    wrong = [
        body + b"x",
        body[:-1],
        *(
            wire.pack_pictures(FoundPictures((each,)))
            for each in (markup, replace(markup, mime="image/svg+xml"), replace(markup, key="x"))
        ),
    ]
    for reply in wrong:
        with pytest.raises(wire.BadReply):
            wire.unpack(wire.PICTURES, reply, "a.pdf", asked=wire.PICTURES)
    with pytest.raises(wire.BadReply):
        wire.unpack(wire.PICTURES, body, "a.pdf")


def test_a_frame_is_bounded_and_whole() -> None:
    stream = BytesIO()
    wire.write(stream, b"D", b"12345")
    for limit, length, error in ((4, 99, wire.BadReply), (5, 8, EOFError), (5, 12, EOFError)):
        with pytest.raises(error):
            wire.read(BytesIO(stream.getvalue()[:length]), limit)


def test_errors_and_requests_cross_over_whole() -> None:
    error = EncryptedFile("a.zip", "it is protected", remedy="Say the password.", code="password", names=["一", "b"])
    back = wire.unpack_refusal(wire.pack_refusal(error), "b.zip")
    assert (type(back), str(back), back.code, back.params) == (
        EncryptedFile, "b.zip: it is protected. Say the password.", "password", {"names": ["一", "b"]},
    )  # fmt: skip
    stream = BytesIO()
    request = wire.Request("a\u202eb.txt", b"\0\xff", SETTINGS, SecretStr("geheim"))
    wire.write_request(stream, request)
    stream.seek(0)
    assert wire.read_request(stream) == request
    assert "geheim" not in repr(request)
