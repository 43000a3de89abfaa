"""Whether a chat model's answer rests on the passages: each sentence linked to what supports it, or marked."""

from chains.grounding.grounder import Grounder
from chains.grounding.result import Grounded, Grounding, Link, Miss

__all__ = ["Grounded", "Grounder", "Grounding", "Link", "Miss"]
