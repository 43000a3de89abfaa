"""Pictures, charts and diagrams in words, and flow charts as Mermaid code, by a model that sees (llm.vision)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.enrich.kinds import BREAK, Ask, Kind, Line, Unreadable
from ingest.enrich.units import Unit
from ingest.loaders.clean import clean
from ingest.pictures.found import FoundPicture
from models import ModelError
from models.prompts import prompt
from models.thoughts import without_thoughts

NAME = "figures"
EXPECTED_TOKENS = 250
NOTHING = "NONE"
"""What the model writes of a picture that says nothing."""
LONGEST = 8000
"""Characters of a description; what is longer is no description of a picture."""
_WRAPPED = re.compile(r"```(?:markdown|md|text)?[ \t]*\n(.*)\n```", re.DOTALL)
_CODE = re.compile(r"(^[ \t]*```.*?^[ \t]*```[ \t]*$)", re.DOTALL | re.MULTILINE)
_BRACKETS = re.compile(r"[\[【［〔]([^\[\]【】［］〔〕\n]*)[\]】］〕]")
_REFERENCE = re.compile(
    r"[\s^†]*(?:[^\W\d]+[\s.:#№]*){0,2}\d[\d\s,，、;；–—~-]*(?:\D.{0,200})?|\s*(?:picture|图片|圖片)\b.*", re.IGNORECASE
)
"""What stands in brackets where a passage is cited, or where a picture is marked as described."""
_NODE = re.compile(r"\[\s*(\d[\d\s,-]*)\s*\]")
_SILENT = re.compile(rf"\W*{NOTHING}\W*")


class Figures(Kind):
    """A description of each picture. It stands behind the text of its document (appendix.py), not in rows beside the chunks."""

    name = NAME

    def asks(self, units: Sequence[Unit]) -> Iterator[Ask]:
        """None: what is asked is asked of pictures."""
        return iter(())

    def of_picture(self, picture: FoundPicture, language: str) -> Ask:
        """The call for a picture, in the language of its document."""
        told, _, asked = prompt(f"enrich_{self.name}", language).partition(BREAK)
        return Ask(self.name, picture.key, told, asked.strip(), (), EXPECTED_TOKENS, picture)

    def read(self, written: str, *, cut: bool) -> str:
        """The description, "" of a picture that says nothing. Raises ModelError when it is not whole."""
        if cut:
            raise ModelError("The language model reached its limit of words (llm.max_tokens).", code="cut_short")
        text = clean(without_thoughts(written)).strip()
        wrapped = _WRAPPED.fullmatch(text)
        text = wrapped[1].strip() if wrapped and "```" not in wrapped[1] else text
        if _SILENT.fullmatch(text):
            return ""
        if not text or len(text) > LONGEST:
            raise Unreadable
        return without_marks(text)

    def lines(self, ask: Ask, value: Any) -> Iterator[Line]:
        """None: a description is no row beside a chunk."""
        return iter(())


def without_marks(text: str) -> str:
    """The text with nothing in it that looks like a citation, or like the line that says which model described a picture.

    Such brackets become parentheses or go; a node of a flow chart gets the quotation marks that its label should have. Other code
    stays as it is.
    """
    parts = _CODE.split(text)
    return "".join(_plain(part) if number % 2 == 0 else _node_quoted(part) for number, part in enumerate(parts))


def _plain(text: str) -> str:
    return _BRACKETS.sub(lambda found: _unbracketed(found[1]) if _REFERENCE.fullmatch(found[1]) else found[0], text)


def _unbracketed(inside: str) -> str:
    """A number in parentheses; with a word before it, it would be a citation in these as well."""
    return inside if inside.lstrip(" ^")[:1].isalpha() else f"({inside})"


def _node_quoted(code: str) -> str:
    return _NODE.sub(r'["\1"]', code) if code.lstrip(" \t`").startswith("mermaid") else code
