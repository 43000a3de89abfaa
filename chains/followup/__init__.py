"""Questions that lean on what was said before ("And its price?", 那它的价格呢？) become questions that stand alone."""

from chains.followup.rules import Standalone
from chains.followup.standalone import StandaloneQuestions

__all__ = ["Standalone", "StandaloneQuestions"]
