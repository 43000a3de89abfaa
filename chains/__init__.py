"""A conversation turn: retrieve, then answer from what was found, or refuse with a reason."""

from chains.answer import Answer, Citation
from chains.turn import Turn

__all__ = ["Answer", "Citation", "Turn"]
