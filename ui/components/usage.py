"""What an answer took of models, in small print below it, and what its conversation took; and answers that were kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import streamlit as st

from models.usage import summed
from ui import state
from ui.figures import count_words, money_words
from ui.safe import escape_markdown
from ui.strings import has, t

Payload = Mapping[str, Any]
_CALLED = {"answer": "chat"}
"""What the roles are called in the panel of models, where that is another word."""


def show_usage(payload: Payload) -> None:
    """A line for the answer's calls; with a tip for each model where there are several. Nothing where none was called."""
    usage = payload.get("usage") or {}
    if usage.get("calls"):
        rows = usage.get("by_role") or ()
        tip = "\n".join(f"- {_row(row, usage)}" for row in rows) if len(rows) > 1 else None
        st.caption(f":material/toll: {_words(usage, summed([usage])['costs'])}", help=tip)


def show_total(payloads: Iterable[Payload]) -> None:
    """A line for all answers of a conversation, those that were answered again included, if there are several."""
    usages = [usage for payload in payloads if (usage := payload.get("usage") or {}).get("calls")]
    if len(usages) > 1:
        total = summed(usages)
        st.caption(f":material/toll: {t('usage.total')} {_words(total, total['costs'])}")


def show_cached(payload: Payload, question_id: int) -> None:
    """That the model's words were kept from an earlier time, with a button that asks it anew."""
    if not payload.get("cached"):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"cached:{question_id}"):
        st.caption(f":material/history: {t('usage.cached_answer', when=_moment(str(payload['cached'])))}")
        label, icon = t("usage.ask_anew"), ":material/refresh:"
        st.button(label, key=f"anew:{question_id}", type="tertiary", icon=icon, on_click=state.ask_anew, args=(question_id,))


def _words(usage: Payload, costs: Mapping[str, float]) -> str:
    """Calls, tokens, cost and what went wrong, as Markdown."""
    words = [t("usage.calls", count=usage["calls"])]
    if usage.get("total_tokens"):
        words.append(t("usage.read", count=count_words(usage["input_tokens"])))
        if usage.get("cached_tokens"):
            words[-1] += f" {t('usage.cached', count=count_words(usage['cached_tokens']))}"
        words.append(t("usage.written", count=count_words(usage["output_tokens"])))
    words += [t("usage.cost", amount=money_words(amount), currency=currency) for currency, amount in costs.items()]
    if costs and usage.get("unpriced_calls"):
        words.append(t("usage.unpriced", count=usage["unpriced_calls"]))
    if usage.get("failed"):
        words.append(t("usage.failed", count=usage["failed"]))
    if usage.get("waited_seconds"):
        words.append(t("usage.waited", seconds=f"{usage['waited_seconds']:.1f}"))
    return " · ".join(words)


def _row(row: Payload, usage: Payload) -> str:
    role = f"models.{_CALLED.get(str(row['role']), row['role'])}"
    costs = {} if row.get("cost") is None else {str(usage["currency"]): float(row["cost"])}
    called = t(role) if has(role) else escape_markdown(str(row["role"]))
    words = _words({**row, "total_tokens": row["input_tokens"] + row["output_tokens"]}, costs)
    return f"**{called}** {escape_markdown(str(row['model']))} · {words}"


def _moment(written: str) -> str:
    """A time as it is kept (ISO 8601) on the clock of this machine; as it stands, where it is none."""
    try:
        return datetime.fromisoformat(written).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return written
