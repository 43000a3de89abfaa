"""A person's own prompts: kept across a restart, checked before they are kept, and put back."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.prompts import InvalidPrompt
from store.database import connect
from store.prompts import OwnPrompts

OWN = "根据段落回答，否则写 NO_ANSWER。\n{passages}"


def test_own_texts_are_kept_replaced_and_put_back(tmp_path: Path) -> None:
    engine = connect(tmp_path)
    kept = OwnPrompts(engine)
    assert kept.all() == {}
    assert kept.save("answer.zh", f"  {OWN}\n") == OWN
    kept.save("hyde.en", "first")
    kept.save("hyde.en", "second")
    engine.dispose()
    again = connect(tmp_path)
    assert OwnPrompts(again).all() == {"answer.zh": OWN, "hyde.en": "second"}
    OwnPrompts(again).reset("answer.zh")
    OwnPrompts(again).reset("never.was")
    assert OwnPrompts(again).all() == {"hyde.en": "second"}
    again.dispose()


def test_what_cannot_be_used_is_not_kept(tmp_path: Path) -> None:
    engine = connect(tmp_path)
    kept = OwnPrompts(engine)
    kept.save("answer.zh", OWN)
    with pytest.raises(InvalidPrompt):
        kept.save("answer.zh", "no places")
    assert kept.all() == {"answer.zh": OWN}
    engine.dispose()
