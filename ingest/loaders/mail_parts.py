"""The parts of a mail (MIME): which of them are its body, and which are attached."""

from __future__ import annotations

import re
from email.message import Message
from pathlib import PurePath

from ingest.errors import LoadError, Reason
from ingest.loaders.encoding import Decoded, decode_file
from ingest.loaders.letter import Letter, body_of_page, body_of_text, unflowed
from ingest.loaders.mail_header import decode_words, header_text
from ingest.loaders.markup import whole_markdown
from ingest.loaders.members import Member, Unread
from language import terms

_DEEPEST = 20
_MUCH_MORE = 4.0  # times the text of the plain alternative: then it is only a note that there is another
_MUCH_ELSE = 0.4  # of the page's words that the plain text has not: then it is such a note as well, however long
_ADDRESS = re.compile(r"\w+://\S+")
_SMALL_PICTURE = 8_192  # bytes: a logo or a counter, which no one attached
_ENCRYPTED = {"application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"}
_SIGNATURES = {f"application/{name}" for name in ("pkcs7-signature", "x-pkcs7-signature", "pgp-signature", "pgp-keys")}
_SUFFIXES = {"text/calendar": ".ics", "text/vcard": ".vcf", "application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg"}


def read_parts(message: Message, letter: Letter, *, nested: bool) -> None:
    """Fills in the body and the attachments of a mail; mails in it are attachments, unless it lies too deep (not `nested`)."""
    bodies = _Parts(letter, nested).read(message, 0)
    letter.body = "\n\n".join(body for body in bodies if body.strip())


class _Parts:
    def __init__(self, letter: Letter, nested: bool) -> None:
        self.letter, self.nested = letter, nested

    def read(self, part: Message, depth: int) -> list[str]:
        """The bodies of a part in Markdown; attachments go to the letter."""
        kind = part.get_content_type()
        if depth > _DEEPEST:
            self.letter.attachments.append(Unread(_name(part), Reason("it lies too deep in the message", "part_too_deep")))
        elif kind == "message/rfc822" or (kind.startswith("message/") and part.is_multipart()):
            return self._message(part, kind, depth)
        elif part.is_multipart():
            return self._several(part, kind, depth)
        elif kind in _ENCRYPTED:
            reason = Reason("it is encrypted. Save it decrypted by the mail program", "part_encrypted_mail")
            self.letter.attachments.append(Unread(_name(part), reason, encrypted=True))
        elif kind in ("text/plain", "text/html", "text/enriched") and not _is_attached(part):
            return [self._body(part, kind)]
        elif kind not in _SIGNATURES:
            self._attach(part, kind)
        return []

    def _several(self, part: Message, kind: str, depth: int) -> list[str]:
        children = [child for child in part.get_payload() if isinstance(child, Message)]
        if kind == "multipart/alternative":
            return [_best([(child.get_content_type(), "\n\n".join(self.read(child, depth + 1))) for child in children])]
        return [body for child in children for body in self.read(child, depth + 1)]

    def _message(self, part: Message, kind: str, depth: int) -> list[str]:
        inner = part.get_payload()
        children = [child for child in inner if isinstance(child, Message)] if isinstance(inner, list) else []
        if kind != "message/rfc822":  # such as the report on a delivery: fields without a body
            return [body_of_text("\n".join(f"{name}: {value}" for child in children for name, value in child.items()))]
        for child in children:
            name = f"{_safe(header_text(child, 'Subject')) or 'message'}.eml"
            try:
                self.letter.attachments.append(Member(name, child.as_bytes()))
            except (ValueError, LookupError, TypeError, AttributeError):
                self.letter.attachments.append(Unread(name, Reason("the message is damaged", "damaged_mail")))
        return []

    def _body(self, part: Message, kind: str) -> str:
        decoded = _text(part)
        if decoded is None:
            return ""
        self.letter.encoding, self.letter.confidence = decoded.encoding, decoded.confidence
        if kind != "text/plain":
            return body_of_page(whole_markdown(decoded.text))
        if part.get_param("format") != "flowed":
            return body_of_text(decoded.text)
        return body_of_text(unflowed(decoded.text, blanks=str(part.get_param("delsp")).lower() != "yes"))

    def _attach(self, part: Message, kind: str) -> None:
        data = _payload(part)
        inline = "content-id" in part and part.get_content_disposition() != "attachment"
        if not data or (kind.startswith("image/") and inline and len(data) < _SMALL_PICTURE):
            return
        if kind in ("application/ms-tnef", "application/vnd.ms-tnef"):
            reason = Reason("only Outlook can open it. Save the message as .msg there", "part_of_outlook")
            self.letter.attachments.append(Unread(_name(part), reason))
            return
        self.letter.attachments.append(Member(_name(part), data))


def _best(found: list[tuple[str, str]]) -> str:
    """Of alternatives, the plain text, unless it only says that there is another, or says something else than the page."""
    texts = [(kind, text) for kind, text in found if text.strip()]
    plain = next((text for kind, text in texts if kind == "text/plain"), "")
    longest = max((text for _, text in texts), key=len, default="")
    if len(longest) > _MUCH_MORE * len(plain):
        return longest
    page = next((text for kind, text in texts if kind == "text/html"), "")
    words = _words(page)
    return page if len(words - _words(plain)) > _MUCH_ELSE * len(words) else plain


def _words(text: str) -> set[str]:
    return set(terms(_ADDRESS.sub(" ", text)))


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or (
        bool(part.get_filename()) and part.get_content_type() != "text/html"
    )


def _payload(part: Message) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _text(part: Message) -> Decoded | None:
    """The text of a part; None when it is binary."""
    charset = part.get_param("charset")
    try:
        return decode_file("", _payload(part), charset if isinstance(charset, str) else None)
    except LoadError:
        return None


def _name(part: Message) -> str:
    """The name that an attachment has, or one by its kind."""
    name = part.get_filename()
    kind = part.get_content_type()
    return _safe(decode_words(name)) if name and name.strip() else f"attachment{_SUFFIXES.get(kind, '')}"


def _safe(name: str) -> str:
    return PurePath(" ".join(name.replace("\\", "/").split())).name[:200]
