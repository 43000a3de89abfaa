"""Documents that a question names: "in handbook.pdf", 《员工手册》, according to "the handbook"."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from language import folded
from store.library import StoredDocument

_OPEN, _CLOSED = "\"'“‘「『《〈`", "\"'”’」』》〉`"
_FILE = r"(?:files?|documents?|docs?|pdfs?|papers?|spreadsheets?|presentations?)"
_ZH_FILE = r"(?:文件|文档|资料|文章|pdf)"

NEGATED = re.compile(
    r"(?:\bnot?|n['’]t|\bwithout|\bexcept(?:\s+for)?|\bexcluding|\bbesides|\bthan|\bapart\s+from|\binstead\s+of|\bignor\w+)"
    r"(?:\s+(?:in|from|on|the|with|tagged|with\s+the))*\s*$|(?:除了?|不在|不看|不要|没有|非|不带)\s*$"
)
"""What stands before a name whose documents are to be left out; a filter cannot say that."""
EXCEPTED = re.compile(r"\s*(?:以外|之外|除外|excluded)")
_ABOUT_IT = re.compile(
    r"\b(?:mention|refer|cit|link|point|nam|rename|delet|open|creat|sav)\w*(?:\s+(?:to|as|the|file|document))*\s*$"
    r"|(?:提到|提及|引用|链接到|删除|重命名|打开)了?\s*$"
)
_IS_ABOUT_IT = re.compile(
    r"\s*(?:(?:is|are|was|were|be|been|gets?)\s+)?(?:mentioned|cited|referred|linked|deleted|renamed)\b|\s*被"
)
_OTHERS = re.compile(
    rf"\b(?:other|another|all|every|each|any|which)\s+(?:of\s+)?(?:the\s+|my\s+|our\s+)?(?:other\s+)?{_FILE}\b"
    rf"|(?:其他|其它|别的|所有|全部|哪个|哪些|哪份|哪篇)的?{_ZH_FILE}"
)
_COMPARES = re.compile(
    r"\b(?:compar\w+|differ\w*|versus|vs|contradict\w*|consistent\s+with|match\w*)\b|区别|差异|不同|相比|比较|对比|矛盾|一致"
)
_SUFFIX = re.compile(r"\.[a-z][a-z0-9]{0,9}$", re.IGNORECASE)
_BLANK = "\0"
_WITHIN = re.compile(
    rf"\b(?:in|from|within|inside|see|per|by|according\s+to)(?:\s+the)?(?:\s+{_FILE})?\s*$|(?:在|从|据|根据|按照|依据|参照|{_ZH_FILE})\s*$"
)
_CALLED = re.compile(rf"\b{_FILE}\s+(?:called|named|titled)\s*$|{_ZH_FILE}(?:名为|名叫|叫做?)\s*$|(?:名为|名叫)\s*$")
_THE = re.compile(r"\b(?:in|from|per|according\s+to|does|do|did)\s+(?:the|my|our)\s*$")
_ACCORDING = re.compile(r"\baccording\s+to\s+(?:the|our|my)\s*$")
_ZH_ACCORDING = re.compile(r"(?:根据|按照|依据|依照|参照)\s*$")
_IS_FILE = re.compile(rf"\s*(?:{_FILE}\b|的?(?:这|那|该)[个份篇本]?{_ZH_FILE}|{_ZH_FILE}(?:里|中|内)|says?\b|states?\b|里|中|内)")
_SAYS = re.compile(r"\s*(?:say|state|require|recommend|define|list|mention|specify)s?\b")
_ENDS = re.compile(r"\s*(?:[,.?!:;]|$|(?:what|how|who|when|where|why|which|is|are|can|may|must|should|do|does)\b)")
_ZH_SAYS = re.compile(r"(?:里|中|上)?(?:是)?(?:怎么|如何|怎样|都)?(?:说|规定|写|要求|提到)|(?:,|的规定|的要求|的说明)")


class Names:
    """The names of a base's documents, and which of them a text means."""

    def __init__(self, documents: Sequence[StoredDocument]) -> None:
        self._sources: dict[str, set[str]] = defaultdict(set)
        self._exact = {name: document.source for document in documents for name in (document.source, *document.aliases)}
        for name, source in self._exact.items():
            for form in (name, PurePosixPath(name).name, PurePosixPath(name).stem):
                self._sources[one_form(form)].add(source)
        self._whole = {
            one_form(form) for name in self._exact for form in (name, PurePosixPath(name).name) if _SUFFIX.search(form)
        }

    def of(self, name: str) -> tuple[str, ...]:
        """The documents of that very name, else of that name whatever its case and folder, with or without suffix."""
        if name in self._exact:
            return (self._exact[name],)
        form = one_form(name)
        return tuple(sorted(self._sources.get(form) or self._sources.get(PurePosixPath(form).name) or ()))

    def named(self, asked: str) -> tuple[tuple[str, ...], str]:
        """The documents that a question (in one form) limits itself to, and the question with their names blanked.

        None when it speaks of others as well, excepts one or compares one with something else: their names are blanked all the
        same, since a number or a word in them limits nothing.
        """
        found: list[str] = []
        squeezed, meant, rest = _squeezed(asked), not _OTHERS.search(asked), asked
        forms = [form for form in self._sources if len(form) > 1 and _squeezed(form) in squeezed]
        for form in sorted(forms, key=len, reverse=True):  # a shorter name within a longer one is no name by itself
            bare = form not in self._whole
            for start, end in list(_places(form, rest)):
                is_limit = _is_limit(rest, start, end, bare=bare)
                if bare and not is_limit:
                    continue  # a word like any other
                meant = meant and is_limit
                found += sorted(self._sources[form])
                rest = f"{rest[:start]}{_BLANK * (end - start)}{rest[end:]}"
        if not meant or (len(set(found)) == 1 and _COMPARES.search(asked)):
            found = []
        return tuple(dict.fromkeys(found)), rest


def one_form(text: str) -> str:
    """Text as it is compared: NFKC, casefolded, in simplified characters, without blanks around it."""
    return folded(unicodedata.normalize("NFKC", text).casefold()).strip()


def _squeezed(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text)


def _places(form: str, asked: str) -> Iterator[tuple[int, int]]:
    """Where a name stands as a whole, with blanks, _ and - taken for one another."""
    parts = [re.escape(part) for part in re.split(r"[\s_-]+", form) if part]
    edges = (
        r"(?<![a-z0-9_.-])" if form[0].isascii() else "",
        r"(?![a-z0-9_-]|\.[a-z0-9])" if form[-1].isascii() else r"(?!\.[a-z0-9])",
    )
    for match in re.finditer(edges[0] + r"[\s_-]+".join(parts) + edges[1], asked) if parts else ():
        yield match.span()


def _is_limit(asked: str, start: int, end: int, *, bare: bool) -> bool:
    """Whether the name is where the answer is to be sought. `bare` is a name without its suffix, which may be any word."""
    before, after = asked[:start], asked[end:]
    opened, closed = before[-1:], after[:1]
    quoted = bool(opened) and opened in _OPEN and closed != "" and closed in _CLOSED
    if quoted:
        before, after = before[:-1], after[1:]
    if NEGATED.search(before) or EXCEPTED.match(after) or _ABOUT_IT.search(before) or _IS_ABOUT_IT.match(after):
        return False
    if not bare or (quoted and opened in "《〈"):
        return True
    if quoted:
        return bool(_WITHIN.search(before) or _CALLED.search(before) or _IS_FILE.match(after))
    return _bare_is_limit(asked[start:end], before, after)


def _bare_is_limit(written: str, before: str, after: str) -> bool:
    """The words that make a limit of a name without suffix and quotation marks."""
    if written.isdigit():
        return False
    if ("_" in written or (written.count("-") > 1 and re.search(r"\d", written))) and _WITHIN.search(before):
        return True
    if written.isascii():
        return bool(
            _CALLED.search(before)
            or (_THE.search(before) and re.match(rf"\s*{_FILE}\b", after))
            or (_ACCORDING.search(before) and _ENDS.match(after))
            or (re.search(r"\b(?:do|does|did)\s+(?:the|my|our)\s*$", before) and _SAYS.match(after))
        )
    if len(written) < 3:
        return False
    return bool(
        _CALLED.search(before)
        or re.match(rf"\s*(?:的?(?:这|那|该)[个份篇本]?{_ZH_FILE}|{_ZH_FILE}(?:里|中|内))", after)
        or (_ZH_ACCORDING.search(before) and (_ZH_SAYS.match(after) or _ENDS.match(after)))
        or re.match(r"(?:里|中|上)?(?:是)?(?:怎么|如何|怎样)(?:说|规定|写|要求)|(?:里|中)(?:说|规定|写|要求|提到)", after)
    )
