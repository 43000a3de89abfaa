"""From a source into a base: what is new or changed is indexed, and what is gone from the source can be taken out of the base."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace

from pydantic import SecretStr

from ingest.errors import LoadError
from ingest.pipeline import Pipeline
from ingest.report import FileReport, Progress, failed
from ingest.sources.item import Item
from ingest.sources.kept import Kept
from settings import Settings
from store.bases import Base
from store.errors import StoreError
from store.origins import Origin

CHANGING = ("indexed", "replaced", "empty", "duplicate", "deleted", "renamed")
"""Statuses after which the index is to be folded (`Pipeline.finish`)."""
_AT_ONCE = 100
"""Origins written down in one transaction: a folder of unchanged files would wait for the disk a thousand times."""


class Intake:
    """Puts a source's documents into a base, as `kept` says it is, one after the other.

    `wanted` is asked between two steps of a file: as soon as it says no, the file at hand is let go of, and no other is begun.
    `password` opens those that are encrypted; it is not kept.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        base: Base,
        kept: Kept,
        settings: Settings,
        *,
        wanted: Callable[[], bool] = lambda: True,
        password: SecretStr | None = None,
    ) -> None:
        self._pipeline, self._base, self._kept, self._settings = pipeline, base, kept, settings
        self._wanted, self._password = wanted, password
        self._taken: list[Origin] = []

    def take(self, items: Iterable[Item]) -> Iterator[tuple[str, Progress | FileReport]]:
        """What becomes of each item, by its name: how far it is, and in the end its report.

        An item that is left out on purpose is `skipped`; one that cannot be had is `failed`; the others go on.
        """
        items = iter(items)
        try:
            while self._wanted():
                item = next(items, None)
                if item is None:
                    return
                for event in self._events(item):
                    yield item.name, event
        finally:
            self._write_down()

    def remove(self, names: Iterable[str]) -> Iterator[FileReport]:
        """Take documents out whose source has them no more; what was the same under another name stays under that."""
        for name in names:
            if not self._wanted():
                return
            was_there = self._pipeline.delete(self._base, name)
            self._kept.forget([name])
            if was_there:
                yield FileReport(name, "deleted")

    def _events(self, item: Item) -> Iterator[Progress | FileReport]:
        if item.error is not None:
            yield told(item.name, item.error, skipped=item.skipped)
        elif item.unchanged:
            yield self._kept.known.as_it_is(item.name)
        elif item.data is not None:
            yield from self._add(item, item.data)

    def _add(self, item: Item, data: bytes) -> Iterator[Progress | FileReport]:
        try:
            report = self._kept.known.unchanged(item.name, data)
        except StoreError as error:
            yield failed(item.name, error)
            return
        if report is None:
            with closing(self._pipeline.add(self._base, item.name, data, self._settings, password=self._password)) as events:
                for event in events:
                    if isinstance(event, FileReport):
                        report = event
                        break
                    yield event
                    if not self._wanted():
                        return
        if report is None:
            return
        if item.origin and report.status != "failed":
            self._taken.append(item.origin)
            if len(self._taken) >= _AT_ONCE:
                self._write_down()
        yield report

    def _write_down(self) -> None:
        """What came from where; should a kill come before it, the files are read once more, and found unchanged."""
        taken, self._taken = self._taken, []
        self._kept.remember(*taken)


def told(name: str, error: LoadError, *, skipped: bool = False) -> FileReport:
    """The report of what could not be had, or with `skipped` of what was left out by a rule."""
    report = failed(name, error)
    return replace(report, status="skipped") if skipped else report
