"""What holds for all tests: how many examples properties are tried on, and which tests share a worker."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

settings.register_profile("ci", settings.get_profile("ci"), max_examples=25)
if settings.get_current_profile_name() == "ci":  # which Hypothesis chooses by the environment: there, time is limited
    settings.load_profile("ci")

BROWSER = "tests/browser"
LONG_FILES_FIRST = (f"{BROWSER}/", "tests/ui/", "tests/retrievers/", "tests/ingest/", "tests/chains/")
"""A file runs in one worker: begun at the end, a long one would leave the others idle."""


class BrowserTogether(LoadFileScheduling):  # type: ignore[misc]
    """A file's tests run in one worker, and those of the browser in the same one.

    A browser and the app behind it take a processor of their own, while the other tests wait much of their time.
    """

    def _split_scope(self, nodeid: str) -> str:
        return BROWSER if nodeid.startswith(f"{BROWSER}/") else str(super()._split_scope(nodeid))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the folders with long files first."""
    items.sort(key=lambda item: next((n for n, f in enumerate(LONG_FILES_FIRST) if item.nodeid.startswith(f)), len(items)))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BrowserTogether:
    """What hands tests to the workers of `pytest -n`."""
    return BrowserTogether(config, log)
