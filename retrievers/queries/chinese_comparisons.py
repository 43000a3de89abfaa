"""What a Chinese question compares, or asks in one breath, by rules; each part keeps what it shares with the others."""

from __future__ import annotations

import re

_AND = (
    r"(?:\s*以及\s*|\s*(?:vs\.?|VS\.?|对比)\s*|(?<![总饱中共亲缓柔暖温附随调谐])和(?![平谐尚解睦气蔼])|(?<![参给赠授])与(?![其会否众])"
    r"|(?<!紧)跟(?![踪随进帖])|(?<![以涉普危触波])及(?![时格其第])|、)"
)
"""And, where it is no part of a word such as 总和, 参与, 以及."""
_DIFFERENCE = r"(?:区别|差别|差异|不同|异同|分别|优缺点|优劣|对比|比较|关系|共同点|相同点)"
_WHICH = r"(?:哪个|哪一个|哪种|哪款|哪家|哪边|谁|哪里)"
_WHERE = r"(?P<about>(?:在[^，。？]{1,20}?(?:方面|上|中|里|时))?)"
_HAVE = r"(?:有(?:什么|哪些|何|没有)?|是?什么)?"
_MORE = r"(?:更|好|多|少|贵|便宜|快|慢|大|小|高|低|强|弱|长|短|早|晚|重|轻)"
_LIST = rf"(?P<list>[^，。？?]{{1,60}}?{_AND}[^，。？?]{{1,60}}?)"
_PATTERNS = tuple(
    re.compile(text)
    for text in (
        rf"{_LIST}{_WHERE}(?:的(?P<aspect>[^的，。？]{{0,12}}?)|之间的?)?(?:上|主要)?{_HAVE}的?(?:主要)?{_DIFFERENCE}(?!的)",
        rf"{_LIST}(?:相比|比起来|比较|对比|之间|当中|中)?{_WHERE}[，,]?\s*{_WHICH}(?P<aspect>[^？?。]*)",
        rf"^(?:请)?(?:比较|对比)(?:一下)?{_LIST}(?:的(?P<aspect>[^的，。？]{{1,12}}))?[。？?]*$",
        rf"(?P<list>.+?还是.+?)(?P<aspect>更?{_MORE}[^？?。]*)?[？?。]*$",
        rf"(?P<a>[^，。？]+?)(?<![对占分价相环同类好无])比(?![如较例赛率重值分喻方起])(?P<b>[^，。？]+?)(?P<aspect>{_MORE}[^？?。]*)",
        rf"{_LIST}(?:的(?P<aspect>[^的，。？]{{1,12}}?))?(?:分别|各自|各)(?:是|有|为|需要|要)",
    )
)
_ONLY_ASKING = re.compile(
    r"^(?:请问|请|我想知道|告诉我|介绍一下|介绍|说明一下|说明|解释一下|解释|分析一下|分析|一下|比较|对比|什么是|关于|应该|选择|选|用|买|是)+"
)
_SHARED_HEAD = re.compile(r"[^的]*的|\d{2,4}年(?:\d{1,2}月)?|[今去明前]年|[上本下]个?[月周季年]度?")
_ASPECT_ENDS = re.compile(r"^更|(?:[一]?些|吗|呢|多少|在哪里|在哪|是什么|有什么|有哪些|什么|如何|怎么样|怎样)$")
_CLAUSE_END = re.compile(r"[？?；;，,。]\s*|(?:以及|并且|还有)")
_QUESTION_WORD = re.compile(r"什么|怎么|怎样|如何|为何|谁|哪|多少|几|吗|是否|能不能|多[久长大重高远快宽深厚]")
_OTHERS = re.compile(r"[，,？?]\s*(?:那么?|而)?(?P<other>[^，,。？?]{1,15}?)(?P<owns>的?)呢\s*(?=[，,？?]|$)")
_FIRST_ASKED = re.compile(
    r"(?P<opening>请问)?(?P<owner>[^，,。？?的]{1,20}?)(?:的(?P<about>[^，,。？?的]{1,10}?))?(?P<asks>(?:[是有在要需]|多|怎么|如何|几)[^，,。？?]*)"
)
_LATIN = re.compile(r"[A-Za-z0-9]")
_REFERS_BACK = re.compile(r"[它他她其]|这[个些种]?|那[个些种]|两者|二者|前者|后者|上述|^为(?:什么|何)呢?$")


def compared(question: str) -> list[str]:
    """A query for each thing that is compared, with what the comparison is about; [] when nothing is compared."""
    opening, comma, rest = question.strip().rpartition("，")
    given = opening if comma and not _QUESTION_WORD.search(opening) and not re.search(_AND, opening) else ""
    text = rest if given else question.strip()
    for pattern in _PATTERNS:
        match = pattern.search(text)
        members = _members(match) if match else []
        if match and len(members) > 1:
            held = match.groupdict(default="")
            after = f"{held.get('about', '')}{_aspect(held.get('aspect', ''))}"
            return [" ".join(f"{given} {member} {after}".split()) for member in members]
    return []


def asked_of_others(question: str) -> list[str]:
    """What is asked of one thing and then, without being said again, of others (A的价格是多少，B呢？), each with all its words.

    [] where it cannot be told by the words whether the other one takes the place of the subject or of what is asked of it.
    """
    first = _FIRST_ASKED.match(question.strip())
    rest = question.strip()[first.end() :] if first else ""
    left_out = list(_OTHERS.finditer(rest))
    others = [match["other"].strip() for match in left_out]
    if not first or not others or _OTHERS.sub("", rest).strip("？?") or not _QUESTION_WORD.search(first["asks"]):
        return []
    owner, about = first["owner"], first["about"]
    if any(_QUESTION_WORD.search(other) or _REFERS_BACK.match(other) for other in others):
        return []
    are_owners = all(match["owns"] for match in left_out)  # 李四的呢
    if not about or are_owners or all(_alike(other, owner) and not _alike(other, about) for other in others):
        return [f"{one}{'的' if about else ''}{about or ''}{first['asks']}" for one in (owner, *others)]
    if all(_alike(other, about) and not _alike(other, owner) for other in others):
        return [f"{owner}的{one}{first['asks']}" for one in (about, *others)]
    return []


def asked_together(question: str) -> list[str]:
    """The questions of a sentence that asks several; [] when a later one refers back (它有什么营养)."""
    clauses = [clause.strip() for clause in _CLAUSE_END.split(question) if clause.strip()]
    asked = [clause for clause in clauses if _QUESTION_WORD.search(clause) and len(clause) > 3]
    return asked if len(asked) > 1 and not any(_REFERS_BACK.search(part) for part in asked[1:]) else []


def _members(match: re.Match[str]) -> list[str]:
    held = match.groupdict(default="")
    if "list" not in held:
        found = [held["a"], held["b"]]
    elif "还是" in held["list"]:
        found = held["list"].split("还是")
    else:
        found = re.split(_AND, held["list"])
    named = [re.sub(r"(?:之间|两者|相比|比较|对比)$", "", _ONLY_ASKING.sub("", text.strip())).strip() for text in found]
    if not all(named) or any(_QUESTION_WORD.search(text) for text in named):
        return []
    owned = re.fullmatch(r"([^的]+)的([^的]+)", named[-1])  # A和B的保修期: the first one's as well
    if len(named) > 1 and "list" in held and owned and not any("的" in text for text in named[:-1]):
        return [f"{text}的{owned[2]}" for text in (*named[:-1], owned[1])]
    if swapped := _compared_by_owner(named, held):
        return swapped
    shared = _SHARED_HEAD.match(named[0])  # 公司的年假和病假: the second is the company's as well
    return [text if i == 0 or not shared or _SHARED_HEAD.match(text) else shared[0] + text for i, text in enumerate(named)]


def _compared_by_owner(named: list[str], held: dict[str, str]) -> list[str]:
    """Of A的保修期比B长 both with what is compared; [] where the second is not like the first one's owner."""
    owned = re.fullmatch(r"([^的]+)的([^的]+)", named[0])
    second = re.fullmatch(r"([^的]+)(的?)", named[-1])
    if "list" in held or not owned or not second:
        return []
    is_owner = bool(second[2]) or (_alike(second[1], owned[1]) and not _alike(second[1], owned[2]))
    return [named[0], f"{second[1]}的{owned[2]}"] if is_owner else []


def _alike(one: str, other: str) -> bool:
    """Whether two names look like things of one kind: both with Latin letters or digits, or with the same last character."""
    return bool(_LATIN.search(one) and _LATIN.search(other)) or one[-1] == other[-1]


def _aspect(text: str) -> str:
    text = text.strip(" ？?。，")
    while (shorter := _ASPECT_ENDS.sub("", text)) != text:
        text = shorter
    return text
