"""The text that is stored of a page is found again among its characters, in whatever order and form these are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingest.view.marks import Letter, lines, marks
from ingest.view.match import matches


def found(text: str, page: str) -> str:
    """The page's characters that the text was matched with, in the text's order; a dot for a place that was not."""
    numbers = matches(text, page)
    return "".join(page[numbers[place]] if place in numbers else "." for place in range(len(text)))


def test_blanks_hyphens_case_width_and_ligatures_do_not_matter() -> None:
    assert found("The office is international.", "Theoﬃce is INTER-\nNATIONAL.") == "The.oﬃﬃﬃce.is.INTERNATIONAL."
    assert found("退款期限为３０天，西安。", "退款期\n限为30天,⻄安。") == "退款期限为30天,⻄安。"
    assert found("| Rope | 12.50 |", "Rope 12.50") == "..Rope...12.50.."


def test_a_run_is_found_wherever_it_stands_and_each_character_once() -> None:
    assert matches("alpha beta gamma", "gamma beta alpha")[0] == 11
    twice = "thirty days for books. thirty days for films."
    numbers = matches(twice, twice)
    assert all(numbers[place] == place for place in numbers)
    assert len(set(numbers.values())) == len(numbers)


def test_the_right_one_of_like_places_goes_on_where_the_last_one_ended() -> None:
    page = "Total 12 EUR|Books: Total 12 EUR|Films: Total 12 EUR"
    text = "Books: Total 12 EUR\n\nFilms: Total 12 EUR\n\nTotal 12 EUR"
    numbers = matches(text, page)
    assert numbers[text.index("Films")] == page.index("Films")
    assert numbers[text.index("Total", 10)] == page.index("Total", 30)
    assert numbers[text.rindex("Total")] == 0


def test_a_number_in_a_cell_is_found_beside_its_neighbours() -> None:
    assert matches("| 7 | Rope |", "Rope 5 7")[2] == 7


def test_what_is_not_there_has_no_place() -> None:
    assert matches("entirely different", "quick brown fox") == {}
    assert matches("", "abc") == {}
    assert matches("abc", "") == {}


def test_a_page_full_of_one_letter_takes_no_forever() -> None:
    assert len(matches("a" * 20_000, "a" * 20_000)) == 20_000


PIECES = st.sampled_from(["alpha", "beta ", "退款", "三十天。", "12.50", "x-\ny", "ﬁne", "| a |", "\n"])


@given(st.lists(PIECES, max_size=12))
def test_a_text_is_found_in_itself(pieces: list[str]) -> None:
    text = "".join(pieces)
    numbers = matches(text, text)
    assert all(0 <= place < len(text) and 0 <= number < len(text) for place, number in numbers.items())
    assert [numbers[place] for place in sorted(numbers)] == sorted(numbers)
    assert set(numbers) == {place for place, ch in enumerate(text) if ch not in " -\n|"}


def letters(text: str, *, x: float = 0, top: float = 0) -> list[Letter]:
    return [Letter(ch, x + 5 * n, top, x + 5 * n + 5, top + 10) for n, ch in enumerate(text)]


def test_a_box_goes_around_a_line_and_ends_at_a_wide_gap() -> None:
    page = [*letters("abc"), *letters("def", x=15), *letters("ghi", x=200), *letters("jkl", top=14)]
    assert lines(page) == [(0, 0, 30, 10), (200, 0, 215, 10), (0, 14, 15, 24)]


def test_a_column_that_is_written_downwards_is_one_box() -> None:
    column = [Letter(ch, 90, 12 * n, 100, 12 * n + 10) for n, ch in enumerate("退款期限")]
    assert lines(column) == [(90, 0, 100, 46)]


def test_how_much_of_a_passage_was_found_is_told() -> None:
    page, size = letters("The refund period is thirty days"), (200.0, 100.0)

    def told(text: str) -> str:
        return marks(page, size, text, [(0, len(text))]).matched

    assert told("refund period is thirty days") == "all"
    assert told("The refund period is, as was said before, quite long") == "part"
    assert told("Nobody knows what else there could be: zzz") == "none"
    assert marks(page, size, "refund", []).boxes == ()
    assert marks(page, size, "refund", [(0, 6)]).boxes == ((0.1, 0.0, 0.25, 0.1),)
