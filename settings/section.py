"""What all sections of the settings share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A part of the settings: cannot be changed, and refuses keys it does not know, so that a typo fails at load."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


Seconds = Annotated[float, Field(ge=0.1, le=600)]
Share = Annotated[float, Field(ge=0, le=1)]
