"""Pages are drawn in a process of their own, whatever a file does to it, and the last ones are kept in memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from pydantic import SecretStr

from ingest.errors import EncryptedFile, LoadError, UnreadableFile
from ingest.sandbox import Sandbox, wire
from ingest.view.picture import PageAsked, PagePicture
from ingest.view.viewer import Viewer
from settings.ingest import IngestSettings
from settings.view import ViewSettings
from tests.files import make_pdf
from tests.ingest.pictures import TEXT, packed, written
from tests.standin import shared_sandbox

PDF = make_pdf(["The refund period is thirty days.", "退款期限为三十天。"])
ASKED = PageAsked(1, 400, "The refund period is thirty days.", ((4, 10),))


class Shelf:
    """A kept file, and how often it was read."""

    def __init__(self, data: bytes = PDF) -> None:
        self.data, self.times = data, 0

    def read(self) -> bytes:
        self.times += 1
        return self.data


def viewer(**settings: int) -> Viewer:
    return Viewer(ViewSettings.model_validate(settings), IngestSettings(), shared_sandbox())


def test_a_page_comes_as_a_file_for_a_browser_with_its_marks() -> None:
    page = viewer().page_picture("a.pdf", "v1", Shelf().read, ASKED)
    image = Image.open(io.BytesIO(page.image))
    assert (page.mime, image.format, image.width, page.matched, len(page.boxes)) == ("image/png", "PNG", 400, "all", 1)


def test_a_photo_comes_as_a_jpeg() -> None:
    noise = Image.effect_noise((1500, 1500), 80)
    out = io.BytesIO()
    noise.save(out, "PNG")
    page = viewer().page_picture("a.png", "v1", Shelf(out.getvalue()).read, PageAsked(1, 1500))
    assert (page.mime, Image.open(io.BytesIO(page.image)).format) == ("image/jpeg", "JPEG")


def test_a_page_is_drawn_once_until_the_file_the_page_or_the_passage_is_another() -> None:
    shelf, drawer = Shelf(), viewer()
    pages = [drawer.page_picture("a.pdf", "v1", shelf.read, ASKED) for _ in range(3)]
    assert shelf.times == 1
    others = [replace(ASKED, page=2), replace(ASKED, width=500), replace(ASKED, spans=((4, 17),))]
    pages += [drawer.page_picture("a.pdf", "v1", shelf.read, asked) for asked in others]
    drawer.page_picture("a.pdf", "v2", shelf.read, ASKED)
    assert shelf.times == 5
    assert len({page.image for page in pages}) == 3, "another passage on the same page changes its marks only"
    drawer.page_picture("a.pdf", "v1", shelf.read, replace(ASKED, text="of no matter", spans=()))
    drawer.page_picture("a.pdf", "v1", shelf.read, replace(ASKED, text="", spans=()))
    assert shelf.times == 6


def test_what_is_kept_is_bounded_and_the_oldest_goes_first() -> None:
    out = io.BytesIO()
    Image.effect_noise((400, 400), 80).save(out, "PNG")
    shelf, drawer = Shelf(out.getvalue()), viewer(cache_mb=1)

    def look(width: int, at: Viewer = drawer) -> int:
        """How large the page is."""
        return len(at.page_picture("a.png", "v1", shelf.read, PageAsked(1, width)).image)

    room = 2**20 // look(400)
    assert 1 < room < 20
    for width in range(399, 399 - room, -1):
        look(width)
        assert drawer.kept_bytes <= 2**20
    read = shelf.times
    look(400 - room)
    assert shelf.times == read == room + 1, "the last one is there"
    look(400)
    assert shelf.times == read + 1, "the first one is not"
    none = viewer(cache_mb=0)
    assert look(400, none) == look(400, none)
    assert (shelf.times, none.kept_bytes) == (read + 3, 0)


def test_what_a_password_opened_is_not_kept() -> None:
    shelf, drawer = Shelf(make_pdf(["Secret."], user_password="s3cret")), viewer()
    for _ in range(2):
        drawer.page_picture("a.pdf", "v1", shelf.read, PageAsked(1, 400), SecretStr("s3cret"))
    with pytest.raises(EncryptedFile):
        drawer.page_picture("a.pdf", "v1", shelf.read, PageAsked(1, 400))
    assert shelf.times == 3


@pytest.fixture(scope="module")
def hostile() -> Iterator[Sandbox]:
    sandbox = Sandbox("tests.ingest.hostile_reader")
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("segfault.pdf", "parse_crash"),
        ("hang.pdf", "parse_timeout"),
        ("allocate.pdf", "parse_memory"),
        ("lie.pdf", "parse_crash"),
    ],
)
def test_a_file_that_breaks_the_process_is_named_and_the_next_page_is_drawn(hostile: Sandbox, name: str, code: str) -> None:
    drawer = Viewer(ViewSettings(timeout_seconds=1), IngestSettings(), hostile)
    with pytest.raises(LoadError) as caught:
        drawer.page_picture(name, "v1", Shelf().read, ASKED)
    assert (caught.value.code, caught.value.name) == (code, name)
    patient = Viewer(ViewSettings(), IngestSettings(), hostile)
    assert patient.page_picture("a.pdf", "v1", Shelf().read, ASKED).matched == "all"


def test_a_page_that_cannot_be_drawn_is_told_by_the_process() -> None:
    with pytest.raises(UnreadableFile) as caught:
        viewer().page_picture("a.pdf", "v1", Shelf().read, PageAsked(7, 400))
    assert (caught.value.code, caught.value.params) == ("page_not_drawn", {"page": 7})


PICTURE = PagePicture(2, 3, bytes(range(18)), ((0.0, 0.25, 1.0, 0.5),), "part", scanned=True)


def test_a_picture_is_the_same_on_the_other_side() -> None:
    assert wire.unpack(wire.PICTURE, wire.pack_picture(PICTURE), "a.pdf", asked=wire.PICTURE) == PICTURE


@pytest.mark.parametrize(
    "lie",
    [
        replace(PICTURE, width=3),
        replace(PICTURE, height=0, pixels=b""),
        replace(PICTURE, width=10**6, height=10**6),
        replace(PICTURE, pixels=PICTURE.pixels + b"x"),
        replace(PICTURE, boxes=((0.0, 0.0, 1.5, 1.0),)),
        replace(PICTURE, boxes=((float("nan"), 0.0, 1.0, 1.0),)),
        replace(PICTURE, matched="<b>"),  # type: ignore[arg-type]
    ],
)
def test_a_picture_that_is_none_is_a_bad_reply(lie: PagePicture) -> None:
    with pytest.raises(wire.BadReply):
        wire.unpack_picture(wire.pack_picture(lie))


@given(st.binary())
def test_anything_else_is_a_bad_reply(body: bytes) -> None:
    with pytest.raises(wire.BadReply):
        wire.unpack_picture(body)


def test_a_picture_is_no_document_and_a_document_no_picture() -> None:
    body = wire.pack_picture(PICTURE)
    for letter, asked in ((wire.PICTURE, wire.DOCUMENT), (wire.DOCUMENT, wire.PICTURE)):
        with pytest.raises(wire.BadReply):
            wire.unpack(letter, body, "a.pdf", asked=asked)


class Counting(Sandbox):
    """Draws as the others do, and notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[PageAsked] = []

    def picture(self, source: str, data: bytes, settings: IngestSettings, page: PageAsked, password=None) -> PagePicture:
        self.asked.append(page)
        return shared_sandbox().picture(source, data, settings, page, password)


def test_a_picture_is_read_once_for_a_passage_whatever_its_width() -> None:
    sandbox, shelf = Counting(), Shelf(packed(written()))
    drawer = Viewer(ViewSettings(), IngestSettings(), sandbox)
    first = PageAsked(1, 500, TEXT, ((0, 20),), read=True)
    pages = [
        drawer.page_picture("a.png", "v1", shelf.read, asked)
        for asked in (first, replace(first, width=400), replace(first, width=400))
    ]
    assert [(asked.width, asked.read) for asked in sandbox.asked] == [(500, True), (400, False)]
    assert pages[0].boxes == pages[1].boxes == pages[2].boxes != ()
    assert [Image.open(io.BytesIO(page.image)).width for page in pages] == [500, 400, 400]
