"""The main job in a real browser on the real app: the local embedder, LanceDB, SQLite, nothing replaced."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, expect

from store.chats import REPLY_TO, Chats
from store.database import connect
from tests.browser.app import PATIENCE, serving
from tests.browser.conftest import Tab
from tests.browser.emptied import make_empty
from tests.files import make_pdf

pytestmark = pytest.mark.browser

# The shop's text has the words of the question about money in other senses; the one on refunds has its meaning in other words.
SHOP = """Returning visitors find money boxes at the back of the shop.
Each item there has a label, and the back of the label names the item.
Ask at the desk for the key of a money box that you want to see.
The oldest money box is an item from Delft, made of tin and painted blue.
An item with a red label was lent to us and goes back in spring.
The shop window shows one item of every country that made money boxes.
Children may put a coin into the item that stands beside the door.
The catalogue of the shop lists every item by year, by country and by colour.
Whoever finds a mistake in it may write it on the back of a money box card.
In the evening the desk puts each item back and locks the money boxes.
The lamp above the item from Delft is switched off last.
Once a year the money in the box beside the door is counted and given away."""
REFUNDS = """Refunds reach the customer within fourteen days once the parcel has arrived in our warehouse.
The amount is transferred to the account that was used to pay for the purchase.
Shipping costs of the purchase are refunded in full, those of the parcel to us are not.
Goods that were damaged on the way are replaced, or refunded at once if none is left.
A voucher is refunded as a voucher of the same value, which is valid for three years.
The customer receives a message when the refund has been transferred.
Goods made to measure are exchanged when they do not fit, but their price is not refunded.
If a parcel is lost, the carrier's receipt is enough for a refund.
Whoever paid in instalments is refunded what has been paid so far.
The accounts department answers questions about refunds on weekdays."""
WAREHOUSE = """The warehouse is open on weekdays from eight in the morning until five in the afternoon.
Deliveries by lorry need a booking one day ahead.
Forklifts are driven by trained staff only, and never in the yard of the canteen."""
HANDBOOK = (WAREHOUSE, REFUNDS)
COURSES = (
    "德语课程共有六个级别，从A1到C2。\n\nB1级别的课程每周二和周四晚上上课，学费为三百二十元。\n\n报名需要携带身份证和两张照片。\n"
)
MONEY = "When do I get my money back after returning an item?"


def test_upload_ask_tune_and_delete(tab: Tab, url: str) -> None:
    app = tab(url)
    app.upload(("handbook.pdf", make_pdf(HANDBOOK)), ("课程.txt", COURSES.encode("gb18030")), ("shop.txt", SHOP.encode()))
    expect(app.page.locator(".st-key-uploads")).to_contain_text(re.compile("gb ?_?18030|gbk", re.IGNORECASE))

    english = app.ask("Within how many days do refunds reach the customer?")
    expect(english).to_contain_text("within fourteen days")
    expect(english.get_by_role("button", name=re.compile(r"handbook\.pdf · p\. 2"))).to_be_visible()

    chinese = app.ask("B1级别的课程学费是多少？")
    expect(chinese).to_contain_text("三百二十元")
    expect(chinese.get_by_role("button", name=re.compile("课程"))).to_be_visible()
    place = app.open_citation(chinese.get_by_role("button", name=re.compile("课程"))).locator("mark")
    expect(place.first).to_contain_text("三百二十元", timeout=PATIENCE)
    app.page.keyboard.press("Escape")

    app.ask(MONEY)
    app.move("Full text ↔ vectors", -10)
    expect(app.answers().last).to_contain_text("Full text × 1.00", timeout=PATIENCE)
    words = app.cards()
    app.move("Full text ↔ vectors", 20)
    expect(app.answers().last).to_contain_text("Full text × 0.00", timeout=PATIENCE)
    meaning = app.cards()
    assert words[0]["source"] == "shop.txt"
    assert meaning[0]["source"] == "handbook.pdf"
    assert {card["fused"] for card in words} != {card["fused"] for card in meaning}
    expect(app.answers().last.locator(".gb-move").first).to_be_visible()

    app.delete("handbook.pdf")
    app.ask("Within how many days do refunds reach the customer?")
    assert {card["source"] for card in app.cards()} <= {"课程.txt", "shop.txt"}
    expect(app.answers().last).not_to_contain_text("fourteen")


def test_hostile_files_are_shown_as_text_and_nothing_is_loaded(tab: Tab, url: str, foreign: list[str]) -> None:
    app = tab(url)
    alarms: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        alarms.append(dialog.message)
        dialog.dismiss()

    app.page.on("dialog", dismiss)
    name = '<img src=x onerror="alert(1)">![x](http:evil).txt'
    attack = (
        "The vault code is 4711. <script>alert(2)</script> ![secret](http://evil.example/y.png) <img src='http://evil.example/z'>"
    )
    app.upload((name, f"{attack}\n\n[vault][1]\n\n[1]: http://evil.example/r 'vault'\n".encode()))
    answer = app.ask("What is the vault code?")
    expect(answer).to_contain_text("<script>alert(2)</script> ![secret](http://evil.example/y.png)")
    expect(answer.locator(".gb-source").first).to_contain_text("<img src=x onerror=")
    assert answer.locator("img, script, iframe").count() == 0
    assert alarms == []
    assert foreign == []


@pytest.mark.slow
def test_a_newcomer_tries_the_sample_base_in_chinese(tab: Tab, url: str) -> None:
    app = tab(url, locale="zh-CN", scheme="dark")
    expect(app.page.get_by_role("heading", name="向自己的文档提问，并看清依据。")).to_be_visible()
    app.page.get_by_role("button", name="试用示例知识库").click()
    example = app.page.get_by_text("可以添加哪些格式的文件？")
    expect(app.page.get_by_role("heading", name="想了解什么？")).to_be_visible(timeout=PATIENCE)
    app.settle()
    example.click()
    expect(app.answers()).to_have_count(1, timeout=PATIENCE)
    expect(app.answers().last).to_contain_text("docx")
    expect(app.answers().last.get_by_role("button", name=re.compile("zh-adding-documents.md"))).to_be_visible()

    app.page.get_by_test_id("stSidebar").get_by_text("English", exact=True).click()
    expect(app.page.get_by_text("Knowledge base", exact=True)).to_be_visible(timeout=PATIENCE)
    expect(app.answers().last).to_contain_text("Quoted word for word")


def test_nothing_in_the_side_panel_touches_its_neighbour(tab: Tab, url: str) -> None:
    page = tab(url).page
    sliders = page.locator(".st-key-tuning_retrieval").get_by_test_id("stSlider")
    sliders.first.hover()
    ends, following = sliders.first.get_by_test_id("stSliderTickBar").bounding_box(), sliders.nth(1).bounding_box()
    assert ends
    assert following
    assert ends["y"] + ends["height"] + 3 <= following["y"], "the ends of the range stand on the next slider's label"
    side = page.get_by_test_id("stSidebar")
    name, languages = side.locator("h3").bounding_box(), side.get_by_role("radiogroup").bounding_box()
    assert name
    assert languages
    assert abs(name["y"] + name["height"] / 2 - languages["y"] - languages["height"] / 2) < 2


@pytest.mark.slow
def test_choices_and_conversations_are_still_there_after_a_restart(tab: Tab, store: Path) -> None:
    with serving(store) as url:
        app = tab(url)
        app.upload(("terms.txt", b"The refund period is thirty days from the day of delivery."))
        app.ask("How long is the refund period?")
        app.move("Passages shown", -3)
        app.page.get_by_test_id("stSidebar").get_by_text("中文", exact=True).click()
        expect(app.page.get_by_text("知识库", exact=True)).to_be_visible(timeout=PATIENCE)
        expect(app.ask("Within how many days of delivery can I return it for a refund?")).to_contain_text("thirty days")
        app.settle()
    with serving(store) as url:
        app = tab(url)
        expect(app.page.get_by_text("知识库", exact=True)).to_be_visible()
        slider = app.page.get_by_test_id("stSlider").filter(has_text="显示段落数").get_by_role("slider")
        expect(slider).to_have_value("5")
        app.page.get_by_text("对话 · 1").click()
        app.page.get_by_role("button", name="How long is the refund period?").click()
        expect(app.answers().last).to_contain_text("thirty days", timeout=PATIENCE)


@pytest.mark.slow
def test_nothing_is_lost_when_a_slider_moves_and_two_questions_come_at_once(tab: Tab, url: str) -> None:
    app = tab(url)
    app.attach("terms.txt", b"The refund period is thirty days. Parcels go to Ulm.")
    app.enter("How long is the refund period?")
    app.move("Passages shown", -2)
    app.enter("Where do parcels go to?")
    expect(app.answers()).to_have_count(2, timeout=PATIENCE)
    expect(app.answers().first).to_contain_text("thirty days")
    expect(app.answers().last).to_contain_text("Ulm")
    app.settle()
    expect(app.page.get_by_text("Documents · 1")).to_be_visible()
    expect(app.page.locator(".st-key-uploads").get_by_text("terms")).to_have_count(1)


@pytest.mark.slow
def test_what_was_found_in_a_conversation_is_scrolled_to(tab: Tab, served: tuple[str, Path]) -> None:
    address, store = served
    make_empty(store)
    engine = connect(store)
    chats = Chats(engine)
    conversation = chats.create("default")
    for number in range(12):
        question = chats.add(conversation.id, "user", f"Question {number} about {'the lighthouse' if number == 2 else 'boats'}?")
        text = "It stands on a rock. " * 40
        chats.add(conversation.id, "assistant", text, payload={REPLY_TO: question.id, "mode": "llm", "answer": text})
    engine.dispose()
    app = tab(address)
    app.page.locator(".st-key-conversations summary").click()
    app.page.get_by_label("Search titles and messages").fill("lighthouse")
    app.page.get_by_label("Search titles and messages").press("Enter")
    app.page.locator(".st-key-conversation_found").get_by_role("button", name="lighthouse").last.click()
    found = app.page.get_by_test_id("stChatMessage").filter(has_text="lighthouse")
    expect(found).to_be_in_viewport(timeout=PATIENCE)
    app.settle()
    expect(found).to_be_in_viewport()
    expect(app.page.get_by_test_id("stChatMessage").filter(has_text="Question 11")).not_to_be_in_viewport()
