"""What the command lines of the app have in common: their options, results and errors as JSON, and the exit status."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from settings.errors import SettingsError
from settings.load import Settings, load_settings

OK, SOME_FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
Result = dict[str, Any]


class Printed(dict[str, Any]):
    """A result that was printed while it came; only the exit status is left to be told."""


class WrongUse(ValueError):
    """A command line with missing or unknown arguments."""


class Parser(argparse.ArgumentParser):
    """A parser that raises WrongUse, where argparse prints the usage and ends the process."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs | {"allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        """Raise the message with the usage behind it."""
        raise WrongUse(f"{message}; {' '.join(self.format_usage().split())}")


def add_options(parser: argparse.ArgumentParser, *, search: bool = False) -> None:
    """The options --kb, --set and --json; for commands that search, --k and --filter as well, and --kb several times."""
    if search:
        parser.add_argument("--kb", action="append", metavar="NAME", help="a knowledge base (default: default); may be repeated")
    else:
        parser.add_argument("--kb", default="default", metavar="NAME", help="the knowledge base (default: default)")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="override a setting")
    parser.add_argument("--json", action="store_true", help="one line of JSON, for errors too")
    if search:
        parser.add_argument("--k", type=int, metavar="N", help="how many contexts (retrieval.top_k)")
        parser.add_argument(
            "--filter", action="append", default=[], metavar="FIELD=VALUE", help="source=, type=, tag=, after=, before= or page="
        )


def settings_of(call: argparse.Namespace) -> Settings:
    """The settings with what --set and --k say. Raises SettingsError."""
    k = getattr(call, "k", None)
    return load_settings([*call.set, *([f"retrieval.top_k={k}"] if k is not None else [])])


def named(call: argparse.Namespace) -> list[str]:
    """The settings that the call names, whatever their value."""
    names = [text.partition("=")[0].strip() for text in call.set]
    return [*names, "retrieval.top_k"] if getattr(call, "k", None) is not None else names


def run(
    parser: Parser,
    arguments: Sequence[str] | None,
    act: Callable[[argparse.Namespace], Result],
    *,
    errors: tuple[type[Exception], ...],
    parts: str = "files",
    shown: Callable[[Result], str] = lambda result: json.dumps(result, ensure_ascii=False, indent=2),
) -> int:
    """Parse the arguments, act, print the result as JSON; returns the exit status, 2 for wrong use or one of `errors`.

    With --json the result, or {"error": …}, is one line on standard output; without, it is as `shown`, and an error goes to
    standard error. The status is 1 when the result's `parts` hold one that failed.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    told: tuple[type[Exception], ...] = (WrongUse, SettingsError, OSError, *errors)
    try:
        result = act(parser.parse_args(given))
    except told as error:
        if as_json:
            _print(json.dumps({"error": _said(error)}, ensure_ascii=False))
        else:
            sys.stderr.write(f"error: {printable(_said(error))}\n")
        return WRONG_USE
    if not isinstance(result, Printed):
        _print(json.dumps(result, ensure_ascii=False) if as_json else shown(result))
    return SOME_FAILED if any(part.get("status") == "failed" for part in result.get(parts, [])) else OK


def tell(text: str) -> None:
    """Say on standard error how far things are; of what no terminal shows, a sign stands for each character."""
    visible = "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(visible.encode(encoding, "replace").decode(encoding))
    sys.stderr.flush()


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'A file'} cannot be read or written ({error.strerror}). Check the path and its permissions."
    return str(error)


def _print(text: str) -> None:
    sys.stdout.write(f"{printable(text)}\n")


def printable(text: str) -> str:
    """Text without lone surrogates, which arguments may hold and no terminal takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
