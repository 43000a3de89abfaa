"""Names in a Chinese sentence of an answer that stand in none of its sources.

Chinese does not mark names. What is looked for are characters that the sources do not have side by side, and which look like
a name (written by sound, in quotation marks, with 市, 大学 or 先生 behind them) or stand where a source has another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from chains.grounding.names import Name
from language import folded, is_cjk
from language.script import CJK_RUN
from language.stopwords import CHINESE

_SOUNDS = (
    "阿埃艾奥巴贝本比彼伯波博布查茨达戴黛丹德登蒂迪丁杜敦顿多恩尔法范菲费弗福芬盖戈格古哈海汉翰赫亨霍基吉加贾杰捷卡凯坎科克肯库奎拉莱兰朗劳勒雷"
    "蕾里理利莉丽连林琳卢鲁鹿伦罗洛马玛迈曼麦茅门蒙米密摩莫默姆穆拿纳娜奈内尼涅妮宁纽诺努欧帕潘佩彭皮珀普齐奇恰乔切丘瑞萨赛桑森沙莎绍舍施什"
    "史舒丝思斯司苏索塔泰坦汤陶特滕提铁廷托图瓦万威韦维温沃乌西希锡夏谢辛休许雪逊雅亚延扬耶叶伊因英尤约泽扎詹兹佐"
)
_SOUND_RUN = re.compile(f"[{_SOUNDS}]+(?:·[{_SOUNDS}]+)*")
_RUN = re.compile(f"{CJK_RUN.pattern}(?:·{CJK_RUN.pattern})*")
_BEHIND = re.compile(
    "大学|学院|中学|公司|集团|银行|医院|教堂|机场|车站|王朝|帝国|先生|女士|教授|博士|总统|总理|经理|主席|国王|将军|部长|议员|"
    "[市省县区州国河湖海岛山]"
)
_JOINING = "由在是和与及的了被对从向把给为以而但或也都就将会能让使"
_POINTING = "一这那某几两各每该本位名其此同全"
_TITLED = re.compile(r"《([^《》]{1,40})》|“([^“”]{2,20})”|「([^「」]{2,20})」")
_CONTEXT = 5
"""Characters on both sides together that must be a source's before what stands between them is held to be its counterpart."""
_LONGEST_NAME = 14


def chinese_names(sentence: str, sources: str, nearest: str) -> list[tuple[Name, str]]:
    """What looks like a name and does not stand in the sources, each with what the nearest source has in its place, or "".

    `sources` are all texts that may support the sentence, `nearest` the one sentence that says most of it, "" when none is near.
    A name is the same in simplified and traditional characters; it is told as it was written.
    """
    same, clean = folded(sentence), _clean(nearest)
    told = []
    for name, other in _names(same, folded(sources), folded(nearest)):
        text = _written(name.text, same[name.start :], sentence[name.start :])
        told.append((Name(name.start, name.end, text), _written(other, folded(clean), clean)))
    return told


def _names(sentence: str, sources: str, nearest: str) -> list[tuple[Name, str]]:
    found: list[Name] = [*_titles(sentence, sources), *_by_sound(sentence, sources)]
    found += [piece for piece in _pieces(sentence, _pairs(sources)) if _is_called(sentence, piece)]
    told = [(name, _counterpart(sentence, name, nearest)) for name in found]
    beside = _pieces(sentence, _pairs(nearest)) if nearest else ()
    told += [(piece, other) for piece in beside if (other := _counterpart(sentence, piece, nearest))]
    kept: list[tuple[Name, str]] = []
    for name, other in told:
        if not any(each.start < name.end and name.start < each.end for each, _ in kept):
            kept.append((name, other))
    return sorted(kept, key=lambda pair: pair[0].start)


def _written(part: str, same: str, text: str) -> str:
    """A part of `same`, which is the text folded, as the text has it."""
    at = same.find(part)
    return text[at : at + len(part)] if at >= 0 else part


def _titles(sentence: str, sources: str) -> Iterator[Name]:
    """What stands in quotation marks and nowhere in the sources."""
    for match in _TITLED.finditer(sentence):
        written = next(group for group in match.groups() if group)
        if any(map(is_cjk, written)) and _squeezed(written) not in _squeezed(sources):
            yield Name(match.start(), match.end(), written)


def _by_sound(sentence: str, sources: str) -> Iterator[Name]:
    """Foreign names, which are written by sound: three or more characters in a row that are used for it."""
    known = _clean(sources).replace("·", "")
    for run in _SOUND_RUN.finditer(sentence):
        beside_a_dot = "·" in (sentence[run.start() - 1 : run.start()], sentence[run.end() : run.end() + 1])
        if (len(run[0]) > 2 or beside_a_dot) and run[0].replace("·", "") not in known:
            yield Name(run.start(), run.end(), run[0])


def _pieces(sentence: str, known: Collection[str]) -> Iterator[Name]:
    """Runs of Chinese characters of which no two neighbours stand side by side in the sources."""
    for run in _RUN.finditer(sentence):
        text, begin = run[0], None
        for place in range(len(text) + 1):
            covered = place == len(text) or text[max(0, place - 1) : place + 1] in known or text[place : place + 2] in known
            if not covered and begin is None:
                begin = place
            elif covered and begin is not None:
                piece = text[begin:place]
                start = run.start() + begin + len(piece) - len(piece.lstrip(_JOINING))
                if len(piece := piece.strip(_JOINING)) > 1:
                    yield Name(start, start + len(piece), piece)
                begin = None


def _is_called(sentence: str, piece: Name) -> bool:
    """Whether it stands in front of a word such as 先生 or 大学, or ends with one."""
    if piece.text[0] in _POINTING or _ordinary_chinese(piece.text):
        return False
    behind = _BEHIND.match(sentence, piece.end)
    within = re.search(f"(?:{_BEHIND.pattern})$", piece.text)
    if behind and (len(behind[0]) > 1 or len(piece.text) > 1):
        return True
    return within is not None and within.start() > 1


def _counterpart(sentence: str, piece: Name, nearest: str) -> str:
    """What the nearest source has between the same characters; "" where nothing else stands there."""
    if _ordinary_chinese(piece.text):
        return ""
    other = _between(_clean(sentence[: piece.start])[-6:], _clean(sentence[piece.end :])[:6], _clean(nearest))
    stays = _clean(sentence).count(other) >= _clean(nearest).count(other)
    return "" if stays or _alike(other, piece.text) or _ordinary_chinese(other) else other


def _between(before: str, after: str, text: str) -> str:
    """What stands in the text between as many of these characters as it has, five at least, on both sides where there are any."""
    for left in range(len(before), -1, -1):
        for right in range(min(len(after), max(0, 8 - left)), -1, -1):
            one_sided = (left < 2 and before) or (right < 2 and after)
            if left + right < _CONTEXT or one_sided:
                continue
            inner = f"(.{{2,{_LONGEST_NAME}}}?)"
            pattern = f"{re.escape(before[len(before) - left :])}{inner}{re.escape(after[:right])}{'' if after else '$'}"
            if match := re.search(pattern, text):
                return match[1]
    return ""


def _alike(one: str, other: str) -> bool:
    """Whether half of the shorter one's characters are in the other, as in 成立 and 创立: not another name but another word."""
    return 2 * len(set(one) & set(other)) >= min(len(one), len(other))


def _pairs(text: str) -> set[str]:
    clean = _clean(text)
    return {clean[n : n + 2] for n in range(len(clean) - 1)}


def _clean(text: str) -> str:
    return re.sub(r"[^\w·]", "", text)


def _squeezed(text: str) -> str:
    return re.sub(r"\W", "", text).lower()


def _ordinary_chinese(text: str) -> bool:
    return text in CHINESE or any(text.startswith(word) or text.endswith(word) for word in CHINESE if len(word) > 1)
