"""Source code and settings: the whole text, line by line as it is, so that places and line numbers stay true."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file
from ingest.names import suffix_of

LANGUAGE_CODES = {
    suffix: language
    for language, suffixes in {
        "python": ".py .pyi .pyw",
        "javascript": ".js .mjs .cjs .jsx",
        "typescript": ".ts .tsx .mts",
        "java": ".java",
        "kotlin": ".kt .kts",
        "go": ".go",
        "rust": ".rs",
        "c": ".c .h",
        "cpp": ".cpp .cc .cxx .hpp .hh .hxx",
        "csharp": ".cs",
        "ruby": ".rb",
        "php": ".php",
        "swift": ".swift",
        "scala": ".scala",
        "lua": ".lua",
        "perl": ".pl .pm",
        "r": ".r",
        "julia": ".jl",
        "haskell": ".hs",
        "elixir": ".ex .exs",
        "erlang": ".erl",
        "clojure": ".clj",
        "dart": ".dart",
        "objectivec": ".m .mm",
        "solidity": ".sol",
        "sql": ".sql",
        "bash": ".sh .bash .zsh",
        "powershell": ".ps1 .psm1",
        "batch": ".bat .cmd",
        "css": ".css .scss .less",
        "vue": ".vue",
        "protobuf": ".proto",
        "graphql": ".graphql .gql",
        "cmake": ".cmake",
        "terraform": ".tf",
        "groovy": ".groovy .gradle",
        "vb": ".vb .vbs .bas",
        "yaml": ".yaml .yml",
        "diff": ".diff .patch",
    }.items()
    for suffix in suffixes.split()
}
"""The language of a suffix, by the name that Markdown and highlighters have for it."""


class CodeLoader(FileLoader):
    """A source file, verbatim; `language_code` says which language it is in."""

    def lazy_load(self) -> Iterator[Document]:
        """The whole text with its encoding. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        yield self.document(
            decoded.text,
            "text",
            language_code=LANGUAGE_CODES.get(suffix_of(self.name)),
            encoding=decoded.encoding,
            encoding_confidence=decoded.confidence,
        )
