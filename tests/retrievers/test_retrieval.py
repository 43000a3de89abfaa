"""The composed retriever on real documents: what users of such systems reported, with the right value; and the ledger."""

import pytest

from retrievers import Filter, Retrieval
from settings import Fusion
from tests.retrievers.conftest import Shelf


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("麻婆豆腐", "mapo.txt"),
        ("审批流程", "erp.txt"),
        ("ERP", "erp.txt"),
        ("refund days", "window.txt"),
        ("REFUND, DAYS!", "window.txt"),
    ],
)
def test_full_text_alone_finds_words_in_both_languages(dishes: Shelf, query: str, first: str) -> None:
    assert dishes.sources(query, vector_weight=0, top_k=2)[0] == first


def test_full_text_alone_never_returns_what_matches_nothing(dishes: Shelf) -> None:
    assert dishes.sources("麻婆豆腐", vector_weight=0, top_k=5) == ["mapo.txt"]
    found = dishes.find("zyzzyva", vector_weight=0)
    assert found.contexts == ()
    assert "no_lexical_match" in [note.code for note in found.ledger.notes]


def test_stop_words_alone_still_make_a_query(dishes: Shelf) -> None:
    assert "window.txt" in dishes.sources("is", vector_weight=0)


@pytest.mark.parametrize(
    "query", ['"refund days"', "refund AND (days", "+refund -days", "refund:days", "a\\b*", "", "   ", "？！", "\0", "\ud800"]
)
def test_any_query_is_taken_as_words(dishes: Shelf, query: str) -> None:
    assert isinstance(dishes.find(query), Retrieval)


def test_more_contexts_do_not_change_the_first_ones(dishes: Shelf) -> None:
    assert dishes.sources("怎么做鸡蛋羹", top_k=8)[:3] == dishes.sources("怎么做鸡蛋羹", top_k=3)


def test_the_weight_changes_order_and_scores(shelf: Shelf) -> None:
    shelf.add("words.txt", "A bank, a bank and again a bank: the bank of the river where the bank swallow nests.")
    shelf.add("meaning.txt", "The institution lends money at interest and keeps deposits safe.")
    question = "bank that lends money"
    words, meaning = shelf.find(question, vector_weight=0.0), shelf.find("Which company gives credit?", vector_weight=1.0)
    assert words.contexts[0].scores["bm25"].rank == 1
    assert meaning.contexts[0].source == "meaning.txt"
    mixed = shelf.find(question, vector_weight=0.5)
    assert [c.scores["fused"].score for c in mixed.contexts] != [c.scores["fused"].score for c in words.contexts]


def test_the_only_passage_with_a_number_is_first_whatever_it_is_about(shelf: Shelf) -> None:
    for n in range(12):
        shelf.add(f"{n}.txt", f"{5100 + n}")
    shelf.add("letter.txt", "Dear Sir or Madam, we thank you for the hospitality in autumn. Our reference is 4711. Kind regards.")
    found = shelf.find("4711")
    assert found.contexts[0].source == "letter.txt"
    assert found.contexts[0].scores["vector"].rank > 1, "the vectors alone would not have it first"


@pytest.mark.parametrize("method", list(Fusion))
@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_the_ledger_adds_up(dishes: Shelf, method: Fusion, weight: float) -> None:
    found = dishes.find("how long is the refund window", fusion=method, vector_weight=weight, top_k=2, depth=5)
    told = found.as_json()
    assert all(s["out"] == s["in"] + s["added"] - s["dropped"] - s["merged"] for s in told["stages"])
    stages = {s["name"]: s for s in told["stages"]}
    assert stages["fused"]["in"] == stages["bm25"]["out"] + stages["vector"]["out"]
    assert stages["evidence"]["in"] == stages["fused"]["out"]
    assert stages["top_k"]["out"] == len(told["contexts"])
    for name in ("fused", "threshold", "top_k"):
        assert stages[name]["dropped"] == sum(drop["stage"] == name for drop in told["dropped"])
    kept = {c["chunk_id"] for c in told["contexts"]}
    assert not kept & {drop["chunk_id"] for drop in told["dropped"]}


def test_a_context_is_a_slice_with_its_segments_and_scores(dishes: Shelf) -> None:
    found = dishes.find("Who created Python?")
    context = found.contexts[0]
    assert context.source == "python.md"
    assert dishes.stores.library.text(context.doc_id)[context.start : context.end] == context.text
    assert [context.segment_text(s) for s in context.segments] == [
        "Python was created by Guido van Rossum and first released in 1991."
    ]
    assert context.segments[0].winner
    assert context.matched_terms == ("created", "Python")
    assert context.scores["bm25"].rank == context.scores["vector"].rank == context.scores["fused"].rank == 1
    assert 0 <= context.relevance <= 1


def test_the_threshold_drops_by_relevance_and_says_so(dishes: Shelf) -> None:
    everything = dishes.find("Who created Python?", top_k=8)
    some = dishes.find("Who created Python?", top_k=8, score_threshold=0.5)
    assert 0 < len(some.contexts) < len(everything.contexts)
    assert all(context.relevance >= 0.5 for context in some.contexts)
    assert {drop.reason for drop in some.ledger.drops if drop.stage == "threshold"} == {"below_threshold"}


@pytest.mark.parametrize("question", ["Maria Schmidt", "70411", "VPN"])
def test_a_bare_name_or_number_is_relevant_where_it_stands(shelf: Shelf, question: str) -> None:
    """The cosine of one word with a sentence says little: the passage that holds it was shown as 0 % relevant."""
    shelf.add("people.txt", "Please send your request to Maria Schmidt in the office on the second floor.")
    shelf.add("parts.txt", "The spare part has the number 70411 and is kept in the lower drawer.")
    shelf.add("net.txt", "From home, staff reach the servers through the VPN after they have signed in.")
    shelf.add("other.txt", "The canteen serves soup on Mondays and fish on Fridays.")
    best = shelf.find(question, score_threshold=0.3).contexts[0]
    assert question in best.text
    assert best.relevance > 0.5


def test_a_question_whose_words_are_missing_lowers_the_lexical_weight(dishes: Shelf) -> None:
    assert dishes.find("Who created Python?").ledger.weights == {"bm25": 0.5, "vector": 0.5}
    assert dishes.find("Wer hat das erfunden?").ledger.weights["bm25"] == 0.0


def test_evidence_tells_own_from_foreign_questions(dishes: Shelf) -> None:
    own = [
        dishes.find(q).ledger.evidence for q in ("Who created Python?", "退款期限是多少天？", "How long is the refund window?")
    ]
    foreign = [dishes.find(q).ledger.evidence for q in ("What is a prime number?", "今天天气怎么样？", "Hello")]
    assert min(own) > dishes.settings.retrieval.evidence_threshold > max(foreign)


def test_what_is_deleted_is_gone_from_each_leg(shelf: Shelf) -> None:
    shelf.add("other.txt", "Nothing to see.")
    for name in ("it's.txt", 'a"b;--.md'):
        shelf.add(name, f"The secret word of {name[0]} is heliotrope.")
        assert name in shelf.sources("heliotrope")
        assert shelf.pipeline.delete(shelf.base, name)
        for weight in (0, 0.5, 1):
            assert name not in shelf.sources("heliotrope", vector_weight=weight)


def test_an_empty_base_gives_nothing(shelf: Shelf) -> None:
    found = shelf.find("anything")
    assert (found.contexts, found.ledger.evidence) == ((), 0.0)


def test_of_a_very_long_question_the_beginning_is_searched_and_a_note_says_so(dishes: Shelf) -> None:
    question = "Who created Python? " + "filler words " * 5000
    found = dishes.find(question)
    assert found.query == question
    assert found.contexts[0].source == "python.md"
    assert [(note.code, note.params) for note in found.ledger.notes] == [("question_cut", {"limit": 2000})]


@pytest.mark.parametrize("question", ["，。！", "🎉🎉", "???", " "])
def test_a_question_without_a_word_has_no_evidence(dishes: Shelf, question: str) -> None:
    assert dishes.find(question).ledger.evidence == 0


def test_the_words_of_a_heading_count_for_the_segment_below_it(shelf: Shelf) -> None:
    """The question's rare word stands in the heading of the answer, and in the text of a passage that only mentions it."""
    right = "Move it to the left for exact names, to the right for questions in other words."
    mention = "If nothing helps, move the weight slider, raise the depth or ask in the words of the document."
    filler = "The page shows what was found and how it was found, with a bar for every score. " * 4
    shelf.add("guide.md", f"# Guide\n\n{filler}\n\n## What does the weight slider do?\n\n{right}\n")
    shelf.add("trouble.md", f"# Trouble\n\n## Nothing is found\n\n{mention}\n")
    found = shelf.find("What does the weight slider do?")
    best = max((s.score, c.segment_text(s)) for c in found.contexts for s in c.segments)
    assert best[1] == right


@pytest.mark.parametrize("question", ["the of and is it", "is it", "a", "什么", "的 了 是 吗"])
def test_a_question_of_stop_words_has_no_evidence(dishes: Shelf, question: str) -> None:
    assert dishes.find(question).ledger.evidence == 0.0


def test_what_a_limit_grants_needs_no_evidence(shelf: Shelf) -> None:
    shelf.add("old.txt", "The refund window was ten days until 2019. Refunds were paid in cash.")
    shelf.add("new.txt", "Refund window is thirty days. Refunds go to the card.")
    shelf.add("handbook.md", "# Handbook\n\nEveryone has thirty days of leave a year.\n\nA hotel may cost 120 euros a night.")
    question = "What is the refund window in old.txt?"
    limited = shelf.retriever.retrieve(question, shelf.base, shelf.settings, limits=Filter(sources=("old.txt",)))
    assert limited.ledger.evidence > shelf.find(question).ledger.evidence + 0.02
    assert limited.ledger.evidence >= shelf.settings.retrieval.evidence_threshold
