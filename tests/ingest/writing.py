"""Pieces of text that property tests of chunkers put together."""

PROSE = [
    "Cats purr. ",
    "Dogs bark loudly, day and night! ",
    "退款期限为三十天。",
    "请保留收据，",
    "- item\n",
    "3.14 ",
    "👩‍👩‍👧‍👦",
    "e\u0301\u0302",
]
MARKUP = ["# Heading\n", "## 标题 two\n\n", "```\n# no heading\n```\n", "| a | b |\n", "#### " + "long heading " * 12 + "\n"]
BLANKS = ["\n\n", " ", "\t", "\u3000", "\u202e", "\r\n", " " * 300, "\x1c", "\u2028", "\x85"]
