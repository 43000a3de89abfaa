"""Subtitles (.srt, .vtt): what is said, in paragraphs that begin with their time."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file

_TIME = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})[.,]\d{1,3}\s*-->")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>|\{\\[^}]*\}|<\d[\d:.]*>")
_SPEAKER = re.compile(r"<v(?:\.[\w.]+)?\s+([^>]+)>")
_PARAGRAPH_SECONDS = 30
_ENDS = ".!?。！？…”\"'"


class _Cue(NamedTuple):
    seconds: int
    lines: list[str]


class SubtitlesLoader(FileLoader):
    """A film's text. Captions that roll, of which each repeats the one before, are said once."""

    def lazy_load(self) -> Iterator[Document]:
        """Paragraphs of about half a minute. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        cues = list(_cues(decoded.text.split("\n")))
        text = "\n\n".join(_paragraphs(cues)) if cues else decoded.text
        yield self.document(text, "text", encoding=decoded.encoding, encoding_confidence=decoded.confidence)


def _cues(lines: list[str]) -> Iterator[_Cue]:
    cue: _Cue | None = None
    for line in lines:
        time = _TIME.search(line)
        if time:
            if cue:
                yield cue
            hours, minutes, seconds = (int(part or 0) for part in time.groups())
            cue = _Cue(hours * 3600 + minutes * 60 + seconds, [])
        elif cue and not line.strip():
            yield cue
            cue = None
        elif cue:
            words = _TAG.sub("", _SPEAKER.sub(r"\1: ", line))
            cue.lines.append(" ".join(html.unescape(words).split()))
    if cue:
        yield cue


def _paragraphs(cues: list[_Cue]) -> Iterator[str]:
    """A new one after half a minute, at the end of a sentence, or after a minute anywhere."""
    start, said, last = 0, list[str](), list[str]()
    for cue in cues:
        new = [line for line in dict.fromkeys(cue.lines) if line and line not in last]
        last = cue.lines or last
        since = cue.seconds - start
        if said and since >= _PARAGRAPH_SECONDS and (said[-1][-1] in _ENDS or since >= 2 * _PARAGRAPH_SECONDS):
            yield _said(start, said)
            said = []
        if not said:
            start = cue.seconds
        said.extend(new)
    if said:
        yield _said(start, said)


def _said(seconds: int, lines: list[str]) -> str:
    return f"[{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}] {chr(10).join(lines)}"
