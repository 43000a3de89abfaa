"""Files that a question names and that are not among the documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from language import folded
from retrievers.named.documents import Names, one_form
from store.library import StoredDocument

_SUFFIX = (
    r"(?:pdf|docx?|xlsx?|pptx?|txt|md|markdown|csv|tsv|html?|mhtml?|epub|od[tsp]|rtf|eml|msg|jsonl?|xml|ya?ml|ipynb|rst|tex"
    r"|png|jpe?g|tiff?|zip)"
)
_BOUNDARY = r"\0\s\"'“”‘’「」『』《》〈〉`，。？！：；、,?!:;()（）\[\]【】"
_QUOTED = re.compile(rf"[\"“‘「『《〈`]([^\"“”‘’「」『』《》〈〉`\n]{{1,120}}\.{_SUFFIX})[\"”’」』》〉`]", re.IGNORECASE)
_BARE = re.compile(rf"(?<![^{_BOUNDARY}])([^{_BOUNDARY}]{{1,120}}\.{_SUFFIX})(?![a-z0-9_-]|\.[a-z0-9])", re.IGNORECASE)
_BEFORE = re.compile(r"^(?:.*?(?:在|从|根据|按照|依据|依照|参照|查看|打开|请看|文件|文档|资料)的?)(?=[^.\s])")
"""Chinese words that stand before a name with no blank between."""
_ADDRESS = re.compile(r"^(?:[a-z]+:)?//|@", re.IGNORECASE)


def missing_documents(question: str, documents: Sequence[StoredDocument]) -> list[str]:
    """The names of files in a question that no document has, as they are written there, each once."""
    rest = Names(documents).named(one_form(question))[1]  # without those that are there
    found: dict[str, None] = {}
    for pattern in (_QUOTED, _BARE):
        for match in list(pattern.finditer(rest)):
            name = match[1] if pattern is _QUOTED else _BEFORE.sub("", match[1])
            rest = rest.replace(match[1], " ")
            if not _ADDRESS.search(name):
                found[_as_written(name, question)] = None
    return list(found)


def _as_written(name: str, question: str) -> str:
    match = re.search(re.escape(name), folded(question), re.IGNORECASE)
    return question[match.start() : match.end()] if match else name
