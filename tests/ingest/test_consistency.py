"""Whatever is added, replaced and deleted in whatever order: rows and chunks stay in step, and both legs say the same."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

NAMES = ["a.txt", "b.md", "it's.txt"]
CONTENTS = ["", "alpha one.", "# Beta\n\nbeta two. " * 30, "gamma three. " * 80]
MARKS = ["", "alpha", "beta", "gamma"]


class Shelf(RuleBasedStateMachine):
    """A base beside a plain dictionary of what should be in it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.desk = Desk.on(self.folder, WordEmbeddings(8), **{"ingest.chunk_size": 400, "ingest.min_chunk_size": 50})
        self.expected: dict[str, int] = {}

    @rule(name=st.sampled_from(NAMES), number=st.sampled_from(range(len(CONTENTS))))
    def add(self, name: str, number: int) -> None:
        status = self.desk.add(name, CONTENTS[number]).status
        before = self.expected.get(name)
        others = [other for other, content in self.expected.items() if content == number and other != name]
        if before == number:
            assert status == "unchanged"
        elif others and number:
            assert status == "duplicate"
        else:
            assert status in (("empty",) if not number else ("indexed", "replaced"))
        self.expected[name] = number

    @rule(name=st.sampled_from(NAMES))
    def delete(self, name: str) -> None:
        assert self.desk.delete(name) == (name in self.expected)
        self.expected.pop(name, None)

    @rule()
    def restart(self) -> None:
        self.desk.library.engine.dispose()
        self.desk = self.desk.reopened()
        assert self.desk.pipeline.recover(self.desk.settings) == []

    @rule()
    def finish(self) -> None:
        self.desk.pipeline.finish(self.desk.base)

    @invariant()
    def in_step(self) -> None:
        self.desk.check()
        names = {name: d for d in self.desk.library.documents(self.desk.base) for name in (d.source, *d.aliases)}
        assert set(names) == set(self.expected)
        for number, mark in enumerate(MARKS[1:], start=1):
            holders = {name for name, content in self.expected.items() if content == number}
            found = set(self.desk.lexical(mark))
            assert found <= holders
            assert len(found) == bool(holders)

    def teardown(self) -> None:
        self.desk.library.engine.dispose()
        shutil.rmtree(self.folder)


TestShelf = Shelf.TestCase
TestShelf.settings = settings(max_examples=8, stateful_step_count=12, deadline=None)
