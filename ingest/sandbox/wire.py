"""What passes between the app and the process that reads files: frames of a letter, a length and bytes.

The process has read a hostile file, so nothing it says is trusted or unpickled: a reply is JSON that is checked against a schema,
of a bounded length, and the file's name in it is the one that the app knows.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, replace
from typing import Annotated, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, ValidationError

from ingest.document import LoadedDocument
from ingest.errors import EncryptedFile, LoadError, TooLarge, UnreadableFile, UnsupportedFile
from ingest.pictures.found import LONGEST_PART, MOST_BYTES, FoundPicture, FoundPictures, PicturesAsked
from ingest.pictures.found import LONGEST_SIDE as LONGEST_PICTURE
from ingest.view.picture import LONGEST_SIDE, MOST_PIXELS, Box, Matched, PageAsked, PagePicture
from settings.ingest import IngestSettings

BEGUN, DOCUMENT, PICTURE, PICTURES, REFUSAL = b"B", b"D", b"P", b"I", b"R"
_ASKED, _DATA = b"A", b"F"
_HEAD = struct.Struct("<cQ")
_LENGTH = struct.Struct("<I")
_ERRORS = {kind.__name__: kind for kind in (LoadError, UnsupportedFile, UnreadableFile, EncryptedFile, TooLarge)}
_MOST_ABOUT = 2**22
_JSON_OVERHEAD = 2**20
REQUEST_LIMIT = 2**36
PICTURE_LIMIT = 3 * MOST_PIXELS + 2**24
_BEGINNINGS = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_TYPE = re.compile(r"[\w+-]{1,20}")

Found = LoadedDocument | PagePicture | FoundPictures
Words = Annotated[str, Field(max_length=2000)]


class BadReply(ValueError):
    """What came is no reply of a process that is well."""


@dataclass(frozen=True)
class Request:
    """A file to read, to draw a page of, or to take the pictures out of."""

    name: str
    data: bytes
    settings: IngestSettings
    password: SecretStr | None = None
    page: PageAsked | None = None
    pictures: PicturesAsked | None = None

    @property
    def limit(self) -> int:
        """How many bytes a reply may have."""
        if self.pictures is not None:
            return (self.pictures.most + 1) * MOST_BYTES
        return PICTURE_LIMIT if self.page is not None else self.settings.parse.max_expanded_mb * 2**20 + _JSON_OVERHEAD

    @property
    def asked(self) -> bytes:
        """The letter of the reply."""
        return PICTURES if self.pictures is not None else PICTURE if self.page is not None else DOCUMENT


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class _About(_Message):
    name: str
    settings: IngestSettings
    password: str | None
    page: PageAsked | None
    pictures: PicturesAsked | None


class _Drawn(_Message):
    width: Annotated[int, Field(ge=1, le=LONGEST_SIDE + 1)]
    height: Annotated[int, Field(ge=1, le=LONGEST_SIDE + 1)]
    boxes: tuple[Box, ...]
    matched: Matched
    scanned: bool


class _Told(_Message):
    key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    page: Annotated[int, Field(ge=1, le=10**7)] | None
    width: Annotated[int, Field(ge=1, le=LONGEST_PICTURE)]
    height: Annotated[int, Field(ge=1, le=LONGEST_PICTURE)]
    mime: Literal["image/png", "image/jpeg"]
    part: Annotated[str, Field(max_length=LONGEST_PART)]
    length: Annotated[int, Field(ge=0, le=MOST_BYTES)]


class _Gathered(_Message):
    pictures: tuple[_Told, ...]
    left: Annotated[int, Field(ge=0)]
    unread: Annotated[int, Field(ge=0)]


class _Reply(_Message):
    document: LoadedDocument


class _Refusal(_Message):
    kind: str
    reason: Words
    remedy: Words
    code: Annotated[str, Field(pattern=r"^\w{1,40}$")]
    params: dict[str, JsonValue]


def write(stream: BinaryIO, letter: bytes, body: bytes = b"") -> None:
    """Write a frame."""
    stream.write(_HEAD.pack(letter, len(body)))
    stream.write(body)
    stream.flush()


def read(stream: BinaryIO, limit: int) -> tuple[bytes, bytes]:
    """The letter and the body of a frame of at most `limit` bytes. Raises EOFError when it ends before, BadReply."""
    letter, length = _HEAD.unpack(_exactly(stream, _HEAD.size))
    if length > limit:
        raise BadReply(f"a frame of {length} bytes")
    return letter, _exactly(stream, length)


def write_request(stream: BinaryIO, request: Request) -> None:
    """Ask for a file to be read."""
    password = request.password.get_secret_value() if request.password else None
    about = _About(name=request.name, settings=request.settings, password=password, page=request.page, pictures=request.pictures)
    write(stream, _ASKED, about.model_dump_json().encode())
    write(stream, _DATA, request.data)


def read_request(stream: BinaryIO) -> Request:
    """What is asked for. Raises EOFError when the app has gone."""
    about = _About.model_validate_json(read(stream, _MOST_ABOUT)[1])
    password = SecretStr(about.password) if about.password is not None else None
    return Request(about.name, read(stream, REQUEST_LIMIT)[1], about.settings, password, about.page, about.pictures)


def pack_document(document: LoadedDocument) -> bytes:
    """A document as the body of a frame."""
    return _Reply.model_construct(document=document).model_dump_json().encode()


def unpack_document(body: bytes, source: str) -> LoadedDocument:
    """The document of a frame, under the name that the file has. Raises BadReply."""
    try:
        document = replace(_Reply.model_validate_json(body).document, source=source)
    except ValidationError as error:
        raise BadReply(str(error)) from error
    length, places = len(document.text), [(page.start, page.end) for page in document.pages]
    rows = [(row.start, row.end) for row in document.rows]
    if places != sorted(places) or not all(0 <= start <= end <= length for start, end in (*places, *rows)):
        raise BadReply("spans outside the text")
    shares = (document.encoding_confidence, document.ocr_confidence)
    is_type = document.type is None or bool(_TYPE.fullmatch(document.type))
    if "\0" in document.text or not is_type or not all(0 <= (share or 0) <= 1 for share in shares):
        raise BadReply("values that no loader gives")
    return document


def pack_picture(picture: PagePicture) -> bytes:
    """A drawn page as the body of a frame: the length of its head, the head, its pixels."""
    told = {name: value for name, value in vars(picture).items() if name != "pixels"}
    head = _Drawn.model_construct(**told).model_dump_json().encode()
    return _LENGTH.pack(len(head)) + head + picture.pixels


def unpack_picture(body: bytes) -> PagePicture:
    """The drawn page of a frame. Raises BadReply."""
    end = _LENGTH.size + (_LENGTH.unpack_from(body)[0] if len(body) >= _LENGTH.size else 0)
    try:
        said = _Drawn.model_validate_json(body[_LENGTH.size : end])
    except ValidationError as error:
        raise BadReply(str(error)) from error
    pixels = body[end:]
    if len(pixels) != 3 * said.width * said.height or not all(0 <= place <= 1 for box in said.boxes for place in box):
        raise BadReply("a picture that is none")
    return PagePicture(said.width, said.height, pixels, said.boxes, said.matched, said.scanned)


def pack_pictures(found: FoundPictures) -> bytes:
    """Pictures as the body of a frame: the length of its head, the head, their bytes."""
    told = []
    for picture in found.pictures:
        about = {name: value for name, value in vars(picture).items() if name != "data"}
        told.append(_Told.model_construct(**about, length=len(picture.data)))
    head = _Gathered.model_construct(pictures=tuple(told), left=found.left, unread=found.unread).model_dump_json().encode()
    return b"".join((_LENGTH.pack(len(head)), head, *(picture.data for picture in found.pictures)))


def unpack_pictures(body: bytes) -> FoundPictures:
    """The pictures of a frame, each a PNG or JPEG by its first bytes. Raises BadReply."""
    end = _LENGTH.size + (_LENGTH.unpack_from(body)[0] if len(body) >= _LENGTH.size else 0)
    try:
        said = _Gathered.model_validate_json(body[_LENGTH.size : end])
    except ValidationError as error:
        raise BadReply(str(error)) from error
    pictures = []
    for told in said.pictures:
        data, end = body[end : end + told.length], end + told.length
        if len(data) != told.length or (data and not data.startswith(_BEGINNINGS[told.mime])):
            raise BadReply("a picture that is none")
        pictures.append(FoundPicture(told.key, told.page, told.width, told.height, told.mime, data, told.part))
    if end != len(body):
        raise BadReply("more bytes than pictures")
    return FoundPictures(tuple(pictures), said.left, said.unread)


def pack_refusal(error: LoadError) -> bytes:
    """An error as the body of a frame; long words are cut."""
    kind, reason, remedy = type(error).__name__, error.reason[:2000], error.remedy[:2000]
    refusal = _Refusal(kind=kind, reason=reason, remedy=remedy, code=error.code, params=error.params)
    return refusal.model_dump_json().encode()


def unpack_refusal(body: bytes, source: str) -> LoadError:
    """The error of a frame, which names the file by the name that it has. Raises BadReply."""
    try:
        said = _Refusal.model_validate_json(body)
    except ValidationError as error:
        raise BadReply(str(error)) from error
    params = {key: value for key, value in said.params.items() if key not in ("name", "reason", "remedy", "code")}
    return _ERRORS.get(said.kind, UnreadableFile)(source, said.reason, remedy=said.remedy, code=said.code, **params)


def unpack(letter: bytes, body: bytes, source: str, *, asked: bytes = DOCUMENT) -> Found | LoadError:
    """What a frame holds of the file, of which what the letter `asked` stands for was asked for. Raises BadReply."""
    if letter == DOCUMENT == asked:
        return unpack_document(body, source)
    if letter == PICTURE == asked:
        return unpack_picture(body)
    if letter == PICTURES == asked:
        return unpack_pictures(body)
    if letter == REFUSAL:
        return unpack_refusal(body, source)
    raise BadReply(f"a frame {letter!r}")


def _exactly(stream: BinaryIO, length: int) -> bytes:
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return body
