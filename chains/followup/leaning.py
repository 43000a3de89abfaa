"""Whether, and how, a question leans on what was said before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from chains.followup.passives import is_of_a_thing, lacks_subject
from chains.followup.phrases import Phrase, TokensOf, is_function_word, phrases
from language import detect

How = Literal["alone", "pronoun", "instead", "more", "done", "reply"]
"""`alone`: not at all. `pronoun`: a word stands for the subject. `instead`: it names what takes the place of a part of the
question before ("And in Germany?"). `more`: it only asks on ("Why?"). `done`: it says what was done, and not to what ("Made by
Acme?"). `reply`: it answers or confirms ("Yes, B1")."""

_THINGS = frozenset("it its itself 它 它的 其 该".split())
_OTHERS = frozenset(
    """
    this that these those 这 这个 那个 此 he him his himself she her hers herself they them their theirs themselves one ones
    他 她 他们 她们 它们 这些 那些 这种 那种 这款 那款 这家 那家 这本 那本 这位 那位
    """.split()
)
_ELSE = frozenset("else others another same former latter instead 前者 后者 上述 同样 其余".split())
_AUXILIARIES = frozenset("do does did is are was were can could will would has have had should may might must".split())
_OPENER = re.compile(
    r"\s*(?:(?:and|but|or|also|so|then|plus|only|just|even)\b[\s,]*)?(?:(?:what|how) about\b|what of\b|what if\b)?"
    r"(?:那要是|那么?|还有|另外|以及|而|或者?|只|如果)?[，,\s]*",
    re.IGNORECASE,
)
_PREPOSITIONS = frozenset("in on at for of to from with by about during after before under without than like".split())
_OWNERS = frozenset("its his their theirs her hers 其".split())
_RELATIVES = frozenset("that this these those one ones".split())
_BLANK = re.compile(r"\s+")
_EXPLETIVE = re.compile(
    r"\b(?:is|was|would|be|isn't|wasn't)\s+it\s+(?:\w+\s+){1,3}?(?:to|that|for|if)\b"
    r"|\b(?:does|did|will|would|can)\s+it\s+(?:take|cost|require|help|make\s+sense)\b.*?\bto\s+\w+\s+(?:\w+\s+)*?(?:an?|the|my|our|your|\w{4,})\b"
    r"|\bit\s+(?:takes|costs)\b.*?\bto\s+\w+\s+(?:an?|the|my|our|your)\b",
    re.IGNORECASE,
)
"""An "it" that stands for nothing: "Is it possible to …", "How long does it take to get a refund?"."""
_OPENED = re.compile(
    r"\s*(?:(?:and|but|or|also|so|then|plus|only|just|even)\b|(?:what|how) about\b|what of\b|what if\b"
    r"|那(?!些|个|种|里|样|款|家|位|本)|还有|另外|以及)",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"\s*(?:(?:yes|yeah|yep|no|nope|ok|okay|sure|right|correct|exactly)\b|(?:是的?|对的?|好的?|嗯|不是|没错|不|可以)(?=[，,。！!\s]|$))"
    r"[\s,.!，。！]*",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\s*(?:还?可不?可以|还?能不能|还?可以|还?能|还?需要|还?需不需要|还?要|会不会|还?会)(?=[\u4e00-\u9fff]{1,6}[吗么嘛？?]|[\u4e00-\u9fff]{1,4}$)"
)
"""可以结转吗？ asks on about what was spoken of: Chinese leaves out the subject."""
_CLAUSE = re.compile(r"[,;:，；：。.!?！？]\s|[，；：]|\b(?:and|but|when|if|because|while)\b", re.IGNORECASE)
_SMALL = frozenset(
    "a an the in on at for of to from with by about during its their his her this that 在 的 呢 对 从 用 是".split()
)
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Leaning:
    """How a question leans, and on which words of it: the pronoun's span, or the phrase that takes another's place.

    `preposition` stands before that phrase, and so before the one whose place it takes ("in" of "And in Germany?").
    """

    how: How
    start: int = 0
    end: int = 0
    preposition: str = ""
    is_thing: bool = False
    """The pronoun stands for one thing, not for a person, several things or a whole matter."""


def leaning(question: str, tokens_of: TokensOf) -> Leaning:
    """How the question leans on what came before, if there was something."""
    about = phrases(question, tokens_of)
    reply = _REPLY.match(question)
    if reply and reply.end() and 0 < len(about) <= 2:
        return Leaning("reply", reply.end(), len(question))
    stands_for_nothing = _EXPLETIVE.search(question) and not is_of_a_thing(question)
    pronoun = None if stands_for_nothing else _pronoun(question, about, tokens_of)
    if pronoun:
        return pronoun
    if not about:
        return Leaning("more")
    if lacks_subject(question, tokens_of):
        return Leaning("done")
    opened = bool(_OPENED.match(question)) or bool(re.search(r"呢\s*[？?]?\s*$", question))
    if len(about) == 1 and _is_bare(question, about[0], tokens_of) and (opened or not _starts_alone(question)):
        before = _TOKEN.findall(question[_opened_until(question) : about[0].start].lower())
        return Leaning("instead", about[0].start, about[0].end, next((w for w in before if w in _PREPOSITIONS), ""))
    asks_on = bool(_MODAL.match(question)) and len(about) == 1 and not about[0].named
    return Leaning("more") if opened or asks_on else Leaning("alone")


def _pronoun(question: str, about: list[Phrase], tokens_of: TokensOf) -> Leaning | None:
    """The first word that stands for something before the question."""
    before = ""
    for start, end in _token_spans(question, tokens_of):
        word = question[start:end]
        lowered = word.lower()
        if lowered in _THINGS | _OTHERS | _ELSE and not _has_antecedent(question, start, end, before, about):
            if lowered in _ELSE:
                return Leaning("more")
            if not (detect(question) == "zh" and word == "那"):
                return Leaning("pronoun", start, end, is_thing=lowered in _THINGS)
        before = lowered
    return None


def _has_antecedent(question: str, start: int, end: int, before: str, about: list[Phrase]) -> bool:
    """Whether the word at `start` may stand for something that the question itself has named."""
    earlier = [phrase for phrase in about if phrase.end <= start]
    if not earlier:
        return False
    word = question[start:end].lower()
    other_clause = _CLAUSE.search(question, earlier[-1].end, start)
    if other_clause or any(phrase.named for phrase in earlier):
        return True
    if before in _AUXILIARIES | _PREPOSITIONS:  # "What battery does it have?" does not ask of the battery
        return False
    is_object = bool(_BLANK.fullmatch(question, earlier[-1].end, start)) and word not in _OWNERS  # "How do I cancel it?"
    ends = not re.search(r"\w", question[end:])
    return not (is_object and (ends or word not in _RELATIVES))


def _token_spans(question: str, tokens_of: TokensOf) -> list[tuple[int, int]]:
    spans = []
    for match in _TOKEN.finditer(question):
        if match[0].isascii():
            spans.append(match.span())
            continue
        at = 0
        for token in tokens_of(match[0]):
            place = match[0].find(token, at)
            if place >= 0:
                at = place + len(token)
                spans.append((match.start() + place, match.start() + at))
    return spans


def _is_bare(question: str, phrase: Phrase, tokens_of: TokensOf) -> bool:
    """Whether the question is the phrase, an opener before it, and small words."""
    begin = _opened_until(question)
    rest = f"{question[begin : phrase.start]} {question[phrase.end :]}" if begin <= phrase.start else question[phrase.end :]
    left = [rest[a:b].lower() for a, b in _token_spans(rest, tokens_of)]
    return all(word in _SMALL for word in left)


def _opened_until(question: str) -> int:
    opener = _OPENER.match(question)
    return opener.end() if opener else 0


def _starts_alone(question: str) -> bool:
    """Whether a bare phrase stands for itself: "Thanks!", or what people type into a search box, of two words or more."""
    if not question.rstrip().endswith(("?", "？")):
        return True
    words = [word for word in _TOKEN.findall(question) if not is_function_word(word)]
    return len(words) > 1 or any(len(word) > 3 and not word.isascii() for word in words)
