"""What a question is about: its phrases, the runs of words that are no function words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from language.script import CJK_RUN
from language.stopwords import ENGLISH

TokensOf = Callable[[str], list[str]]
"""How a text is parted into words; those of Chinese stand in it as they are."""

ENGLISH_TASKS = frozenset("compare define describe explain find give list name outline show summarise summarize tell".split())
"""What a question that is an order begins with."""
CHINESE_FUNCTION_WORDS = frozenset(
    """
    的 地 得 了 着 过 吗 呢 吧 啊 呀 么 嘛 谁 您 你 我 他 她 它 他们 她们 它们 我们 你们 咱们 自己 其 该 此 这 那 哪 这个
    那个 哪个 这些 那些 哪些 这种 那种 哪种 这里 那里 哪里 哪儿 这样 那样 什么 什么样 什么时候 怎么 怎样 怎么样 怎么办
    如何 为什么 为何 多少 几 几个 多 多久 多长 多大 多高 多远 多快 是 是否 是不是 有 有没有 没有 没 不 在 和 与 跟 及 以及
    或 或者 还是 还 还有 也 都 就 才 又 再 很 太 最 更 请 请问 能 能否 能不能 可以 可不可以 可 会 要 需要 想 应该 必须 把
    被 让 给 对 对于 关于 从 到 向 由 用 以 于 之 个 只 款 种 项 家 位 台 本 一 一个 一下 那么 另外 而 而且 但 但是 如果
    因为 所以 时候 每 每张 每个 每次 多少钱 介绍 告诉 对的 是的 好的 嗯
    """.split()
)
_QUOTED = re.compile(r"《[^《》]{1,60}》|“[^“”]{1,60}”|「[^「」]{1,60}」|\"[^\"]{1,60}\"")
_WORD = re.compile(rf"{CJK_RUN.pattern}|(?:(?!{CJK_RUN.pattern[:-1]})[^\W_])+(?:[-'’.&](?:(?!{CJK_RUN.pattern[:-1]})[^\W_])+)*")
_HOW_MANY = re.compile("[几多][\u4e00-\u9fff]")
_POSSESSIVE = re.compile("['’][sS]$")
_HOW = re.compile(r"\bhow\s+(?:long|often|far|soon)$", re.IGNORECASE)
_BLANK = re.compile(r"[ \t\u3000-]*")
_ARTICLE = re.compile(r"\b(?:the|an?|this|that|our|my|your)\s+$", re.IGNORECASE)
_CAPITALISED = re.compile("[A-Z][a-z]+")
WHO = re.compile(r"\s*(?:(?:and|but|so)\s+)?who\s+|\s*(?:是?谁)(?:最先|首先|最早)?(?=[\u4e00-\u9fff])", re.IGNORECASE)
"""In front of the verb of a question for who did something."""
BRACKETS = re.compile(r"\s*[(（]([^()（）]*)[)）]$")
"""What was carried over from earlier questions, behind this one."""
_VERB_FOLLOWS = re.compile(
    r"\b(?:do|does|did|can|could|will|would|should|must|may|might)\b|^\W*(?:is|are|was|were|ha[sd]|have)\b", re.I
)
_DOES = re.compile(r"\b(?:do|does|did)\b", re.IGNORECASE)
_LONGEST_NOUN = 2
"""Plain words that go with a name before them."""


@dataclass(frozen=True)
class Phrase:
    """A phrase and where it stands; `named` if it looks like a name: capitals, digits among letters, quotation marks."""

    text: str
    start: int
    end: int
    named: bool


def phrases(question: str, tokens_of: TokensOf) -> list[Phrase]:
    """The phrases in order. A name ends where plain words begin, so "Zephyr X2 battery" is two; but "the Blue teapot" is one."""
    found, acts = list[Phrase](), None
    who = WHO.match(question)
    for word in _words(question, tokens_of):
        acts = word if who and word.start == who.end() else acts
        last = found[-1] if found else None
        joined = last and last.named == word.named and last != acts and _BLANK.fullmatch(question, last.end, word.start)
        if last and joined and not last.text.startswith(tuple('《“「"')):
            found[-1] = Phrase(question[last.start : word.end], last.start, word.end, word.named)
        else:
            found.append(word)
    every = [part for each in _described(question, found) for part in _without_verb(question, each)]
    long = [each for each in every if len(each.text) > 1 or each.named]
    return long if any(each != acts for each in long) else every  # 镭 is all that 谁发现了镭？ is about


def _described(question: str, found: list[Phrase]) -> list[Phrase]:
    """The phrases, the noun that a single capitalised word describes joined to it: "the Blue teapot".

    Where the verb stands behind its subject ("does the Aurora heater cost"), the last plain word is the verb.
    """
    joined: list[Phrase] = []
    for each in found:
        last = joined[-1] if joined else None
        if last and not each.named and _describes(question, last, each):
            words = list(re.finditer(r"\S+", each.text))
            noun = words[: len(words) - bool(_VERB_FOLLOWS.search(question[: last.start]))][:_LONGEST_NOUN]
            if noun:
                end = each.start + noun[-1].end()
                joined[-1] = Phrase(question[last.start : end], last.start, end, named=True)
                rest = words[len(noun) :]
                joined += [Phrase(each.text[at.start() :], each.start + at.start(), each.end, named=False) for at in rest[:1]]
                continue
        joined.append(each)
    return joined


def _without_verb(question: str, phrase: Phrase) -> Iterator[Phrase]:
    """The thing and what it does, of "does the red mug cost?"."""
    words = phrase.text.split()
    ends = not re.search(r"\w", question[phrase.end :])
    before = question[: phrase.start]
    if phrase.named or len(words) < 2 or not (ends and _DOES.search(before) and _ARTICLE.search(before)):
        yield phrase
        return
    verb = phrase.end - len(words[-1])
    yield Phrase(question[phrase.start : verb].rstrip(), phrase.start, len(question[:verb].rstrip()), named=False)
    yield Phrase(words[-1], verb, phrase.end, named=False)


def _describes(question: str, name: Phrase, noun: Phrase) -> bool:
    is_beside = question[name.end : noun.start].isspace()
    return is_beside and bool(_CAPITALISED.fullmatch(name.text)) and bool(_ARTICLE.search(question[: name.start]))


def is_function_word(word: str) -> bool:
    """Whether the word says nothing of what a question is about."""
    return word in CHINESE_FUNCTION_WORDS or bool(_HOW_MANY.fullmatch(word)) or word.lower().replace("’", "'") in ENGLISH


def _words(question: str, tokens_of: TokensOf) -> Iterator[Phrase]:
    """The words that count, each as a phrase of its own; what stands in quotation marks is one word."""
    at = 0
    for quoted in [*_QUOTED.finditer(question), None]:
        end = quoted.start() if quoted else len(question)
        for match in _WORD.finditer(question, at, end):
            yield from _of_run(match, question, tokens_of)
        if quoted:
            yield Phrase(quoted[0], quoted.start(), quoted.end(), named=True)
            at = quoted.end()


def _of_run(match: re.Match[str], question: str, tokens_of: TokensOf) -> Iterator[Phrase]:
    word, start = match[0], match.start()
    if CJK_RUN.fullmatch(word):
        at = 0
        for token in tokens_of(word):
            place = word.find(token, at)
            if place >= 0:
                at = place + len(token)
                if not is_function_word(token):
                    yield Phrase(token, start + place, start + at, named=False)
    elif (
        not is_function_word(word)
        and not (start == 0 and word.lower() in ENGLISH_TASKS)
        and not _HOW.search(question[: match.end()])
    ):
        bare = _POSSESSIVE.sub("", word)
        yield Phrase(bare, start, start + len(bare), named=_is_name(bare, question, start))


def _is_name(word: str, question: str, start: int) -> bool:
    if word.isdigit():
        return False
    if any(c.isdigit() for c in word) or any(c.isupper() for c in word[1:]) or CJK_RUN.search(question):
        return True
    return word[0].isupper() and bool(question[:start].strip())
