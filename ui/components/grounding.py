"""How far an answer rests on the passages: its share of supported sentences, marks behind the others, and what each rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from ui.safe import escape_html
from ui.strings import plain, t

Answer = Mapping[str, Any]
_ICONS = {"supported": "✓", "unsupported": "?"}
_MARK = "\ue000"
"""A character for private use; one that a model writes is replaced before."""


def sentences_of(answer: Answer) -> Sequence[Mapping[str, Any]]:
    """The answer's sentences with what became of each; none where it was not checked."""
    return (answer.get("grounding") or {}).get("sentences") or ()


def unsupported_ends(answer: Answer) -> list[int]:
    """Where in the answer's text the sentences end that no passage supports."""
    return [int(each["end"]) for each in sentences_of(answer) if each["status"] == "unsupported"]


def share_of(answer: Answer) -> tuple[int, int]:
    """How many of the answer's sentences the passages support, and how many were checked."""
    checked = [each["status"] for each in sentences_of(answer) if each["status"] in _ICONS]
    return checked.count("supported"), len(checked)


def show_grounding(answer: Answer, text: str, *, key: str) -> None:
    """A line with the share, and below it, folded, each sentence of the `text`; nothing for an answer that was not checked."""
    held, count = share_of(answer)
    if not count:
        return
    label = t("grounding.all" if held == count else "grounding.some", held=held, count=count)
    icon = ":material/verified:" if held == count else ":material/rule:"
    with st.expander(label, key=f"grounding:{key}", icon=icon):
        st.caption(t("grounding.judged" if answer["grounding"].get("judged") else "grounding.note"))
        rows = "".join(_row(each, text, answer) for each in sentences_of(answer) if each["status"] in _ICONS)
        st.html(f'<div class="gb-grounding">{rows}</div>')


def _row(sentence: Mapping[str, Any], text: str, answer: Answer) -> str:
    said = escape_html(" ".join(text[int(sentence["start"]) : int(sentence["end"])].split()))
    status = str(sentence["status"])
    remarks = [_missing(miss) for miss in sentence.get("misses") or ()]
    if status == "unsupported" and not remarks:
        remarks = [escape_html(plain("grounding.far"))]
    if sentence.get("elsewhere"):
        remarks.append(escape_html(plain("grounding.elsewhere")))
    told = "".join(f'<p class="gb-miss">{remark}</p>' for remark in remarks)
    quotes = "".join(_quote(link, answer) for link in sentence.get("links") or ())
    return f'<div class="gb-{status}"><p><b>{_ICONS[status]}</b> {said}</p>{told}{quotes}</div>'


def _missing(miss: Mapping[str, Any]) -> str:
    """What no passage says, with what one says instead."""
    key = "grounding.instead" if miss.get("instead") else "grounding.missing"
    return escape_html(plain(key, text=str(miss.get("text")), instead=str(miss.get("instead"))))


def _quote(link: Mapping[str, Any], answer: Answer) -> str:
    """The sentence of a passage that supports it, by its place there."""
    number = int(link["n"])
    contexts = answer.get("contexts") or ()
    if not 1 <= number <= len(contexts):
        return ""
    context = contexts[number - 1]
    quote = context["text"][int(link["start"]) - context["start"] : int(link["end"]) - context["start"]]
    return f'<p class="gb-quote"><span class="gb-cite">{number}</span> {escape_html(" ".join(quote.split()))}</p>'


def with_marks(text: str, answer: Answer) -> str:
    """The text with a sign that no answer holds behind each unsupported sentence; `shown_marks` makes badges of them."""
    marked, begin = [], 0
    clean = text.replace(_MARK, "\ufffd")
    for end in sorted({end for end in unsupported_ends(answer) if end <= len(text)}):
        marked += [clean[begin:end], _MARK]
        begin = end
    return "".join([*marked, clean[begin:]])


def shown_marks(markdown: str, *, badge: str = ":orange-badge[{}]") -> str:
    """Safe Markdown with a badge for each sign of `with_marks`."""
    return markdown.replace(_MARK, f" {badge.format(t('grounding.mark'))}")
