"""What can be wrong with a place that documents come from, named for what its owner can do next."""

from __future__ import annotations

from ingest.errors import LoadError


class RefusedSource(LoadError):
    """An address or file that is not fetched: a rule forbids it (`code` says which), whatever would come of it."""


class UnreachableSource(LoadError):
    """A page or file that could not be got this time, and may be another time."""


def about(error: LoadError, name: str) -> LoadError:
    """The same error of another document, as a site that is down is one of all its pages."""
    return type(error)(name, error.reason, remedy=error.remedy, code=error.code, **error.params)
