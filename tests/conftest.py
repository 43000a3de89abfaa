"""What holds for all tests: in CI, properties are tried on a quarter of the examples, as its time is limited."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("ci", settings.get_profile("ci"), max_examples=25)
if settings.get_current_profile_name() == "ci":  # which Hypothesis chooses by the environment
    settings.load_profile("ci")
