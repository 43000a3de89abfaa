"""`python -m models check`: whether each model that the settings name answers, and what is wrong where one does not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from models.check import Checked, check_models
from models.errors import ModelError
from settings import cli, load_secrets

_NONE = {
    "chat": "none, so answers quote the documents",
    "rewrite": "none, so questions are rewritten by rules",
    "judge": "none",
    "vision": "none",
    "rerank": "none but MaxSim, or switched off",
    "embeddings": "none",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the models; returns the exit status: 0, 1 when one does not answer, 2 for wrong use."""
    return cli.run(_parser(), arguments, _check, errors=(ModelError,), parts="models", shown=_lines)


def _check(call: argparse.Namespace) -> dict[str, Any]:
    return {"models": [each.as_json() for each in check_models(cli.settings_of(call), load_secrets())]}


def _lines(result: dict[str, Any]) -> str:
    return "\n".join(_line(Checked(**each)) for each in result["models"])


def _line(checked: Checked) -> str:
    if checked.status == "off":
        return f"{checked.role}: {_NONE[checked.role]}"
    if checked.status == "failed":
        return f"{checked.role}: {checked.reason}"
    where = f"at {checked.place}" if checked.place else "on this machine"
    dimension = f", {checked.dimension} dimensions" if checked.dimension else ""
    return f"{checked.role}: ok, {checked.model} {where}{dimension}, {checked.ms} ms"


def _parser() -> cli.Parser:
    parser = cli.Parser(prog="python -m models", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="ask each model something small")
    check.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="override a setting")
    check.add_argument("--json", action="store_true", help="one line of JSON, for errors too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
