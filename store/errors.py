"""What the store refuses, named for what the caller does next."""


class StoreError(RuntimeError):
    """Base of the errors of this package."""


class UnknownBase(StoreError):
    """There is no knowledge base of that name; the message lists those that exist."""


class UnknownDocument(StoreError):
    """There is no document of that name or id in the base."""


class InvalidName(StoreError):
    """A name that a base cannot have."""


class InvalidFilter(StoreError):
    """A filter on a field that cannot be filtered; the message lists those that can."""


class EmbedderMismatch(StoreError):
    """The base was built with another embedder; it must be indexed again before this one can search it or add to it."""
