"""What can go wrong with a model, named for what the caller does next.

ModelError              the request or the settings must be changed: a retry of the same call fails again
└── ModelUnavailable    the endpoint is down, slow or over its limit: the same call may work later
"""

from __future__ import annotations


class ModelError(RuntimeError):
    """A model refused the call or gave something unusable; `code` names the kind for the page, the message the details."""

    def __init__(self, message: str, *, code: str = "model_error") -> None:
        super().__init__(message)
        self.code = code


class ModelUnavailable(ModelError):
    """A model could not be reached or did not answer in time; `retry_after` are the seconds it asked to wait, if it did."""

    def __init__(self, message: str, *, code: str = "unavailable", retry_after: float | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after
