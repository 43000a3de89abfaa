"""Questions in the passive: whether "it" stands for what is spoken of, and whether they leave their subject out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chains.followup.phrases import TokensOf, is_function_word

_IRREGULAR = (
    "made|built|sold|bought|held|kept|known|sent|meant|found|won|led|run|set|cut|put|hit|shot|lost|paid|taught|brought|caught|told"
    "|said|read|drawn|born|worn|torn|sung|done|gone|seen|struck|hung|stuck|shut|spent|left|fed|bred|grown|flown|thrown|shown|sewn"
)
_PARTICIPLE = rf"(?:\w+ed|\w{{2,}}en|{_IRREGULAR})"
_LEFT_TO_DO = "allowed|permitted|required|recommended|forbidden|prohibited|advised|needed|supposed"
_OF_A_THING = re.compile(
    rf"\b(?:is|was|be|been|isn't|wasn't)\s+it\s+(?:\w+ly\s+|also\s+|ever\s+|still\s+)*"
    rf"(?:(?!(?:{_LEFT_TO_DO})\s+to\b){_PARTICIPLE})\s+(?:to|for)\b",
    re.IGNORECASE,
)
_BY = re.compile(rf"\s*(?:(?:and|but|or|also|so)\s+)?(?:also\s+)?{_PARTICIPLE}\s+by\b.*[?？]\s*$", re.IGNORECASE)
_WHEN = "(?:什么时候|何时|几时|哪一?年|哪一?天|在?哪里|在?哪儿|在?什么地方|为什么|为何|怎么|怎样|如何)"
_END = r"[的了]?[吗嘛么呢啊]?\s*[？?。]?\s*$"
_OPENED = r"\s*(?:那么?|还有|另外|以及)?[，,\s]*(?:到底|究竟|最初|最早|首先)?"
_SUFFERED = re.compile(
    rf"{_OPENED}(?:是?被(?:谁|什么人|哪)|是(?:不是)?(?:被|由|让|给).+的[吗嘛么呢]?\s*[？?。]?\s*$|(?:是?在?){_WHEN}被(?![^？?]*[后时前]).{{1,10}}?{_END})"
)
_DONE = re.compile(rf"{_OPENED}是?(?:谁|(?:是?在?){_WHEN}).{{1,6}}的[吗嘛么呢]?\s*[？?。]?\s*$")
_BY_WHOM = re.compile(rf"{_OPENED}由(?P<which>谁|什么人|哪).{{1,10}}?{_END}")
_PRONOUN = re.compile("(它们?|他们|她们|[他她]|这些|那些|这个|那个|[这那])([是有在被会能要由不也都让给])")


def is_of_a_thing(question: str) -> bool:
    """Whether "it" is what something was done to: "Was it given to Curie?", other than "Is it allowed to …?"."""
    return _OF_A_THING.search(question) is not None


def lacks_subject(question: str, tokens_of: TokensOf) -> bool:
    """Whether it says what was done, and not to what: "Made by Siemens?", 是被谁发现的？, 由谁设计？, 什么时候成立的？"""
    if _BY.match(question) or _SUFFERED.match(question):
        return True
    by_whom = _BY_WHOM.match(question)
    if not (by_whom or _DONE.match(question)):
        return False
    telling = [token for token in tokens_of(question) if not is_function_word(token)]
    return len(telling) == (2 if by_whom and by_whom["which"] == "哪" else 1)


def pronouns_apart(tokens_of: TokensOf) -> TokensOf:
    """The same, but a Chinese pronoun is a word of its own, which dictionaries join with what follows: 它是."""

    def apart(token: str) -> Iterator[str]:
        joined = _PRONOUN.fullmatch(token)
        yield from joined.groups() if joined else (token,)

    return lambda text: [part for token in tokens_of(text) for part in apart(token)]
