"""A run of enrichment: what it would take, how far it is, what it wrote, and what remains and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ingest.enrich.estimate import Share
from ingest.enrich.report import Enriched
from ingest.enrich.runs import EnrichProgress
from store.bases import Base
from ui.components.library_facts import Fact, facts
from ui.components.reasons import why
from ui.figures import count_words
from ui.safe import escape_markdown, shown_name, whole_name
from ui.strings import plain, t

if TYPE_CHECKING:
    from ui.services import Services

_MOST_SHOWN = 50
_COLUMNS = 60


def show_run(services: Services, base: Base) -> None:
    """The run of a base, kept up to date; the page is drawn anew when it comes to its next stage."""
    seen = services.enriching.progress(base.id)
    if seen is None:
        return

    @st.fragment(run_every=1 if seen.under_way else None)
    def panel() -> None:
        progress = services.enriching.progress(base.id)
        if progress is None or progress.stage != seen.stage:
            st.rerun()
        elif progress.stage == "counted":
            _offer(services, base, progress)
        elif progress.under_way:
            _under_way(services, base, progress)
        else:
            _outcome(services, base, progress)

    with st.container(border=True, key=f"enrichment:{base.id}", gap="small"):
        panel()


def _offer(services: Services, base: Base, progress: EnrichProgress) -> None:
    """The estimate, and the button that begins."""
    limits, estimate = services.settings().ingest.enrich, progress.estimate
    st.markdown(f"**{t('enrich.offer', count=count_words(progress.documents))}**")
    if progress.kinds:
        rows: list[Fact] = [(plain(f"enrich.{kind}"), _share(estimate.kinds.get(kind, Share()))) for kind in progress.kinds]
        rows.append((plain("enrich.in_all"), _tokens(estimate.calls, estimate.tokens)))
        rows.append((plain("enrich.model"), progress.model))
        rows.append((plain("enrich.limit"), _tokens(limits.max_calls, limits.max_tokens)))
        cost = estimate.cost(progress.models, services.settings().prices)
        if cost is not None:
            rows.append((plain("enrich.price"), f"{cost:.4g} {services.settings().prices.currency}"))
        st.html(facts(rows))
        if estimate.calls > limits.max_calls or estimate.tokens > limits.max_tokens:
            st.warning(t("enrich.over_limit"), icon=":material/payments:")
    if progress.keywords:
        st.caption(t("enrich.keywords_free"))
    with st.container(horizontal=True, gap="small"):
        start = st.button(t("enrich.start"), key=f"enrich_start:{base.id}", type="primary", icon=":material/play_arrow:")
        st.button(t("jobs.cancel"), key=f"enrich_cancel:{base.id}", on_click=services.enriching.cancel, args=(base.id,))
    if start:
        services.enriching.start(base.id)
        st.rerun()


def _under_way(services: Services, base: Base, progress: EnrichProgress) -> None:
    total = progress.documents
    if progress.stage == "counting":
        share = progress.done / max(1, total)
        words = t("enrich.counting", done=count_words(progress.done), total=count_words(total))
    else:
        share = progress.calls / progress.estimate.calls if progress.estimate.calls else progress.done / max(1, total)
        words = t("enrich.writing", calls=count_words(progress.calls), all=count_words(progress.estimate.calls))
        words = f"{words} · {t('enrich.documents_done', done=count_words(progress.done), total=count_words(total))}"
    st.progress(min(1.0, share), text=words)
    if progress.source:
        tokens = f" · {t('enrich.tokens_used', count=count_words(progress.tokens))}" if progress.tokens else ""
        st.caption(f"{escape_markdown(shown_name(progress.source, columns=_COLUMNS))}{tokens}")
    if progress.stopping:
        st.caption(t("status.cancelling"))
    else:
        st.button(t("jobs.cancel"), key=f"enrich_cancel:{base.id}", on_click=services.enriching.cancel, args=(base.id,))


def _outcome(services: Services, base: Base, progress: EnrichProgress) -> None:
    """What was written, what remains and why."""
    if progress.problem:
        st.error(why(progress.problem.as_json(), progress.problem.reason), icon=":material/error:")
    written = [t(f"written.{kind}", count=count_words(count)) for kind, count in sorted(progress.written.items())]
    if progress.tagged:
        written.append(t("enrich.tagged", count=count_words(progress.tagged)))
    used = t("enrich.used", calls=count_words(progress.calls), tokens=count_words(progress.tokens))
    words = " · ".join([*(written or [t("enrich.nothing")]), used])
    if progress.remaining or progress.problem:
        stopped = progress.stopped
        reason = why({"code": stopped.code, "params": stopped.params}, stopped) if stopped else ""
        remaining = t("enrich.remaining", count=count_words(progress.remaining))
        st.warning(f"{words}. {remaining} {reason}", icon=":material/pending:")
    else:
        st.success(words, icon=":material/check_circle:")
    if progress.told:
        with st.expander(t("enrich.told", count=len(progress.told)), icon=":material/warning:"):
            st.html(facts((whole_name(report.source), _reason(report)) for report in progress.told[:_MOST_SHOWN]))
            if len(progress.told) > _MOST_SHOWN:
                st.caption(t("report.more_skipped", count=len(progress.told) - _MOST_SHOWN))
    st.button(
        t("jobs.close"), key=f"enrich_close:{base.id}", type="tertiary", on_click=services.enriching.dismiss, args=(base.id,)
    )


def _share(share: Share) -> str:
    words = plain(
        "enrich.share", calls=count_words(share.calls), read=count_words(share.tokens_in), written=count_words(share.tokens_out)
    )
    return f"{words} ({plain('enrich.kept', count=count_words(share.kept))})" if share.kept else words


def _tokens(calls: int, tokens: int) -> str:
    return plain("enrich.cost", calls=count_words(calls), tokens=count_words(tokens))


def _reason(report: Enriched) -> str:
    """Why a document is not wholly done, in plain text."""
    if report.status == "skipped":
        return plain("enrich.changed")
    said = [plain("enrich.left", count=count_words(report.left))] if report.left else []
    if report.failures:
        first = report.failures[0]
        reason = why({"code": first["code"], "params": first["params"]}, first["reason"], markdown=False)
        said.append(plain("enrich.calls_failed", count=count_words(len(report.failures)), reason=reason))
    return " ".join(said)
