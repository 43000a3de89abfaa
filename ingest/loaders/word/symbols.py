"""Characters that Word takes from a font of symbols by their place in it (w:sym)."""

from __future__ import annotations

_WINGDINGS = {
    **dict.fromkeys((0xA8, 0x6F, 0x71, 0xA3), "☐"),
    **dict.fromkeys((0xFE, 0x52), "☑"),
    **dict.fromkeys((0xFD, 0x54, 0x53), "☒"),
    **dict.fromkeys((0xFC, 0x50), "✓"),
    **dict.fromkeys((0xE0, 0xF0, 0xE8), "→"),
    0xB0: "°",
    0xB1: "±",
    0xB4: "×",
    0xB3: "≥",
}
"""Those that mean something; the others decorate."""
_SYMBOL = {
    **{place: chr(place) for place in range(0x21, 0x40)},
    **dict(enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 0x41)),
    **dict(enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ", 0x61)),
    **dict(enumerate("€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…", 0xA0)),
    **dict(enumerate("ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨", 0xC0)),
    0x22: "∀",
    0x24: "∃",
    0x27: "∋",
    0x2A: "∗",
    0x2D: "−",
    0x40: "≅",
    0x5C: "∴",
    0x5E: "⊥",
    0x5B: "[",
    0x5D: "]",
    0x5F: "_",
    0x7B: "{",
    0x7C: "|",
    0x7D: "}",
    0x7E: "∼",
    0xE5: "∑",
    0xF1: "⟩",
    0xF2: "∫",
}
"""Adobe's encoding of the font Symbol: https://unicode.org/Public/MAPPINGS/VENDORS/ADOBE/symbol.txt."""


def symbol(code: str, font: str) -> str:
    """The character of a hexadecimal code, of which F000 to F0FF are places in the font; "" for one that says nothing."""
    number = int(code, 16) if code and not code.strip("0123456789ABCDEFabcdef") else 0
    if 0xF000 <= number <= 0xF0FF or (font == "Symbol" and 0x20 < number <= 0xFF):
        return (_SYMBOL if font == "Symbol" else _WINGDINGS).get(number & 0xFF, "")
    return "" if not number or 0xE000 <= number <= 0xF8FF or number > 0xFFFF or 0xD800 <= number < 0xE000 else chr(number)
