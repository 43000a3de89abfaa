"""What each chunker is chosen for, and which one auto chooses."""

# mypy: disable-error-code="operator, index"
# Of a chunk's place, which only texts without a document lack: a None fails the test anyway.

import json
from itertools import pairwise

import numpy as np
import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ingest.chunkers import get_chunker, suitable
from ingest.chunkers.base import Piece, Sizes, SpanChunker, with_parts
from ingest.chunkers.recursive import SEPARATORS, RecursiveChunker
from ingest.chunkers.segments import Segment, split_segments
from ingest.chunkers.tokens import TokenChunker, counter_of, estimated
from ingest.document import LoadedDocument, PageSpan, RowSpan
from language import sentences, width
from models.embeddings import LocalEmbeddings
from settings import SettingsError, load_settings
from settings.ingest import IngestSettings
from tests.ingest.test_chunkers_all import NAMES, WORDS, bound_of, check, chunks_of

EN = " ".join(f"Sentence number {n} says a little about subject {n % 7} and no more." for n in range(200))
ZH = "".join(f"第{n}条规定要求员工在{n}日之内提交报销单据，并由主管审核。" for n in range(200))
PYTHON = '''import json

SIZE = 3


class Shop:
    """Sells lamps."""

    # how long a lamp may be returned
    @staticmethod
    def refund(days):
        if days < 30:
            return "the money is paid back within thirty days of the order"
        return None

    def ship(self, where):
        """Sends a parcel to where the customer lives, which may take a while."""
        return [where, "by train", "by boat", "by plane", "on foot", "never at all"]


async def main():
    shop = Shop()
    await shop.ship("Paris and London and Rome and Berlin and Madrid and Vienna")
'''


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("letter", ["a", "字", "😀", "\u0301", "-", "\u200d"])
def test_a_hundred_thousand_characters_without_punctuation(name, letter):
    ingest = {"chunker": name, "chunk_size": 1500, "chunk_tokens": 384}
    check(letter * 100_000, chunks_of(letter * 100_000, **ingest), bound=bound_of(ingest))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", " \n\t\u3000\r\n", "\ufeff", "x", "# Heading only", "\n\n。\n\n"])
def test_short_texts(name, text):
    found = [chunk.text.strip() for chunk in chunks_of(text, markdown=True, chunker=name)]
    assert found == ([text.strip()] if text.strip() else [])


@pytest.mark.parametrize("name", NAMES)
def test_as_langchain_splitters_their_documents_know_their_places(name):
    chunker = get_chunker(load_settings({"ingest.chunker": name, "ingest.chunk_size": 400}, env={}), WORDS)
    made = chunker.create_documents([EN, ZH], [{"source": "en"}, {"source": "zh"}])
    assert chunker.split_text(ZH) == [document.page_content for document in made if document.metadata["source"] == "zh"]
    assert len(made) > 20
    for document in made:
        whole = {"en": EN, "zh": ZH}[document.metadata["source"]]
        assert document.page_content == whole[document.metadata["start_index"] : document.metadata["end_index"]]


@pytest.mark.parametrize("text", [EN, ZH])
def test_fixed_chunks_are_of_one_size_and_repeat_a_fifth(text):
    found = chunks_of(text, chunker="fixed", chunk_size=500)
    assert all(450 <= width(chunk.text) <= 500 for chunk in found[:-1])
    overlaps = [width(text[after.start : before.end]) for before, after in pairwise(found)]
    assert all(80 <= overlap <= 100 for overlap in overlaps)
    assert not any(text[chunk.end - 1].isalpha() and text[chunk.end].isalpha() for chunk in found[:-1] if text is EN)
    assert all(width(text[b.start : a.end]) == 0 for a, b in pairwise(chunks_of(text, chunker="fixed", chunk_overlap=0)))


def test_no_character_is_torn_from_its_marks():
    text = "👩‍👩‍👧‍👦e\u0301👍🏽" * 300
    for name in ("fixed", "recursive", "token"):
        for chunk in chunks_of(text, chunker=name, chunk_size=107, chunk_tokens=40)[1:]:
            assert text[chunk.start] in "👩e👍", name


@pytest.mark.parametrize("text", [EN, ZH])
def test_sentences_are_counted_and_repeated_whole(text):
    whole = sentences(text)
    starts, ends = {s.start: n for n, s in enumerate(whole)}, {s.end: n for n, s in enumerate(whole)}
    found = chunks_of(text, chunker="sentence", chunk_sentences=5, chunk_size=8000)
    assert {ends[chunk.end] - starts[chunk.start] + 1 for chunk in found[:-1]} == {5}
    assert {ends[before.end] - starts[after.start] + 1 for before, after in pairwise(found)} == {1}
    two = width(text[whole[0].start : whole[1].end]) + 20
    wide = chunks_of(text, chunker="sentence", chunk_sentences=5, chunk_size=8000, chunk_overlap=int(two))
    assert {ends[before.end] - starts[after.start] + 1 for before, after in pairwise(wide)} == {2}
    short = chunks_of(text, chunker="sentence", chunk_sentences=50, chunk_size=300)
    assert {ends[chunk.end] - starts[chunk.start] + 1 for chunk in short} <= {3, 4, 5}
    assert len(chunks_of(text, chunker="sentence", chunk_sentences=1)) == len(whole)


def test_a_sentence_window_is_the_sentences_around_it():
    whole = sentences(EN)
    found = chunks_of(EN, chunker="sentence_window", window_sentences=2)
    assert [(chunk.start, chunk.end) for chunk in found] == whole
    assert found[0].metadata["window"] == [whole[0].start, whole[2].end]
    assert found[9].metadata["window"] == [whole[7].start, whole[11].end]
    assert [len(chunk.segments) for chunk in found] == [1] * len(found)


def test_children_know_the_parent_they_were_cut_from():
    text = f"# One\n\n{EN}\n\n# Two\n\n{ZH}"
    found = chunks_of(text, markdown=True, chunker="hierarchical", chunk_size=300, parent_size=2000)
    parents = {chunk.parent_id: chunk.metadata["parent"] for chunk in found}
    assert len(parents) == len({tuple(span) for span in parents.values()}) > 5
    assert max(sum(chunk.parent_id == each for chunk in found) for each in parents) > 3
    for chunk in found:
        start, end = chunk.metadata["parent"]
        assert start <= chunk.start < chunk.end <= end
        assert width(text[start:end]) <= 2000
        assert "\n# Two" not in text[start:end].lstrip("# ")
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_without_overlap_recursive_chunks_are_those_of_langchain():
    text = f"{EN}\n\n{EN[:5000].rpartition('.')[0]}.\n\n{ZH}"
    stock = RecursiveCharacterTextSplitter(
        list(SEPARATORS),
        keep_separator="end",
        is_separator_regex=True,
        chunk_size=400,
        chunk_overlap=0,
        length_function=lambda t: int(np.ceil(width(t))),
    )
    ours = RecursiveChunker(Sizes(chunk_size=400, min_chunk_size=0))
    assert ours.split_text(text) == [chunk.strip() for chunk in stock.split_text(text)]
    assert all(chunk[-1] in ".。" for chunk in ours.split_text(text))


@pytest.mark.parametrize("text", [EN, ZH])
def test_a_recursive_overlap_begins_with_a_sentence(text):
    starts = {span.start for span in sentences(text)}
    found = chunks_of(text, chunker="recursive", chunk_size=1000)
    overlaps = [width(text[after.start : before.end]) for before, after in pairwise(found)]
    assert all(100 <= overlap <= 200 for overlap in overlaps)
    assert all(chunk.start in starts for chunk in found)


@pytest.mark.parametrize("counter", [estimated, counter_of(LocalEmbeddings())])
@pytest.mark.parametrize("text", [EN, ZH, PYTHON * 5])
def test_tokens_are_those_of_the_embedder_or_an_estimate_near_them(text, counter):
    model = LocalEmbeddings()
    found = TokenChunker(tokens=100, repeated=20, counter=counter).split_text(text)
    counts = model.token_counts(found)
    if counter is not estimated:
        assert all(90 <= count <= 108 for count in counts[:-1])
    assert all(80 <= count <= 112 for count in counts[:-1])


def test_the_embedder_s_tokens_are_counted_where_it_tells_them():
    text = "Donaudampfschifffahrtsgesellschaftskapitän " * 200
    settings = load_settings({"ingest.chunker": "token", "ingest.chunk_tokens": 64}, env={})
    local = get_chunker(settings, LocalEmbeddings()).split_text(text)
    assert all(50 <= count <= 68 for count in LocalEmbeddings().token_counts(local[:-1]))
    assert local != get_chunker(settings, WORDS).split_text(text)


def test_structure_of_python_is_its_classes_and_functions():
    found = chunks_of(PYTHON, source="shop.py", chunker="structure", chunk_size=330, min_chunk_size=1)
    refund = next(chunk for chunk in found if "def refund" in chunk.text)
    assert refund.heading == "Shop / refund"
    assert refund.text.startswith("# how long a lamp may be returned\n    @staticmethod\n    def refund")
    assert next(chunk for chunk in found if "def ship" in chunk.text).heading == "Shop / ship"
    assert next(chunk for chunk in found if "async def main" in chunk.text).heading == "main"
    assert found[0].heading is None
    assert all(piece.count("def ") <= 1 for piece in (chunk.text for chunk in found))


@pytest.mark.parametrize(
    ("source", "unit", "heading"),
    [
        ("a.go", "func (s *Shop) Refund{n}() int {{\n\treturn {n}\n}}\n\n", "Refund5"),
        ("a.java", "public class Lamp{n} {{\n    int days = {n};\n}}\n\n", "Lamp5"),
        ("a.ts", "export function refund{n}(days: number) {{\n  return days < {n};\n}}\n\n", "refund5"),
        ("a.rs", "pub fn refund{n}(days: u32) -> bool {{\n    days < {n}\n}}\n\n", "refund5"),
    ],
)
def test_structure_of_other_languages(source, unit, heading):
    text = "".join(unit.format(n=n) for n in range(9))
    found = chunks_of(text, source=source, chunker="structure", chunk_size=100, min_chunk_size=1)
    assert heading in [chunk.heading for chunk in found]


def test_structure_of_json_is_its_keys():
    shop = {
        "name": "Lamps",
        "用户": [{"id": n, "bio": "walks and reads and sleeps " * 5} for n in range(9)],
        "open": {"mon": "9-5"},
    }
    for text in (json.dumps(shop, ensure_ascii=False), json.dumps(shop, indent=2)):
        found = chunks_of(text, source="shop.json", chunk_size=400, min_chunk_size=100)
        walker = next(chunk for chunk in found if '"id": 3,' in chunk.text)
        assert walker.heading == "用户 / 3"
        assert walker.embed_text.startswith("Title / 用户\n")
        assert len([chunk for chunk in found if "walks" in chunk.text]) == 9
        assert json.loads(walker.text.strip().rstrip(",]").strip())["id"] == 3
        assert chunks_of('{"a": 1, "b": [2, 3]}', source="a.json")[0].text == '{"a": 1, "b": [2, 3]}'


def test_structure_of_json_lines_and_yaml():
    lines = "\n".join(json.dumps({"id": n, "text": "some words to fill a line " * 8}) for n in range(5))
    found = chunks_of(lines, source="a.jsonl", chunk_size=300)
    assert [json.loads(chunk.text)["id"] for chunk in found] == list(range(5))
    assert [chunk.heading for chunk in found] == list("01234")
    text = "".join(
        f"service{n}:\n  image: lamp\n  about: >\n    {'a lamp that shines ' * 8}\n  ports: [80, 90]\n" for n in range(5)
    )
    found = chunks_of(f"# all\n{text}", source="a.yaml", chunk_size=300)
    assert [chunk.heading for chunk in found] == [f"service{n}" for n in range(5)]
    assert all(chunk.text.count("service") == 1 for chunk in found)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a.json", '{"a": [1, 2' + ", 3" * 400),
        ("a.json", "[" * 5000 + "]" * 5000),
        ("a.json", '"\\"' * 2000),
        (
            "a.yaml",
            "a: &a [x, x, x]\n"
            + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(12)),
        ),
        ("a.yaml", "[" * 3000),
        ("a.yaml", "? {a: 1}\n: {b: 2}\n? [x]\n: y\n" * 60),
        ("a.py", "class " * 800),
        ("a.py", "@once\n" * 300 + "def a(): pass\n"),
        ("a.py", "\t" * 300 + "def b():\n" + " " * 2000 + "x"),
    ],
)
def test_structure_of_what_is_broken_or_means_harm(source, text):
    check(text, chunks_of(text, source=source, chunker="structure", chunk_size=200), bound=200)


def test_structure_of_markdown_joins_small_sections_only_under_one_roof():
    small = "A short word on it.\n\n"
    text = f"# One\n\n## A\n\n{small}## B\n\n{small}# Two\n\n## C\n\n{small}{EN[:2000]}\n"
    found = chunks_of(text, markdown=True, chunker="structure", chunk_size=1000)
    assert [chunk.text.split("\n")[0] for chunk in found[:2]] == ["# One", "# Two"]
    assert "## B" in found[0].text
    assert [chunk.heading for chunk in found[:2]] == ["One / A", "Two / C"]


def test_markdown_recursive_never_joins_two_sections():
    text = f"# One\n\nshort\n\n## Two\n\n### Three\n\n{EN[:3000]}\n\n## Four\n\nshort\n"
    found = chunks_of(text, markdown=True, chunker="markdown_recursive", chunk_size=1000)
    assert [chunk.text[:8] for chunk in found if chunk.text.startswith("#")] == ["# One\n\ns", "## Two\n\n", "## Four\n"]
    assert {chunk.heading for chunk in found} == {"One", "One / Two / Three", "One / Four"}
    long = [chunk for chunk in found if chunk.heading == "One / Two / Three"]
    assert all(before.end > after.start for before, after in pairwise(long))


def test_rows_stay_whole_in_chunks_and_in_segments():
    rows = [f"city: City {n}\ncountry: 国家{n}\nabout: {'a fine place to see ' * (n % 5)}".strip() for n in range(60)]
    text = "\n\n".join(rows)
    found = chunks_of(text, source="a.csv", chunk_size=700)
    assert [row for chunk in found for row in chunk.text.split("\n\n")] == rows
    assert all(
        text[end : end + 2] in ("\n\n", "") and text[max(0, start - 2) : start] in ("\n\n", "")
        for c in found
        for start, end in c.segments
    )
    table = "# Sheet\n\n| a | b |\n|---|---|\n" + "".join(f"| row {n} | {'x' * 40} |\n" for n in range(60))
    lines = [line for chunk in chunks_of(table, markdown=True, chunker="rows", chunk_size=500) for line in chunk.text.split("\n")]
    assert [line for line in lines if line.startswith("| row")] == [f"| row {n} | {'x' * 40} |" for n in range(60)]


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (LoadedDocument("a.md", "x", markdown=True), "semantic"),
        (LoadedDocument("a.txt", "x"), "semantic"),
        (LoadedDocument("README", "x"), "semantic"),
        (LoadedDocument("a.tex", "x"), "semantic"),
        (LoadedDocument("a.PY", "x"), "structure"),
        (LoadedDocument("a.zip/b.json", "x"), "structure"),
        (LoadedDocument("a.yml", "x"), "structure"),
        (LoadedDocument("a.csv", "x"), "rows"),
        (LoadedDocument("a.txt", "x", rows=(RowSpan(None, 1, 0, 1),)), "rows"),
        (LoadedDocument("a.py", "x", pages=(PageSpan(1, 0, 1),)), "semantic"),
    ],
)
def test_auto_chooses_by_the_document(document, name):
    assert suitable(document) == name
    assert get_chunker(load_settings(env={}), WORDS, document=document).name == name
    assert get_chunker(load_settings({"ingest.chunker": "fixed"}, env={}), WORDS, document=document).name == "fixed"


def test_the_report_names_the_chunker(desk):
    assert desk.add("a.md", "# Lamps\n\nThey shine.").chunker == "semantic"
    assert desk.add("a.py", "def a():\n    return 1\n").chunker == "structure"
    assert desk.add("b.md", "# Lamps\n\nThey shine at night.", chunker="token").as_json()["chunker"] == "token"


@pytest.mark.parametrize(
    ("chunker", "width_"), [("fixed", 240), ("recursive", 240), ("semantic", 0), ("structure", 0), ("auto", 0), ("rows", 0)]
)
def test_the_overlap_is_left_to_the_chunker_unless_it_is_set(chunker, width_):
    assert IngestSettings(chunker=chunker).overlap == width_
    assert load_settings({"ingest.chunker": chunker, "ingest.chunk_overlap": "70"}, env={}).ingest.overlap == 70
    kept = load_settings({"ingest.chunker": chunker, "ingest.chunk_overlap": "auto"}, env={})
    assert kept.flat()["ingest.chunk_overlap"] == "auto"
    assert kept.override({"ingest.chunk_overlap": kept.flat()["ingest.chunk_overlap"]}) == kept
    assert (
        load_settings(env={"GLASSBOX_INGEST__CHUNK_OVERLAP": "auto", "GLASSBOX_INGEST__CHUNKER": chunker}).ingest.overlap
        == width_
    )
    with pytest.raises(SettingsError, match="chunk_overlap = '2001': should be less than or equal to 2000"):
        load_settings(["ingest.chunk_overlap=2001"], env={})


class Given(SpanChunker):
    """Chunks at given places."""

    name = "given"

    def __init__(self, *spans: tuple[int, int]) -> None:
        super().__init__(Sizes(segment_size=300))
        self._spans = spans

    def cut(self, text, ruler, *, markdown):
        return [Piece(*span) for span in self._spans]


def test_segments_end_where_chunks_do_but_for_scraps_in_an_overlap():
    text = "word " * 400
    apart = Given((0, 704), (705, 1999)).segments(text)
    assert any(segment.end == 704 for segment in apart)
    overlapping = Given((0, 704), (500, 1999)).segments(text)
    assert {500, 704} <= {segment.start for segment in overlapping} | {segment.end for segment in overlapping}
    scraps = Given((0, 519), (500, 1999)).segments(text)
    assert 519 not in {segment.end for segment in scraps}
    assert 500 in {segment.start for segment in scraps} or 500 not in {segment.end for segment in scraps}


def test_of_a_segment_that_reaches_over_a_chunk_s_end_the_chunk_has_its_own_part():
    text = "One two three.  Four five six.  Seven."
    segments = [Segment(0, 14, 0, ("A",)), Segment(16, 30, 16, ("B",)), Segment(32, 38, 32, ("C",))]
    first, second, blank = with_parts(text, [Piece(0, 20), Piece(10, 38), Piece(14, 17)], segments)
    assert [tuple(part) for part in first.parts] == [(0, 0, 14), (1, 16, 20)]
    assert [tuple(part) for part in second.parts] == [(0, 10, 14), (1, 16, 30), (2, 32, 38)]
    assert [tuple(part) for part in blank.parts] == [(1, 16, 17)]
    assert (first.path, second.path, blank.path) == (("A",), ("A",), ("B",))
    [heading] = with_parts("# Head\n\nBody", [Piece(2, 6)], [Segment(8, 12, 0, ("Head",))])
    assert [tuple(part) for part in heading.parts] == [(0, 2, 6)]


def test_a_clipped_segment_weighs_as_much_as_there_is_of_it():
    text = "".join(f"Cats purr and sleep, number {n}. " for n in range(40))
    for chunk in chunks_of(text, chunker="fixed", chunk_size=400, chunk_overlap=40, segment_size=300):
        weights = [end - start for start, end in chunk.segments]
        mean = np.average(chunk.segment_vectors, axis=0, weights=weights)
        assert chunk.vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


@pytest.mark.parametrize("cut", [3, 20, 40, 60, 100])
def test_no_segment_crosses_a_cut_not_even_in_a_heading(cut):
    text = f"# A heading of some length\n\n{EN[:300]}\n\n## Another one\n\n{EN[300:600]}"
    plain = split_segments(text, size=100, markdown=True)
    found = split_segments(text, size=100, markdown=True, cuts=[cut])
    assert all(not segment.lead < cut < segment.end for segment in found)
    assert any(segment.start < cut for segment in found)
    assert all(found[i].end <= found[i + 1].lead for i in range(len(found) - 1))
    assert [segment for segment in found if segment.lead > 400] == [segment for segment in plain if segment.lead > 400]


def test_the_rest_of_a_divided_entry_does_not_join_the_entry_after_it():
    text = "shop:\n" + "".join(f"  part{n}:\n    {'word ' * 30}\n" for n in range(3)) + "rest:\n  a: 1\nlast:\n  b: 2\n"
    found = chunks_of(text, source="a.yaml", chunk_size=400, min_chunk_size=200)
    assert [chunk.heading for chunk in found] == ["shop", "shop / part2", None]
    assert found[-1].text == "rest:\n  a: 1\nlast:\n  b: 2"
