"""The settings of grounding: whether a chat model's answer is held against the passages, and what becomes of one that fails."""

from __future__ import annotations

from settings.section import Section, Share


class GroundingSettings(Section):
    """Each sentence of a chat model's answer is held against the passages (chains/grounding). With `judge`, the chat model reads
    them once more. An answer whose score is below `refuse_below` is refused; 0 never refuses.
    """

    enabled: bool = True
    refuse_below: Share = 0.5
    judge: bool = False
