"""What the stages of a retrieval did: times, counts, what was dropped and why, and the notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from retrievers.self_query import STAGE as SELF_QUERY
from ui.components.cards import leg_name
from ui.components.reasons import why
from ui.figures import against
from ui.safe import escape_html, escape_markdown, shown_name, whole_name
from ui.strings import current, has, plain, say
from ui.wording import layer_name

_COUNTS = ("in", "added", "dropped", "merged", "out")
_MOST_DROPPED = 40
_NAME_THE_BASE = ("base_failed", "no_document_fits")

Retrieval = Mapping[str, Any]


def steps(retrieval: Retrieval) -> str:
    """The queries and what each stage did in which time, as HTML for `st.html`."""
    return f'<div class="gb-ledger">{_queries(retrieval.get("queries", ()))}{_stages(retrieval.get("stages", ()))}</div>'


def losses(retrieval: Retrieval) -> str:
    """What was dropped where and why, as HTML for `st.html`."""
    return f'<div class="gb-ledger">{_dropped(retrieval.get("dropped", ()))}</div>'


def summary(retrieval: Retrieval, *, needed: float | None = None) -> str:
    """HTML above the cards: the evidence and how much was `needed`, the weights in force, the queries, what the bars mean."""
    weights = retrieval.get("weights") or {}
    by_base = retrieval.get("base_weights") or {}
    parts = [f"{shown_name(name, columns=24)}: {' '.join(_weights(legs))}" for name, legs in by_base.items()] or _weights(weights)
    if retrieval.get("evidence") is not None:
        parts.insert(0, _evidence(float(retrieval["evidence"]), needed))
    total = sum(float(stage.get("ms", 0)) for stage in retrieval.get("stages", ()))
    parts.append(plain("ledger.total", ms=_ms(total)))
    more = [query["text"] for query in retrieval.get("queries", ()) if query["text"] != retrieval.get("query")]
    queries = f"<div>{_words('ledger.queries')} {escape_html(' · '.join(more))}</div>" if more else ""
    return (
        f'<div class="gb-summary"><div>{"".join(f"<span>{escape_html(part)}</span>" for part in parts)}</div>{queries}'
        f'<div class="gb-legend">{_words("ledger.bars")}</div></div>'
    )


def notes(retrieval: Retrieval) -> list[str]:
    """The notes in words, as Markdown; limits that the question named are shown as chips instead (ui/components/limits.py)."""
    return [note_words(note) for note in retrieval.get("notes", ()) if note.get("code") != SELF_QUERY]


def note_words(note: Mapping[str, Any]) -> str:
    """One note in words, as Markdown: legs, layers and errors are called as elsewhere on the page."""
    params = dict(note.get("params") or {})
    if "leg" in params:
        params["leg"] = leg_name(str(params["leg"]))
    if "layer" in params:
        params["layer"] = layer_name(str(params["layer"]))
    if params.get("told") and current() != "en":  # the English message may tell more
        params["error"] = why(params["told"], str(params.get("error")), markdown=False)
    return f"{_of_base(note)}{say('note', {'code': note.get('code'), 'params': params})}"


def _of_base(note: Mapping[str, Any]) -> str:
    """The base that a note is about, where several were asked; "" where the words name it."""
    base = (note.get("params") or {}).get("base")
    return f"**{escape_markdown(str(base))}**: " if base and note.get("code") not in _NAME_THE_BASE else ""


def _weights(legs: Mapping[str, float]) -> list[str]:
    return [plain("ledger.weight", leg=leg_name(leg), weight=f"{float(weight):.2f}") for leg, weight in legs.items()]


def _evidence(evidence: float, needed: float | None) -> str:
    if needed is None:
        return plain("ledger.evidence", evidence=f"{evidence:.2f}")
    reached, limit = against(evidence, needed)
    return plain("ledger.evidence_needed", evidence=reached, needed=limit)


def _queries(queries: Sequence[Mapping[str, Any]]) -> str:
    """The question and what was searched for beside it; nothing when it was the question alone."""
    if len(queries) < 2:
        return ""
    head = "".join(f'<th class="gb-why">{_words(f"ledger.{name}")}</th>' for name in ("number", "text", "kind", "legs"))
    rows = "".join(
        f'<tr><td>{number}</td><td class="gb-why">{escape_html(str(query["text"]))}</td>'
        f'<td class="gb-why">{escape_html(_kind(query))}</td><td class="gb-why">{escape_html(_legs(query))}</td>'
        f"<td>{_weight(query)}</td></tr>"
        for number, query in enumerate(queries, start=1)
    )
    return f"<h4>{_words('ledger.queries_made')}</h4><table><tr>{head}<th>{_words('ledger.query_weight')}</th></tr>{rows}</table>"


def _kind(query: Mapping[str, Any]) -> str:
    kind = str(query.get("kind", ""))
    return plain(f"query.{kind}") if has(f"query.{kind}") else kind


def _legs(query: Mapping[str, Any]) -> str:
    return ", ".join(leg_name(str(leg)) for leg in query.get("legs") or ()) or plain("ledger.all_legs")


def _weight(query: Mapping[str, Any]) -> str:
    return f"{float(query.get('weight', 1)):.2f}"


def _stages(stages: Sequence[Mapping[str, Any]]) -> str:
    """A row for each stage, with a bar for its share of the time of the longest one; query and base where there are several."""
    if not stages:
        return ""
    further = [name for name in ("query", "base") if any(stage.get(name) for stage in stages)]
    span = {"ms": ' colspan="2"'}
    head = "".join(f"<th{span.get(name, '')}>{_words(f'ledger.{name}')}</th>" for name in ("stage", *further, "ms", *_COUNTS))
    longest = max(float(stage["ms"]) for stage in stages) or 1.0
    rows = "".join(
        f"<tr><td>{escape_html(leg_name(str(stage['name'])))}</td>{''.join(_further(stage, name) for name in further)}"
        f"<td>{_time(stage, longest)}</td><td>{_ms(stage['ms'])}</td>{_counts(stage)}</tr>"
        for stage in stages
    )
    return f"<h4>{_words('ledger.stages')}</h4><table><tr>{head}</tr>{rows}</table>"


def _further(stage: Mapping[str, Any], name: str) -> str:
    value = stage.get(name) or ""
    shown = int(value or 0) + 1 if name == "query" else shown_name(str(value))
    return f"<td>{escape_html(str(shown))}</td>"


def _time(stage: Mapping[str, Any], longest: float) -> str:
    """The bar, at least a line wide; one for a screen only, as the figure stands beside it."""
    width = max(1, round(100 * float(stage["ms"]) / longest))
    return f'<div class="gb-time gb-{escape_html(str(stage["name"]))}"><i style="width:{width}%"></i></div>'


def _counts(stage: Mapping[str, Any]) -> str:
    return "".join(f"<td>{int(stage.get(name, 0)) or '·'}</td>" for name in _COUNTS)


def _dropped(dropped: Sequence[Mapping[str, Any]]) -> str:
    if not dropped:
        return ""
    kinds = Counter((str(each.get("stage", "")), reason_of(each)) for each in dropped)
    counted = "".join(
        f'<tr><td>{escape_html(leg_name(stage))}</td><td class="gb-why">{escape_html(reason)}</td><td>{count}</td></tr>'
        for (stage, reason), count in kinds.most_common()
    )
    listed = "".join(
        f"<li>{_name(each.get('source') or each['chunk_id'])} <small>{escape_html(reason_of(each))}</small></li>"
        for each in dropped[:_MOST_DROPPED]
    )
    head = f'<th>{_words("ledger.stage")}</th><th class="gb-why">{_words("ledger.reason")}</th><th>{_words("ledger.count")}</th>'
    return (
        f"<h4>{_words('ledger.what_dropped')}</h4><table><tr>{head}</tr>{counted}</table>"
        f"<details><summary>{_words('ledger.list_dropped', shown=min(len(dropped), _MOST_DROPPED), count=len(dropped))}</summary>"
        f"<ol>{listed}</ol></details>"
    )


def _name(source: str) -> str:
    return f'<span title="{escape_html(whole_name(source))}">{escape_html(shown_name(source))}</span>'


def reason_of(drop: Mapping[str, Any]) -> str:
    """Why a candidate was dropped, in words, as plain text; a reason without words here is named by its code."""
    reason = drop.get("reason")
    if isinstance(reason, Mapping):
        return say("dropped", dict(reason), markdown=False)
    return plain(f"dropped.{reason}") if has(f"dropped.{reason}") else str(reason or "")


def _ms(milliseconds: float) -> str:
    return f"{float(milliseconds):.1f}" if milliseconds < 10 else f"{float(milliseconds):.0f}"


def _words(key: str, **params: object) -> str:
    return escape_html(plain(key, **params))
