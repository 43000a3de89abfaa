"""Rows of any table, as text: nothing is lost, and each place is right."""

from __future__ import annotations

from hypothesis import event, given, settings
from hypothesis import strategies as st

from ingest.loaders.sheets.grid import Row, tidy_cell
from ingest.loaders.sheets.rows import RowWriter

CELLS = st.sampled_from(["", "", "", "Name", "价格", "2023", "12", "3.5%", "—", "# x", "```", "a: b", "two\nlines", "说" * 90])
GRIDS = st.lists(st.lists(CELLS | st.text(max_size=5).map(tidy_cell), max_size=7), max_size=14)


@settings(deadline=None)
@given(grid=GRIDS, gaps=st.booleans(), markdown=st.booleans(), size=st.integers(20, 400))
def test_each_value_is_told_once_or_as_a_name_and_each_place_is_right(
    grid: list[list[str]], gaps: bool, markdown: bool, size: int
) -> None:
    rows = [Row(number, cells) for number, cells in enumerate(grid, start=1)]
    written = RowWriter(size=size, markdown=markdown, gaps=gaps).write(iter(rows), "Sheet")
    text = written.text
    event("with a name" if ": " in text else "without")
    for row in rows:
        for cell in filter(None, row.cells):
            assert " ".join(cell.split()).rstrip(":： ") in " ".join(text.split())
    places = [(start, end) for _, start, end in written.rows]
    assert places == sorted(places)
    for number, start, end in written.rows:
        assert 0 <= start < end <= len(text)
        told = " ".join(text[start:end].split())
        assert any(" ".join(cell.split()) in told for cell in grid[number - 1] if cell)
        assert "\n\n" not in text[start:end]
