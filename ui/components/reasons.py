"""Why something failed, in the language of the page: a code with its values, or the English words that came with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ui.safe import escape_markdown, shown_name
from ui.strings import has, plain, say


def why(told: Mapping[str, Any] | None, otherwise: str, *, markdown: bool = True) -> str:
    """The {"code", "params"} of a file's report or a model's error in words, as Markdown or as plain text.

    Where nothing told a code (reports of older versions), or one that has no words here, `otherwise` is shown as it is.
    """
    code, params = (told or {}).get("code"), dict((told or {}).get("params") or {})
    section = next((section for section in ("file", "model") if has(f"{section}.{code}")), None)
    if section is None:
        return escape_markdown(otherwise) if markdown else otherwise
    if has(f"kind.{params.get('kind')}"):
        params["kind"] = plain(f"kind.{params['kind']}")
    if "other" in params:
        params["other"] = shown_name(str(params["other"]), columns=44)
    return say(section, {"code": code, "params": params}, markdown=markdown)
