"""One answer, drawn from its JSON: the text with its citations, a refusal with its reason, or an error, and what it rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui.components.grounding import show_grounding, shown_marks, with_marks
from ui.components.reasons import why
from ui.components.sources import show_sources
from ui.figures import against
from ui.safe import Code, answer_parts, escape_html, escape_markdown
from ui.strings import say, t

if TYPE_CHECKING:
    from ui.services import Services

Answer = Mapping[str, Any]

_RULE = re.compile(r"\|[\s:|-]+\|")
"""The line below the heading of a Markdown table, which is a sign and no words."""


def show_answer(services: Services, answer: Answer, *, key: str) -> None:
    """Everything of an answer but its passages."""
    if answer.get("error"):
        _failure(answer)
    if answer.get("refused"):
        _refusal(answer)
    elif answer.get("answer"):
        if answer.get("mode") == "extractive":
            _quotes(answer)
        else:
            show_text(str(answer["answer"]), answer)
        show_sources(services, answer, key=key)
        show_grounding(answer, str(answer["answer"]), key=key)
    show_beside(answer, key=key)
    _how(answer)


def show_text(text: str, answer: Answer) -> None:
    """The text, harmless, with [n] as badges, and marks behind what no passage supports."""
    for part in answer_parts(with_marks(text, answer), {citation["n"] for citation in answer.get("citations", ())}):
        if isinstance(part, Code):
            st.code(part.text, language=part.language)
        else:
            st.markdown(shown_marks(part.markdown))


def _quotes(answer: Answer) -> None:
    """The quotes letter for letter: as Markdown, 5*3*2 would lose its stars. Of rows each stays a line of its own."""
    for citation in answer.get("citations", ()):
        quote, number = str(citation["quote"]).strip(), int(citation["n"])
        lines = [line for line in quote.splitlines() if not _RULE.fullmatch(line)]
        has_rows = bool(citation.get("rows")) or any(line.startswith("|") for line in lines)
        kind, shown = ("gb-quote gb-lines", "\n".join(lines)) if has_rows else ("gb-quote", quote)
        st.html(f'<p class="{kind}">{escape_html(shown)} <span class="gb-cite">{number}</span></p>')


def failure_key(answer: Answer) -> str:
    """The text that says what the failure of the model means for the answer; its parameter is the `failure_detail`."""
    if answer["error"].get("code") == "unexpected" or not answer.get("answer"):
        return "error.unexpected"
    return "error.unfinished" if answer.get("mode") == "llm" else "error.quoted_instead"


def failure_detail(error: Mapping[str, Any]) -> str:
    """What failed, as plain text."""
    params = error.get("params") or {}
    said = str(params.get("message") or params.get("detail") or error.get("code"))
    return why(error, said, markdown=False) if params.get("message") else said


def _failure(answer: Answer) -> None:
    """What kept the model from answering; where it wrote a part, or the documents are quoted instead, it is but a warning."""
    key = failure_key(answer)
    said = t(key, detail=failure_detail(answer["error"]))
    if key == "error.unexpected":
        st.error(said, icon=":material/error:")
    else:
        st.warning(said, icon=":material/warning:")


def _refusal(answer: Answer) -> None:
    if (answer.get("reason") or {}).get("code") == "small_talk":
        st.markdown(escape_markdown(str(answer.get("answer") or "")))
        return
    reason = reason_words(answer) if answer.get("reason") else t("answer.no_reason")
    nearest = t("answer.nearest") if answer.get("contexts") else ""
    said = escape_markdown(str(answer.get("answer") or "")) or t("answer.refused")
    with st.container(border=True):
        st.markdown(f":material/search_off: **{said}**  \n{reason} {nearest}")


def reason_words(answer: Answer, *, markdown: bool = True) -> str:
    """Why it was refused; in answers of older versions the reason's evidence may have been rounded up to the threshold."""
    reason = answer["reason"]
    params = dict(reason.get("params") or {})
    if {"evidence", "threshold"} <= params.keys():
        evidence = min(float(params["evidence"]), float(answer.get("evidence", params["evidence"])))
        params["evidence"], params["threshold"] = against(evidence, float(params["threshold"]))
    return say("reason", {"code": reason.get("code"), "params": params}, markdown=markdown)


def _how(answer: Answer) -> None:
    """How the answer came about, in small print."""
    words = []
    if answer.get("mode") == "extractive" and not answer.get("refused") and answer.get("answer"):
        words.append(t("answer.quoted_instead" if answer.get("error") else "answer.extractive"))
    if words:
        st.caption("  \n".join(words))


def show_beside(answer: Answer, *, key: str) -> None:
    """What a model wrote that is not the answer, folded: what was refused, or came before it failed; and that it was stopped."""
    if answer.get("stopped"):
        st.caption(f":material/stop_circle: {t('answer.stopped' if answer.get('answer') else 'answer.stopped_before')}")
    written = str(((answer.get("error") or {}).get("params") or {}).get("written") or "")
    withheld = str(answer.get("withheld") or "")
    if not (withheld or written):
        return
    label = t("answer.withheld" if withheld else "answer.written")
    with st.expander(label, key=f"beside:{key}", icon=":material/edit_note:"):
        show_text(withheld or written, {"grounding": answer.get("grounding")})
    if withheld:
        show_grounding(answer, withheld, key=key)
