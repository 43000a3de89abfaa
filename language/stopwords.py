"""Words that say nothing of what a question is about, in both languages; taken out of queries, never out of the index."""

from __future__ import annotations

import re
from collections.abc import Iterable

from language.folding import folded

ENGLISH = frozenset(
    """
    a about again all also am an and any are aren't as at be been being but by can can't could did didn't do does
    doesn't doing don't each even ever every for from get give gives had has hasn't have having he her here hers him
    his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just let's many may me might mine much
    must my no nor not of off on once only or other our ours out over own please shall she should so some such tell
    than that that's the their theirs them then there there's these they they're this those through to too under until
    up upon us very was wasn't we were weren't what what's when where where's whether which while who who's whom whose
    why will with would you your yours
    """.split()
)

CHINESE = frozenset(
    """
    什么样 什么 怎么样 怎么办 怎么 怎样 如何 为什么 为何 哪些 哪个 哪里 哪儿 哪种 哪位 哪一 多少 几个 是不是 有没有
    能不能 可不可以 可以 请问 告诉我 告诉 介绍一下 一下 关于 以及 并且 而且 或者 还是 因为 所以 但是 如果 那么 这个
    那个 这些 那些 这种 那种 它们 他们 我们 你们 她们 是否
    """.split()
)

_FRAMES = re.compile(
    r"\b(?:stands?\s+for|mean|refers?\s+to|(?:be\s+)?(?:an?\s+)?(?:abbreviation|acronym)\s+(?:for|of)|short\s+for)(?=\s*[?.!]*$)"
    r"|^(?=what|which|give|tell)(?:.{0,12}?)\b(?:the\s+)?(?:meaning|definition|full\s+form)\s+of\b"
    r"|(?:是|有)?(?:什么(?:意思|含义)|哪(?:几个|些)词的缩写|什么的(?:缩写|简称))|(?:的|是)?(?:意思|含义|全称)是什么|(?:代表|指的?是?|表示)什么",
    re.IGNORECASE,
)
"""Words that ask what something means; the passage that says it need not hold them."""
_PHRASES = re.compile("|".join(sorted(CHINESE, key=len, reverse=True)))
_PARTICLES = re.compile("[的了吗呢吧啊呀么嘛谁您]")
_ALONE = re.compile("[的了吗呢吧啊呀么嘛谁您是在有]")
_LOOSE_ENDS = re.compile(r"[是在有](?=\W|$)")
_WORD = re.compile(r"[^\s]+")


def without_particles(query: str, tokens: Iterable[str]) -> str:
    """The query without particles, and 是, 在, 有, that are tokens of their own: 的 of 我的, but not of 目的.

    `tokens` are the query's in order, as an index parts it; those of Chinese stand in it as they are. The query itself comes back
    when nothing else would remain.
    """
    pieces, at = [], 0
    for token in tokens:
        found = query.find(token, at)
        if found < 0:
            continue  # a Latin word, which the index has stemmed
        end = found + len(token)
        pieces += [query[at:found], " "] if _ALONE.fullmatch(folded(token)) else [query[at:end]]
        at = end
    shorter = " ".join("".join([*pieces, query[at:]]).split())
    return shorter if re.search(r"\w", shorter) else query


def only_stop_words(query: str) -> bool:
    """Whether a query with words has none but stop words."""
    return bool(re.search(r"\w", query)) and not re.search(r"\w", _without(query, particles=True))


def without_stop_words(query: str, *, particles: bool = True) -> str:
    """The query without the stop words of both languages, or the query itself when nothing else would remain.

    Chinese has no blanks: question phrases (什么, 怎么样) and particles (的, 吗) are cut out, which parts the words beside them;
    single characters that are also parts of words (是, 在, 有) are left alone unless they end a piece. Without `particles`, those
    stay, for `without_particles`, which knows the words.
    """
    shorter = _without(query, particles=particles)
    return shorter if re.search(r"\w", shorter) else query


def _without(query: str, *, particles: bool) -> str:
    words = _WORD.findall(_blanked(_FRAMES, query))
    kept = [word for word in words if word.strip("\"'.,;:!?()[]“”‘’").lower().replace("’", "'") not in ENGLISH]
    shorter = _blanked(_PHRASES, " ".join(kept))
    if particles:
        shorter = _blanked(_LOOSE_ENDS, _blanked(_PARTICLES, shorter))
    return " ".join(shorter.split())


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text with a blank for each match, in whichever script that is written; the rest stays as it is."""
    pieces, at = [], 0
    for match in pattern.finditer(folded(text)):
        pieces += [text[at : match.start()], " "]
        at = match.end()
    return "".join([*pieces, text[at:]])
