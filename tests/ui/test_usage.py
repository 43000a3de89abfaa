"""What an answer took of models, below it and for its conversation; and answers that were kept, with a click to ask anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.servers import ModelServer
from tests.ui.pages import add, checked, said
from ui.figures import money_words
from ui.services import Services

QUESTION = "How long is the refund window?"
TERMS = "# Terms\n\nThe refund window is thirty days. Goods can be returned in every shop.\n"
PRICES = '[{"model": "talker", "input": 100, "output": 1000}]'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(words=["The refund window is thirty days", " [1]."]) as running:
        yield running


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> Iterator[Services]:
    """The real services with a model that has a price, and a base of one document."""
    chosen = {"LLM__PROVIDER": "openai", "LLM__MODEL": "talker", "LLM__BASE_URL": server.base_url, "PRICES__MODELS": PRICES}
    for name, value in {**chosen, "STORE__DIR": str(tmp_path / "store")}.items():
        monkeypatch.setenv(f"GLASSBOX_{name}", value)
    monkeypatch.setattr("ingest.jobs.IDLE_SECONDS", 0.02)
    made = Services()
    add(made, "default", terms_md=TERMS)
    yield made
    made.close()


def opened(services: Services) -> AppTest:
    def script(services):
        from ui import page

        page.show(services)

    return checked(AppTest.from_function(script, kwargs={"services": services}, default_timeout=60).run())


def ask(page: AppTest, question: str = QUESTION) -> AppTest:
    return checked(page.chat_input[0].set_value(question).run())


def answered(page: AppTest, words: str) -> bool:
    """Whether an answer on the page holds the words."""
    return any(words in str(each.value) for each in page.main.markdown)


def captions(page: AppTest, words: str) -> list[str]:
    return [str(each.value) for each in page.main.caption if words in str(each.value)]


def test_an_answer_and_its_conversation_say_what_they_took(services: Services, server: ModelServer) -> None:
    page = ask(opened(services))
    (line,) = captions(page, "calls of models")
    assert "calls of models: 1 · tokens read: 7 · tokens written: 2 · 0.0027 USD" in line.replace("\\", "")
    page = ask(page, "Where can goods be returned?")
    (total,) = captions(page, "The conversation so far")
    calls = len(server.requests)
    assert f"calls of models: {calls}" in total
    assert total.replace("\\", "").endswith(f"{money_words(0.0027 * calls)} USD")


def test_a_kept_answer_says_so_and_one_click_asks_anew(services: Services, server: ModelServer) -> None:
    page = ask(opened(services))
    assert "it was kept and not asked again" not in said(page)
    page = ask(opened(services))
    assert captions(page, "it was kept and not asked again")
    assert captions(page, "calls of models") == []
    assert len(server.requests) == 1
    server.words = ["Goods can be returned in every shop [1]."]
    (button,) = [each for each in page.main.button if str(each.key).startswith("anew:")]
    page = checked(button.click().run())
    assert answered(page, "returned in every shop")
    assert captions(page, "it was kept and not asked again") == []
    assert len(server.requests) == 2
    page = ask(opened(services))
    assert answered(page, "returned in every shop")
    assert len(server.requests) == 2, "what was written anew is kept instead"


def test_kept_answers_are_forgotten_on_demand(services: Services, server: ModelServer) -> None:
    page = opened(services)
    assert not [each for each in page.sidebar.button if each.key == "forget_answers"]
    page = ask(page)
    button = page.sidebar.button(key="forget_answers")
    assert button.label == "Forget kept answers (1)"
    page = checked(button.click().run())
    assert page.sidebar.button(key="forget_answers").label, "it is asked for first"
    page = checked(page.button(key="forget_answers_yes").click().run())
    assert not [each for each in page.sidebar.button if each.key == "forget_answers"]
    ask(opened(services))
    assert len(server.requests) == 2


# --- drawing --------------------------------------------------------------------------------------------------------------------


def drawn(*payloads: dict[str, Any], language: str = "en") -> AppTest:
    def script(payloads, language):
        from ui import strings
        from ui.components.usage import show_cached, show_total, show_usage

        strings.speak(language)
        for number, payload in enumerate(payloads):
            show_usage(payload)
            show_cached(payload, number)
        show_total(payloads)

    return checked(AppTest.from_function(script, kwargs={"payloads": payloads, "language": language}).run())


def usage(**changes: Any) -> dict[str, Any]:
    row = {
        "calls": 2,
        "failed": 0,
        "uncounted": 0,
        "input_tokens": 1200,
        "output_tokens": 30,
        "cached_tokens": 0,
        "waited_seconds": 0,
    }
    sums = {**row, "total_tokens": 1230, "cost": None, "currency": "USD", "unpriced_calls": 2}
    rows = [
        {**row, "role": role, "model": model, "place": "http://x", "cost": None}
        for role, model in (("answer", "a*b*"), ("rerank", "r"))
    ]
    return sums | {"by_role": rows} | changes


def test_without_a_price_no_cost_is_shown() -> None:
    (line,) = [each.value for each in drawn({"usage": usage()}).caption]
    assert "tokens read: 1,200" in line.replace("\\", "")
    assert "USD" not in line


def test_what_is_not_in_the_cost_what_failed_and_what_waited_is_said() -> None:
    told = usage(cost=0.5, unpriced_calls=1, failed=1, waited_seconds=2.25, cached_tokens=800)
    line = drawn({"usage": told}).caption[0].value.replace("\\", "")
    for words in (
        "0.50 USD",
        "whose price is not known: 1",
        "failed: 1",
        "waited 2.2 s",
        "(800 of them from the server's cache)",
    ):
        assert words in line


def test_each_model_has_its_line_in_the_tip_and_names_are_no_markdown() -> None:
    (caption,) = drawn({"usage": usage()}).caption
    tip = caption.proto.help
    assert "**Answers:** a\\*b\\*" in tip
    assert "**Reranking:** r" in tip


def test_in_chinese_too() -> None:
    told = usage(cost=0.5, unpriced_calls=1, failed=1, waited_seconds=2.25)
    page = drawn({"usage": told, "cached": "2026-11-30T12:00:00+00:00"}, language="zh")
    assert "调用模型 2 次 · 读取 1,200 个 token · 写出 30 个 token · 费用 0.50 USD" in page.caption[0].value.replace("\\", "")
    assert "2026-11-30" in page.caption[1].value.replace("\\", "")
    assert "这次没有再次调用模型" in page.caption[1].value


def test_answers_of_older_versions_say_nothing() -> None:
    page = drawn({"usage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}}, {"usage": {}}, {})
    assert list(page.caption) == []


def test_currencies_are_not_added_up() -> None:
    page = drawn({"usage": usage(cost=1.0)}, {"usage": usage(cost=2.0, currency="CNY")})
    total = page.caption[-1].value.replace("\\", "")
    assert "1.00 USD · 2.00 CNY" in total
    assert "calls of models: 4" in total


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0, "0"), (12.345, "12.35"), (1234.5, "1,234.50"), (0.05, "0.050"), (0.00184, "0.0018"), (0.0000005, "0.00000050")],
)
def test_money_shows_at_least_two_digits_that_count(amount: float, shown: str) -> None:
    assert money_words(amount) == shown
