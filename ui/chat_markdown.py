"""A branch of a conversation as Markdown for any reader: questions, answers, numbered sources, settings and ratings.

What documents, models and people wrote can be no heading, link, image or tag in it. Escapes are those of CommonMark and GitHub's
extensions, fewer than Streamlit needs (ui/safe.py), so that the file is readable as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from store.chats import Conversation, Message
from store.database import clean_text
from store.ratings import Rating
from ui import limits
from ui.components.answer import failure_detail, failure_key, reason_words
from ui.components.cards import table_place
from ui.components.grounding import share_of, shown_marks, with_marks
from ui.components.used import BASES, LIMITS, TUNING, used_words
from ui.safe import Code, answer_parts, whole_name
from ui.strings import plain
from ui.turns import ChatTurn

_LIVE = re.compile(r"([\\`*_\[\]<>|~$&#@]|!(?=\[)|(?<=www)\.|:(?=//))")
_LINE_START = re.compile(r"^(?=[-+=](?:\s|$|[-=])|:-)|^(\d{1,9})(?=[.)](?:\s|$))")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?=\s|$)", re.MULTILINE)
_UNDERLINE = re.compile(r"^ {0,3}(?=(?:=+|-+)\s*$)", re.MULTILINE)
_DEEPEST = "######"
_BADGE = "*({})*"
"""Behind a sentence that no passage supports."""


def as_markdown(conversation: Conversation, shown: Sequence[ChatTurn]) -> str:
    """The turns of a branch as a Markdown document in the language of the page."""
    title = _line(conversation.title) or plain("conversations.untitled")
    parts = [f"# {title}", _line(plain("conversations.about", base=whole_name(conversation.base)))]
    if any(len(turn.versions) > 1 for turn in shown):
        parts.append(f"*{_line(plain('export.one_branch'))}*")
    for number, turn in enumerate(shown, start=1):
        parts += [f"## {plain('export.question', number=number)}", _quoted(turn.question.text)]
        parts += _answer(turn.answer) if turn.answer else [f"*{plain('export.unanswered')}*"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _answer(message: Message) -> Iterator[str]:
    answer: Mapping[str, Any] = message.payload or {}
    yield f"### {plain('export.answer')}"
    if answer.get("error"):
        yield f"*{_line(plain(failure_key(answer), detail=failure_detail(answer['error'])))}*"
    if answer.get("refused"):
        yield _quoted(message.text or plain("answer.refused"))
        yield f"*{_line(reason_words(answer, markdown=False))}*" if answer.get("reason") else ""
    elif answer.get("mode") == "extractive":
        yield _quoted(message.text)
        yield f"*{_line(plain('answer.quoted_instead'))}*" if message.text else ""
    else:
        yield from _written(with_marks(message.text, answer))
    yield from _sources(answer)
    yield _facts(answer, message.rating)


def _written(text: str) -> Iterator[str]:
    """A model's Markdown without live links and tags, its headings below those of the document."""
    for part in answer_parts(text):
        if isinstance(part, Code):
            fence = "`" * (1 + max((len(run) for run in re.findall(r"`{3,}", part.text)), default=2))
            yield f"{fence}{part.language}\n{part.text}\n{fence}"
        else:
            below = _UNDERLINE.sub(r"\\", _HEADING.sub(_DEEPEST, part.markdown))
            yield shown_marks(below, badge=_BADGE)


def _sources(answer: Mapping[str, Any]) -> Iterator[str]:
    citations = sorted(answer.get("citations") or (), key=lambda citation: int(citation["n"]))
    if not citations:
        return
    relevance = {context["chunk_id"]: context.get("relevance") for context in answer.get("contexts") or ()}
    yield f"### {plain('export.sources')}"
    for citation in citations:
        place = [plain("passages.page", page=citation["page"])] if citation.get("page") else []
        place += [rows] if (rows := table_place(citation)) else []
        share = relevance.get(citation["chunk_id"])
        place += [plain("passages.relevance", percent=round(100 * share))] if share is not None else []
        place += [plain("passages.edited")] if citation.get("edited") else []
        name = f"**{_line(whole_name(str(citation['source'])))}**"
        place_words = " · ".join([name, *map(_line, place)])
        yield f"- \\[{int(citation['n'])}\\] {place_words}\n\n{_quoted(str(citation['quote']), indent='  ')}"


def _facts(answer: Mapping[str, Any], rating: Rating | None) -> str:
    """How the answer came about, and what was thought of it, a line each."""
    facts = [plain("answer.stopped")] if answer.get("stopped") else []
    held, count = share_of(answer)
    if count:
        facts.append(plain("grounding.all" if held == count else "grounding.some", held=held, count=count))
    standalone = answer.get("standalone_question")
    if standalone and standalone != answer.get("question"):
        facts.append(f"{plain('answer.searched')} {standalone}")
    if len(answer.get(BASES) or ()) > 1:
        facts.append(f"{plain('bases.label')}: {', '.join(map(whole_name, answer[BASES]))}")
    if only := limits.words(answer.get(LIMITS) or {}):
        facts.append(f"{plain('limits.active')} {' · '.join(only)}")
    if answer.get(TUNING) is not None:
        facts.append(f"{plain('used.settings')} {' '.join(filter(None, used_words(answer)))}")
    if rating and rating.thumb:
        facts.append(plain("export.thumb_up" if rating.thumb == "up" else "export.thumb_down"))
    if rating and rating.comment:
        facts.append(f"{plain('rating.comment')}: {rating.comment}")
    return "\n".join(f"- {_line(fact)}" for fact in facts)


def _line(text: str) -> str:
    """The text on one line, with nothing in it that Markdown would obey."""
    words = " ".join(clean_text(text).replace("\x00", "\ufffd").split())
    return _LINE_START.sub(lambda start: f"{start[1]}\\" if start[1] else "\\", _LIVE.sub(r"\\\1", words))


def _quoted(text: str, *, indent: str = "") -> str:
    """The text as a block quote, line by line."""
    lines = [_line(line) for line in text.splitlines()]
    return "\n".join(f"{indent}> {line}  " if line else f"{indent}>" for line in lines).rstrip()
