"""What a reasoning model thinks aloud before it answers, where its server leaves that in the text."""

from __future__ import annotations

import re

_THOUGHT = re.compile(r"^.*</think(?:ing)?>|<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)


def without_thoughts(written: str) -> str:
    """The answer alone; "" when the thoughts did not end."""
    return _THOUGHT.sub("", written)
