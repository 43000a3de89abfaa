"""Both languages say everything, with the same parameters, and the code asks for nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from chains.routing import ROUTES
from chains.routing.small_talk import Kind as SmallTalk
from ingest.loaders.content import Kind as ContentKind
from ingest.sources.gathering import Stage
from ingest.sources.item import Left
from models.check import ROLES
from models.prompts import names
from retrievers.queries.query import Kind
from settings.ingest import ChunkerName
from ui import formats, presets, strings, tuning
from ui.components.library_documents import KINDS
from ui.components.library_enrich import COUNTED
from ui.components.library_enrich import KINDS as ENRICHING
from ui.components.library_gathering import OUTCOMES
from ui.components.library_sources import KINDS as SOURCES
from ui.layers import GROUPS
from ui.pages import SCREENS

UI = Path(strings.__file__).parents[1]
WHYS = ("parts", "several", "long", "overview", "explains", "lists", "how_to", "short", "chosen", "model", "model_silent")
SMALL_TALK = get_args(SmallTalk)
SPOKEN = {"t", "plain", "_words", "say_in"}
# Prefixes whose keys are made up from values: the keys must exist for all of those.
DYNAMIC = {
    "knob.": [name.partition(".")[2] + suffix for name in tuning.knobs() for suffix in ("", "_help")],
    "choice.": [f"{name.rpartition('.')[2]}.{option}" for name, knob in tuning.knobs().items() for option in knob.options],
    "tuning.": [*GROUPS, *(f"{group}_note" for group in GROUPS)],
    "without.": [layer.name for group in GROUPS.values() for layer in group if layer.wants_model],
    "stage.": ["load", "chunk", "embed", "store"],
    "status.": [
        "queued",
        "running",
        "cancelling",
        "cancelled",
        "indexed",
        "unchanged",
        "replaced",
        "duplicate",
        "empty",
        "failed",
        "pending",
        "ready",
    ],
    "leg.": ["bm25", "vector", "fused", "embed_query", "evidence", "threshold", "top_k"],
    "limits.": [
        "sources",
        "types",
        "tags",
        "after",
        "before",
        "first_page",
        "last_page",
        "after_day",
        "before_day",
        "asked_keep",
        "asked_without",
    ],
    "models.": [f"{role}{suffix}" for role in ROLES for suffix in ("", "_none")],
    "preset.": [key + suffix for key in presets.built_in() for suffix in ("", "_about")],
    "ledger.": [
        "stage",
        "ms",
        "in",
        "added",
        "dropped",
        "merged",
        "out",
        "reason",
        "count",
        "number",
        "text",
        "kind",
        "legs",
        "query",
        "base",
    ],
    "query.": get_args(Kind),
    "nav.": [name + suffix for name in (*SCREENS, "chat") for suffix in (("", "_about") if name in SCREENS else ("",))],
    "adding.": ["files", "folder", *SOURCES, "files_label", "folder_label"],
    "source_box.": [f"{kind}_label" for kind in SOURCES],
    "gathering.": get_args(Stage),
    "gathered.": OUTCOMES,
    "left_out.": get_args(Left),
    "enrich.": [f"{kind}{suffix}" for kind in ENRICHING for suffix in ("", "_help")] + [f"{kind}_count" for kind in COUNTED],
    "written.": ["question", "summary"],
    "formats.": [*formats.GROUPS],
    "chunker_about.": get_args(ChunkerName),
    "document_kind.": KINDS,
    "preview_kind.": ["stored", "file"],
    "chunks_view.": ["single", "text"],
    "view_face.": ["page", "text"],
    "chat_file.": ["too_large", "no_json", "no_conversation", "newer"],
    "example.": ["one", "two", "three"],
    "route.": [*ROUTES, *(f"{route}_about" for route in ROUTES)],
    "route_why.": ["one_thing", *WHYS, *SMALL_TALK],
    "standalone.": ["by_rules", "by_model", "by_person"],
    "prompt_name.": names(),
    "prompt_about.": names(),
    "prompt_error.": ["unknown", "empty", "long", "foreign", "lacks", "word", "line", "side"],
}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def calls() -> list[tuple[str, str, set[str] | None]]:
    """Every text asked for: file and line, key or key prefix ending in a dot, and the parameters given (None: unknown)."""
    found = []
    for path in sorted(UI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SPOKEN and node.args:
                key = node.args[1] if node.func.id == "say_in" else node.args[0]
                given = None if any(word.arg is None for word in node.keywords) else {word.arg or "" for word in node.keywords}
                place = f"{path.relative_to(UI)}:{node.lineno}"
                for one in [key.body, key.orelse] if isinstance(key, ast.IfExp) else [key]:
                    if isinstance(one, ast.Constant):
                        found.append((place, str(one.value), given))
                    elif isinstance(one, ast.JoinedStr) and isinstance(one.values[0], ast.Constant):
                        found.append((place, str(one.values[0].value), None))
    return found


def test_both_languages_have_the_same_keys_and_placeholders() -> None:
    english, chinese = strings.table("en"), strings.table("zh")
    assert english.keys() == chinese.keys()
    for key, text in english.items():
        assert placeholders(text) == placeholders(chinese[key]), key


def test_chinese_is_chinese() -> None:
    same_on_purpose = {
        "app.name",
        "welcome.own_text",
        "unknown_code",
        "upload.running",
        "ledger.weight",
        "tuning.is",
        "tuning.of_layer",
    }
    for key, text in strings.table("zh").items():
        assert key in same_on_purpose or re.search(r"[\u4e00-\u9fff]", text), key


def test_chinese_has_one_word_for_tokens() -> None:
    said = strings.table("zh") | {path.name: path.read_text(encoding="utf-8") for path in UI.parent.glob("docs/zh/*.md")}
    assert len(said) > len(strings.table("zh"))
    assert [name for name, text in said.items() if "词元" in text] == []


def test_the_code_asks_only_for_texts_that_exist_with_their_parameters() -> None:
    english = strings.table("en")
    asked = calls()
    assert len(asked) > 80
    for place, key, given in asked:
        if key.endswith("."):
            assert any(known.startswith(key) for known in english), f"{place}: nothing begins with {key}"
        else:
            assert key in english, f"{place}: {key}"
            assert given is None or given == placeholders(english[key]) or placeholders(english[key]) <= given, f"{place}: {key}"


@pytest.mark.parametrize("prefix", DYNAMIC)
def test_every_key_that_is_made_up_exists(prefix: str) -> None:
    for name in DYNAMIC[prefix]:
        assert f"{prefix}{name}" in strings.table("en")


def test_every_text_is_used() -> None:
    used = {key for _, key, _ in calls()}
    made_up = (*DYNAMIC, "note.", "reason.", "error.", "dropped.", "file.", "model.", "kind.", "preset_error.")
    literals = {
        str(node.value)
        for path in UI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    unused = [key for key in strings.table("en") if key not in used | literals and not key.startswith(made_up)]
    assert unused == []


@pytest.mark.parametrize("language", strings.LANGUAGES)
def test_no_text_is_cut_at_a_number_sign(language: str) -> None:
    """YAML takes what follows one for a comment."""
    lines = (UI / "strings" / f"{language}.yaml").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.match(r"\s*\w+: [^\"'].* #", line)] == []


def test_parameters_are_escaped_for_markdown_but_not_for_plain_text() -> None:
    hostile = "**x** ![i](http://e.t) :red[y]"
    said = "Delete \\*\\*x\\*\\* \\!\\[i\\]\\(http\\:\\/\\/\u2060e\\.t\\) \\:red\\[y\\]"
    assert strings.t("bases.delete", name=hostile) == said
    assert strings.plain("bases.delete", name=hostile) == f"Delete {hostile}"


def test_a_code_without_words_is_named_instead_of_hidden() -> None:
    assert strings.say("note", {"code": "brand_new", "params": {"n": 3}}) == r"brand\_new (n\: 3)"
    assert strings.say("reason", {"code": "nothing_found", "params": {}}) == "No passage matches."


@pytest.mark.parametrize(
    ("wanted", "locale", "spoken"),
    [
        ("auto", "zh-CN", "zh"),
        ("auto", "zh", "zh"),
        ("auto", "de-DE", "en"),
        ("auto", None, "en"),
        ("en", "zh-CN", "en"),
        ("zh", "en-US", "zh"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_browsers(wanted: str, locale: str | None, spoken: str) -> None:
    assert strings.choose(wanted, locale) == spoken


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("note", r'\.note\(\s*"(\w+)"'),
        ("dropped", r'\.drop\(.*"(\w+)"\)'),
        ("leg", r'\.stage\(\s*"(\w+)"'),
        ("reason", r'reason=Reason\("(\w+)"|return Reason\("(\w+)", \{"(?:evidence|count)|else Reason\("(\w+)"\)'),
    ],
)
def test_whatever_the_retrieval_and_the_answer_say_has_words(kind: str, said: str) -> None:
    sources = [path.read_text(encoding="utf-8") for room in ("retrievers", "chains") for path in (UI.parent / room).glob("*.py")]
    codes = {code for source in sources for match in re.finditer(said, source) for code in match.groups() if code}
    assert codes
    for code in codes:
        assert f"{kind}.{code}" in strings.table("en"), f"{kind}.{code}"


@pytest.mark.parametrize(("kind", "places"), [("file", ("ingest", "store")), ("model", ("models", "chains"))])
def test_whatever_stops_a_file_or_a_model_has_words(kind: str, places: tuple[str, ...]) -> None:
    sources = [path.read_text(encoding="utf-8") for room in places for path in (UI.parent / room).rglob("*.py")]
    told = r'\bcode(?:: str)? ?= ?"(\w+)"|code, remedy = "(\w+)"|"(no_text\w*)"|(?:None:|"length":|"content_filter":) \("(\w+)"'
    codes = {code for source in sources for match in re.finditer(told, source) for code in match.groups() if code}
    assert len(codes) > 15
    known = strings.table("en")
    assert [code for code in sorted(codes) if f"{kind}.{code}" not in known and f"model.{code}" not in known] == []


def test_every_kind_of_content_has_a_name() -> None:
    assert {f"kind.{kind.name.lower()}" for kind in ContentKind} == {
        key for key in strings.table("en") if key.startswith("kind.")
    }
