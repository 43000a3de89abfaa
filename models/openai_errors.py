"""What a failed call to an OpenAI-compatible endpoint means, in one sentence with the remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping

import openai
from pydantic import SecretStr

from models.errors import ModelError, ModelUnavailable

LONGEST_DETAIL = 200
_TOO_LONG = re.compile(
    r"context.?length|context.?window|context.?size|prompt is too long|too many tokens|input tokens", re.IGNORECASE
)
_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|key)-[\w*.…-]+|Bearer \S+")


def explain(
    error: openai.OpenAIError,
    *,
    what: str,
    place: str,
    model: str,
    key: SecretStr,
    variable: str = "",
    midway: bool = False,
) -> ModelError:
    """The cause of a failed call in one sentence with the remedy, and what the endpoint said; the key is never part of it.

    `variable` is the environment variable that holds the key.
    """
    if isinstance(error, openai.APITimeoutError):
        return timed_out(what=what, place=place)
    said = _said(error, key)
    if isinstance(error, openai.APIStatusError):
        return _status(error, said, what=what, place=place, model=model, variable=variable)
    if isinstance(error, openai.APIConnectionError):
        if not midway:
            return ModelUnavailable(
                f"The {what} model at {place} cannot be reached. Check that it runs and that base_url is right.",
                code="unreachable",
            )
        said = ""
    return ModelUnavailable(f"The {what} model at {place} broke off its answer. Try again.{said}", code="broken_off")


def timed_out(*, what: str, place: str) -> ModelUnavailable:
    """The error for an endpoint that was waited for long enough."""
    return ModelUnavailable(
        f"The {what} model at {place} did not answer in time. Try again, or raise its time limit.", code="timeout"
    )


def _status(error: openai.APIStatusError, said: str, *, what: str, place: str, model: str, variable: str) -> ModelError:
    status, code = error.status_code, _field(error, "code")
    where = f" ({variable})" if variable else ""
    if status in (401, 403):
        return ModelError(
            f"{place} refused the key for the {what} model (status {status}). Check the key in the environment{where}.",
            code="key_refused",
        )
    if status == 404:
        return ModelError(
            f"{place} knows no {what} model {model!r}, or base_url has the wrong path (most end in /v1).{said}",
            code="unknown_model",
        )
    if status == 402 or code == "insufficient_quota":
        return ModelError(f"The account at {place} has no credit left for the {what} model. Top it up.", code="no_credit")
    if status == 429:
        return ModelUnavailable(
            f"{place} is over its limit for the {what} model. Wait a little and try again.{said}",
            code="rate_limit",
            retry_after=_seconds(error.response.headers.get("retry-after")),
        )
    if status >= 500 or status == 408:
        return ModelUnavailable(
            f"{place} failed with status {status} for the {what} model. Try again later.{said}", code="server_error"
        )
    if code == "context_length_exceeded" or _TOO_LONG.search(said):
        return ModelError(
            f"The text is longer than the {what} model takes. Lower answer.max_context_chars, or take another model.{said}",
            code="context_overflow",
        )
    return ModelError(f"{place} refused the request to the {what} model with status {status}.{said}", code="refused")


def _said(error: openai.OpenAIError, key: SecretStr) -> str:
    """What the endpoint said, short and without anything that looks like a key."""
    message = _field(error, "message") or (error.message if isinstance(error, openai.APIError) else "")
    secret = key.get_secret_value()
    clean = _LIKE_A_KEY.sub("…", message.replace(secret, "…") if len(secret) > 4 else message)
    short = " ".join(clean.split())[:LONGEST_DETAIL]
    return f" It said: {short}" if short else ""


def _field(error: openai.OpenAIError, name: str) -> str:
    body = getattr(error, "body", None)
    value = body.get(name) if isinstance(body, Mapping) else None
    return value if isinstance(value, str) else ""


def _seconds(value: str | None) -> float | None:
    """A Retry-After header in seconds; None for a date or nonsense."""
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:
        return None
