"""Small talk: what is said to the app rather than asked of the documents, in English and Chinese, and the words it gets back.

Only what is small talk as a whole counts: "Hello, what is the refund window?" is a question. The words that answer it are fixed
(models/prompts/reply_*.txt), so that nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from language import detect
from models.prompts import prompt

Kind = Literal["greeting", "thanks", "goodbye", "acknowledged", "about"]
LONGEST = 80
"""Characters; whoever writes more has something to ask."""

_PATTERNS: dict[Kind, str] = {
    "greeting": (
        r"(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|morning)(?: hi| hello)?"
        r"(?: (?:there|all|again|everyone|everybody|glassbox|assistant|bot|friend))*"
        r"|how are you(?: doing)?(?: today)?|how(?:'s| is) it going|how do you do|what'?s up|nice to meet you"
        r"|(?:你好|您好|大家好|你们好|嗨|哈[喽啰罗]|早上好|早安|上午好|中午好|下午好|晚上好|早)(?:啊|呀|哦|呢|哇)?"
        r"|在吗|在么|在不在|你好吗|最近(?:怎么样|好吗|如何)|很高兴(?:认识|见到)[你您]|幸会"
    ),
    "thanks": (
        r"(?:many |ok |okay |great |no )?(?:thanks|thank you|thx|ty|cheers|much appreciated|thanks a (?:lot|million|bunch))"
        r"(?: (?:so much|very much|a lot|again|glassbox|everyone|for (?:your|the|all your|that|this|everything)"
        r"(?: (?:help|answer|reply|time|information))?))*"
        r"|(?:好的?)?(?:非常|十分|太|多)?(?:感谢|谢谢|多谢|谢了|谢啦|辛苦)(?:[你您](?:们)?)?(?:了|啦|啊|哦|的?帮助|的?帮忙|的?回答|的?解答)*"
    ),
    "goodbye": (
        r"(?:ok |okay )?(?:bye|goodbye|good bye|bye bye|see (?:you|ya)|see you (?:later|soon|tomorrow|then)|good night|take care"
        r"|have a (?:nice|good|great|lovely) (?:day|evening|weekend|one)|that(?:'s| is) all(?: for (?:now|today))?)"
        r"|再见|拜拜|拜|回头见|回见|明天见|下次再?见|晚安|没(?:有)?(?:别的|其他)?(?:事|问题)了|先这样吧?|就这样吧?"
    ),
    "acknowledged": (
        r"(?:ok(?:ay)?|alright|all right|great|nice|cool|perfect|awesome|excellent|wonderful|good|very good|fine|got it|i see"
        r"|understood|makes sense|(?:good|great|nice) (?:job|work)|good to know|well done|(?:that|this)(?: is|'s)?"
        r" (?:helps?|helped|helpful|great|good|perfect)(?: a lot)?|very helpful|sounds good|interesting|wow|lol|(?:ha){2,})"
        r"|好的?(?:吧|呀|啊|嘞|哦)?|行|嗯+|哦+|噢+|明白了?"
        r"|知道了|了解了?|懂了|收到|不错|很好|太好了|太棒了|真棒|厉害|(?:哈){2,}"
        r"|有道理|原来如此|原来是这样"
    ),
    "about": (
        r"(?:who|what) are you|what(?:'s| is) your name|what (?:can|do) you do|what can i ask(?: you)?"
        r"|how (?:can|do) you help(?: me)?"
        r"|can you help(?: me)?|help(?: me)?|are you (?:an? )?(?:bot|robot|human|person|machine|ai|real)"
        r"|(?:introduce|tell me about) yourself|how do i use (?:you|this|glassbox)"
        r"|[你您]是谁|[你您]叫什么(?:名字)?|[你您]是什么|[你您](?:能|会|可以)(?:做|干|回答)(?:些?什么|啥|哪些)(?:事|事情|问题)?"
        r"|[你您]有(?:什么|哪些)(?:功能|用)|(?:请)?(?:介绍|说)一?下?[你您]?自己|[你您]是(?:机器人|人|真人|ai)吗|帮帮我|怎么用"
    ),
}
_WHOLE = {kind: re.compile(f"(?:{pattern})", re.IGNORECASE) for kind, pattern in _PATTERNS.items()}
_BETWEEN = re.compile(r"[\s,.!?;:~，。！？；：、～…·()（）\"“”*^_-]+")
_CLAUSE = re.compile(r"[,.!?;:，。！？；：、～~…]+")
_FIRST: tuple[Kind, ...] = ("about", "thanks", "goodbye", "greeting", "acknowledged")
"""Of several in one message, the one that is answered."""
_ASKED_BACK = re.compile(r"[?？][\s\[\]\d)）”\"*]*$")


def small_talk(message: str, said_before: str = "") -> Kind | None:
    """Which small talk the message is, None when it is something else.

    After an answer that ends in a question (`said_before`), "OK" and 好的 answer that, and are none.
    """
    text = message.strip().replace("’", "'")
    if len(text) > LONGEST or not re.search(r"\w", text):
        return None
    kinds = {_kind(clause) for part in _CLAUSE.split(text) if (clause := _plain(part))}
    if None in kinds or not kinds:
        whole = _kind(_plain(text))
        kinds = {whole} if whole else set()
    if kinds == {"acknowledged"} and _ASKED_BACK.search(said_before.rstrip()):
        return None
    return next((kind for kind in _FIRST if kind in kinds), None)


def without_small_talk(history: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The ("human" | "ai", text) without small talk and what was said to it: it names no subject that a follow-up could mean."""
    kept: list[tuple[str, str]] = []
    is_talk = False
    for role, text in history:
        if role == "human":
            is_talk = small_talk(text, kept[-1][1] if kept else "") is not None
        if not is_talk:
            kept.append((role, text))
    return kept


def reply_to(message: str, kind: str) -> str:
    """The words that small talk of this kind gets, in the message's language; of no kind, those that say what the app is for."""
    return prompt(f"reply_{kind if kind in _PATTERNS else 'about'}", detect(message))


def _plain(text: str) -> str:
    """The words alone: without punctuation, and without signs such as emoji."""
    words = re.sub(r"[^\w\s']", " ", _BETWEEN.sub(" ", text))
    return " ".join(words.split())


def _kind(text: str) -> Kind | None:
    return next((kind for kind, pattern in _WHOLE.items() if pattern.fullmatch(text)), None)
