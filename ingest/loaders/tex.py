"""LaTeX as Markdown: headings, lists and words; formulas stay as they are written, what only sets the page goes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file
from ingest.loaders.nest import fenced

_ARGUMENT = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_COMMENT = re.compile(r"(?<!\\)%.*(?:\n[ \t]*)?")
_VERBATIM = re.compile(
    r"\\begin\{(verbatim|lstlisting|minted)\*?\}(?:\[[^\]]*\])?(?:\{[^}]*\})?\n?(.*?)\\end\{\1\*?\}", re.DOTALL
)
_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6}
_HEADING = re.compile(rf"\\({'|'.join(_LEVELS)})\*?(?:\[[^\]]*\])?\s*{_ARGUMENT}")
_KEPT = "textbf textit texttt textsc textrm emph underline mbox text caption footnote title author date url href enquote".split()
_WORDS = re.compile(rf"\\(?:{'|'.join(_KEPT)})\*?\s*{_ARGUMENT}")
_REFERENCES = re.compile(
    r"\\(?:label|cite[a-z]*|ref|eqref|pageref|autoref|bibliography|bibliographystyle|input|include)\*?(?:\[[^\]]*\])*\{[^}]*\}"
)
_PICTURES = re.compile(
    r"\\(?:includegraphics|vspace|hspace|setlength|usepackage|newcommand|renewcommand|pagestyle)\*?(?:\[[^\]]*\])*(?:\{[^}]*\})+"
)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{(?!equation|align|gather|multline|eqnarray)[^}]*\}(?:\[[^\]]*\])?(?:\{[^}]*\})?")
_ITEM = re.compile(r"[ \t]*\\item(?:\[([^\]]*)\])?[ \t]*")
_LAYOUT = re.compile(
    r"\\(?:maketitle|tableofcontents|newpage|clearpage|centering|noindent|small|large|Large|tiny|bfseries|itshape|hline|toprule"
    r"|midrule|bottomrule|par|medskip|bigskip|smallskip|appendix|and)\b[ \t]*"
)
_HELD = "\ue000"  # in place of a block of code; no text has it, as decoding leaves none


class TexLoader(FileLoader):
    """A LaTeX source, as one Document in Markdown."""

    def lazy_load(self) -> Iterator[Document]:
        """The text of the document. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        title, text = _read(decoded.text)
        yield self.document(text, "markdown", title=title, encoding=decoded.encoding, encoding_confidence=decoded.confidence)


def _read(source: str) -> tuple[str | None, str]:
    """The title and the text. What comes before the document's begin is left out but for the title and the author."""
    blocks: list[str] = []

    def hold(match: re.Match[str]) -> str:
        blocks.append(fenced(match[2].strip("\n")))
        return f"\n\n{_HELD}{len(blocks) - 1}{_HELD}\n\n"

    text = _COMMENT.sub("", _VERBATIM.sub(hold, source.replace(_HELD, "")))
    preamble, begin, body = text.partition(r"\begin{document}")
    body = body.partition(r"\end{document}")[0] if begin else preamble
    found = {name: re.search(rf"\\{name}\s*{_ARGUMENT}", text) for name in ("title", "author", "date")}
    said = {name: " ".join(_plain(match[1]).split()) for name, match in found.items() if match}
    lines = [f"# {said['title']}"] if said.get("title") else []
    lines += [said[name] for name in ("author", "date") if said.get(name)] if begin else []
    for name in found:
        body = re.sub(rf"\\{name}\s*{_ARGUMENT}", "", body)
    lines.append(re.sub(r"\n[ \t]*(?:\n[ \t]*)+", "\n\n", _plain(body)).strip())
    whole = "\n\n".join(line for line in lines if line)
    return said.get("title"), re.sub(rf"{_HELD}(\d+){_HELD}", lambda match: blocks[int(match[1])], whole)


def _plain(text: str) -> str:
    text = re.sub(r"^#", r"\\#", text, flags=re.MULTILINE)
    text = _PICTURES.sub("", _REFERENCES.sub("", text))
    text = _HEADING.sub(lambda match: f"\n\n{'#' * _LEVELS[match[1]]} {' '.join(_plain(match[2]).split())}\n\n", text)
    for _ in range(3):
        text = _WORDS.sub(r"\1", text)
    text = _ITEM.sub(lambda match: f"- {match[1]}: " if match[1] else "- ", _ENVIRONMENT.sub("\n\n", text))
    text = _LAYOUT.sub("", text.replace("~", " ").replace("``", "“").replace("''", "”"))
    return re.sub(r"\\([%&_#{}])", r"\1", text.replace("\\\\", "\n"))
