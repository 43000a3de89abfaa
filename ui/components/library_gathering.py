"""How far the sources of a base are that are being read, what came of those that are done, and what could not be had and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ingest.report import FileReport
from ingest.sources.gathering import Gathered
from ingest.sources.item import LeftOut
from ui.components.library_facts import facts
from ui.components.reasons import why
from ui.figures import count_words
from ui.safe import escape_markdown, shown_name, whole_name
from ui.strings import plain, t

if TYPE_CHECKING:
    from ui.services import Services

OUTCOMES = ("queued", "unchanged", "deleted", "skipped", "failed")
_MOST_SHOWN, _MOST_NAMED = 50, 3
_COLUMNS = 70


def show_gathering(services: Services, name: str) -> None:
    """The sources of a base, kept up to date; the page is drawn anew when one is done."""
    base = next((each for each in services.library.bases() if each.name == name), None)
    if base is None or not services.gathering.progress(base.id):
        return
    seen = [each.finished for each in services.gathering.progress(base.id)]
    busy = not all(seen)

    @st.fragment(run_every=1 if busy else None)
    def panel() -> None:
        sources = services.gathering.progress(base.id)
        if busy and [each.finished for each in sources] != seen:
            st.rerun()
        for source in sources:
            _source(services, source)

    panel()


def _source(services: Services, source: Gathered) -> None:
    with st.container(border=True, key=f"gathered:{source.id}", gap="small"):
        row = st.container(horizontal=True, vertical_alignment="center", gap="small")
        name = escape_markdown(shown_name(source.names[0], columns=_COLUMNS))
        more = f" {t('gathered.more', count=len(source.names) - 1)}" if len(source.names) > 1 else ""
        row.markdown(f"**{name}**{more} :small[:gray[{_stage(source)}]]", width="stretch")
        if source.finished:
            _button(row, source, "dismiss", icon=":material/done:", act=services.gathering.dismiss)
        elif not source.stopping:
            _button(row, source, "cancel", icon=":material/close:", act=services.gathering.cancel)
        if source.stage == "reading":
            at_hand = f" · {escape_markdown(shown_name(source.name, columns=_COLUMNS))}" if source.name else ""
            words = t("jobs.of", done=count_words(source.done), total=count_words(source.total))
            st.progress(min(1.0, source.done / source.total) if source.total else 0.0, text=f"{words}{at_hand}")
        counts = [t(f"gathered.{each}", count=count_words(source.counts[each])) for each in OUTCOMES if source.counts[each]]
        if counts:
            st.caption(" · ".join(counts))
        if source.problem:
            st.error(why(source.problem.as_json(), source.problem.reason), icon=":material/error:")
        _told(source.told)
        _left_out(source.left_out, source.unwanted)


def _button(
    row: st.delta_generator.DeltaGenerator, source: Gathered, what: str, *, icon: str, act: Callable[[str], None]
) -> None:
    key, words = f"gathered_{what}:{source.id}", t(f"jobs.{what}")
    row.button("", key=key, icon=icon, type="tertiary", help=words, on_click=act, args=(source.id,))


def _stage(source: Gathered) -> str:
    if source.stopping:
        return t("gathered.cancelled" if source.finished else "status.cancelling")
    return t(f"gathering.{source.stage}")


def _told(reports: Sequence[FileReport]) -> None:
    """What could not be had or was left out by a rule, each with its reason."""
    if not reports:
        return
    rows = [(whole_name(report.source), why(report.as_json(), report.reason, markdown=False)) for report in reports]
    with st.expander(t("gathered.told", count=count_words(len(reports))), icon=":material/warning:"):
        st.html(facts(rows[:_MOST_SHOWN]))
        if len(rows) > _MOST_SHOWN:
            st.caption(t("report.more_skipped", count=len(rows) - _MOST_SHOWN))


def _left_out(left_out: Sequence[LeftOut], unwanted: int) -> None:
    """What a folder holds of which no document is made, by the reason."""
    words = [t("gathered.unwanted", count=count_words(unwanted))] if unwanted else []
    for reason, count in Counter(left.why for left in left_out).items():
        named = [shown_name(left.name, columns=30) for left in left_out if left.why == reason][:_MOST_NAMED]
        what = plain(f"left_out.{reason}")
        words.append(t("gathered.left_out", what=what, count=count_words(count), names=", ".join(named)))
    if words:
        st.caption("  \n".join(words))
