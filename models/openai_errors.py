"""What a failed call to an OpenAI-compatible endpoint means, in one sentence with the remedy."""

from __future__ import annotations

import openai

from models.errors import ModelError, ModelUnavailable


def explain(error: openai.OpenAIError, *, what: str, base_url: str, model: str) -> ModelError:
    """The cause of a failed call to an OpenAI-compatible endpoint in one sentence with the remedy; keys are never part of it."""
    where = base_url or "the OpenAI service"
    if isinstance(error, openai.APITimeoutError):
        return ModelUnavailable(
            f"The {what} model at {where} did not answer in time. Try again, or raise its time limit.", code="timeout"
        )
    if isinstance(error, openai.APIConnectionError):
        return ModelUnavailable(
            f"The {what} model at {where} cannot be reached. Check that it runs and that base_url is right.", code="unreachable"
        )
    if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
        return ModelError(f"{where} refused the key for the {what} model. Check the key in the environment.", code="key_refused")
    if isinstance(error, openai.NotFoundError):
        return ModelError(
            f"{where} knows no {what} model {model!r}, or base_url has the wrong path (most end in /v1).", code="unknown_model"
        )
    if isinstance(error, openai.RateLimitError):
        return ModelUnavailable(
            f"{where} is over its limit for the {what} model. Wait a little and try again.", code="rate_limit"
        )
    status = getattr(error, "status_code", None)
    if status is not None and status >= 500:
        return ModelUnavailable(
            f"{where} failed with status {status} for the {what} model. Try again later.", code="server_error"
        )
    return ModelError(
        f"{where} refused the request to the {what} model{f' with status {status}' if status else ''}.", code="refused"
    )
