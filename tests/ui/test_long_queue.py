"""A queue of hundreds of files: counted, and drawn in part."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from ingest.jobs import Upload
from ingest.standing import Standing
from tests.ui.pages import chat, press, said, shown, until
from ui.components.jobs import REDRAW_SECONDS, is_worth_a_redraw
from ui.services import Services

MANY = 150


@pytest.fixture
def queued(real: Services) -> Services:
    """Many files wait, as somebody paused them."""
    real.library.ensure_base("default")
    real.jobs.pause("default")
    real.jobs.submit("default", [Upload(f"{n:03}.txt", b"words") for n in range(MANY)], real.settings())
    return real


def rows(page: AppTest) -> int:
    return sum(".txt" in each.value for each in page.markdown)


def test_the_chat_draws_the_first_and_counts_the_rest(queued: Services) -> None:
    page = chat(queued)
    assert rows(page) == 20
    assert "000.txt" in said(page).replace("\\", "")
    assert "And 130 more are waiting." in said(page)


def test_the_jobs_draw_the_first_and_cancel_all(queued: Services) -> None:
    page = shown(queued, "jobs")
    assert rows(page) == 20
    assert f"0 of {MANY} done" in said(page)
    assert "And 130 more are waiting." in said(page)
    page = press(page, "cancel_all:0")
    assert queued.jobs.standing("default").counts == {"amiss": MANY}
    assert (rows(page), f"{MANY} of {MANY} done" in said(page)) == (60, True)
    assert "And 90 more need a look." in said(page)
    page = press(page, "clear:0")
    assert queued.jobs.standing("default").total == 0
    assert "No files have been handed over" in said(page)


def test_of_many_that_are_done_the_last_are_shown(queued: Services) -> None:
    queued.jobs.resume("default")
    until(lambda: not queued.jobs.busy("default"))
    page = shown(queued, "jobs")
    assert queued.jobs.standing("default").counts == {"fine": MANY}
    assert any(expander.label == f"Finished files · {MANY}" for expander in page.expander)
    assert (rows(page), "149.txt" in said(page).replace("\\", "")) == (60, True)
    assert "And 90 before these." in said(page)


def test_a_page_that_follows_the_work_is_drawn_anew_for_the_first_and_the_last_file_at_once(monkeypatch) -> None:
    def standing(waiting: int, fine: int) -> Standing:
        return Standing({"waiting": waiting, "fine": fine})

    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    just_now, long_ago = 99.0, 100.0 - REDRAW_SECONDS
    assert is_worth_a_redraw(standing(9, 1), standing(10, 0), just_now)
    assert not is_worth_a_redraw(standing(8, 2), standing(9, 1), just_now)
    assert is_worth_a_redraw(standing(8, 2), standing(9, 1), long_ago)
    assert not is_worth_a_redraw(standing(9, 1), standing(9, 1), long_ago)
    assert is_worth_a_redraw(standing(0, 10), standing(1, 9), just_now)
    assert is_worth_a_redraw(standing(3, 10), standing(0, 10), just_now)
