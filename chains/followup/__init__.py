"""Questions that lean on what was said before ("And its price?", 那它的价格呢？) become questions that stand alone."""

from chains.followup.standalone import Standalone, StandaloneQuestions

__all__ = ["Standalone", "StandaloneQuestions"]
