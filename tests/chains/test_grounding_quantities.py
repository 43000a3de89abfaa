"""Numbers, dates and units in answers: what is the same in other words, what stands nowhere, and what is no claim at all."""

from __future__ import annotations

import pytest

from chains.grounding.numerals import numerals, plain
from chains.grounding.quantities import claims, quantities, stands


def stand(sentence: str, source: str) -> list[bool]:
    """Whether each number of a sentence stands in a source."""
    known = quantities(source)
    return [stands(claim, known, sentence) for claim in claims(sentence)]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1,000", 1000),
        ("１，２３４．５", 1234.5),
        ("6½", 6.5),
        ("1.2 million", 1_200_000),
        ("3.5万", 35_000),
        ("2亿", 200_000_000),
        ("three hundred and twenty", 320),
        ("Thirty-Two", 32),
        ("a hundred", 100),
        ("two hundred thousand and five", 200_005),
        ("twentieth", 20),
        ("三百二十", 320),
        ("一千零五", 1005),
        ("两万三千", 23_000),
        ("三万五", 35_000),
        ("一亿两千万", 120_000_000),
        ("二〇〇八", 2008),
        ("壹佰贰拾", 120),
        ("三点五", 3.5),
        ("十", 10),
        ("二十五", 25),
    ],
)
def test_a_number_in_any_form_has_its_value(written: str, value: float) -> None:
    found = numerals(plain(written))
    assert [each.value for each in found] == [pytest.approx(value)]
    assert (found[0].start, found[0].end) == (0, len(written))


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("It costs 320元.", "价格是三百二十元。"),
        ("It costs 320 yuan.", "价格是三百二十元。"),
        ("About 30% agreed.", "Thirty percent of them agreed."),
        ("百分之三十的人同意。", "30 % of them agreed."),
        ("三成的人同意。", "30% 的人同意。"),
        ("They sold 1,000 units.", "They sold 1000 units."),
        ("It lies 2 km away.", "距离为2000米。"),
        ("It takes 2 hours.", "It takes 120 minutes."),
        ("It lasts two years.", "It lasts twenty-four months."),
        ("It happened on 5 March 2020.", "发生于二〇二〇年三月五日。"),
        ("It happened on March 5, 2020.", "Date: 2020-03-05"),
        ("2020年3月5日发生。", "It happened on the 5th of March, 2020."),
        ("It happened in March 2020.", "It happened on 5 March 2020."),
        ("It happened in 1991.", "1991年2月发布了第一个版本。"),
        ("We meet at 3:30 pm.", "下午三点半见面。"),
        ("我们15:30见面。", "We meet at 3:30 pm."),
        ("About 1.2 million people live there.", "It has 1,234,567 inhabitants."),
        ("He used GPT-4.", "The model was gpt4."),
        ("Three vendors are named: Milvus, Qdrant and Chroma.", "Milvus, Qdrant and Chroma are vendors."),
        ("The total is 15 = 10 + 5.", "One has 10, the other 5."),
        ("共有三种：甲、乙和丙。", "甲、乙、丙。"),
        ("約三百二十萬美元。", "320万美元。"),
        ("用了兩個小時。", "It takes 120 minutes."),
        ("下午三點半見面。", "下午三点半见面。"),
        ("它卖1千元。", "It costs 1,000 yuan."),
        ("它卖一千元。", "It costs 1000 yuan."),
        ("The rate is 3.5%.", "The rate is 0.035."),
        ("利率是百分之三点五。", "The rate is 0.035."),
        ("The rate is 0.035.", "利率是3.5％。"),
        ("It was on 2024-01-05.", "It was on January 5, 2024."),
        ("It was on 05.01.2024.", "2024年1月5日发生。"),
        ("It was on 01/05/2024.", "2024年1月5日发生。"),
        ("It was on January 5, 2024.", "Date: 20240105"),
        ("It weighs 5 kg.", "重5公斤。"),
        ("It weighs 500 g.", "重半公斤。"),
        ("重10斤。", "It weighs 5kg."),
        ("It holds 500 ml.", "容量0.5升。"),
        ("It holds 2 L.", "容量2000毫升。"),
        ("It uses 5 kW.", "功率5000瓦。"),
        ("功率5千瓦。", "It uses 5,000 watts."),
        ("It takes 90 minutes.", "需要一个半小时。"),
        ("It lasts six months.", "为期半年。"),
        ("It takes one and a half hours.", "需要90分钟。"),
        ("50% agreed.", "一半的人同意。"),
        ("1/3 of them agreed.", "三分之一的人同意。"),
        ("Two thirds of them agreed.", "三分之二的人同意。"),
        ("It costs $1.5m.", "价格为150万美元。"),
        ("It takes 2-3 days.", "需要两三天。"),
        ("Twelve eggs are in it.", "It holds a dozen eggs."),
        ("In Q3 it rose.", "第三季度上升。"),
        ("温度是-5℃。", "It is minus 5 °C."),
    ],
)
def test_what_is_the_same_stands(sentence: str, source: str) -> None:
    found = stand(sentence, source)
    assert found
    assert all(found)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("It costs 330元.", "价格是三百二十元。"),
        ("It costs 320 dollars.", "价格是三百二十元。"),
        ("40% agreed.", "Thirty percent of them agreed."),
        ("They sold 10,000 units.", "They sold 1000 units."),
        ("It takes 30 days.", "It takes 30 months."),
        ("It happened on 6 March 2020.", "发生于二〇二〇年三月五日。"),
        ("It happened on 5 April 2020.", "发生于二〇二〇年三月五日。"),
        ("It happened on 5 March 2021.", "发生于二〇二〇年三月五日。"),
        ("It happened on 5 March 2020.", "It happened in March 2020."),
        ("We meet at 3:45 pm.", "下午三点半见面。"),
        ("We meet at 3:30 am.", "下午三点半见面。"),
        ("1.3 million people live there.", "It has 1,234,567 inhabitants."),
        ("He used GPT-5.", "The model was gpt4."),
        ("两万三千人参加。", "两万五千人参加。"),
        ("四个人参加。", "三个人参加。"),
        ("The rate is 3.5%.", "The rate is 0.35."),
        ("It was on January 6, 2024.", "It was on 01/05/2024."),
        ("It weighs 5 kg.", "It weighs 5 lbs."),
        ("It holds 2 litres.", "容量2毫升。"),
        ("It uses 5 kW.", "功率5瓦。"),
        ("It is 5 °C.", "气温零下5摄氏度。"),
        ("温度是-5℃。", "It is 5 °C."),
        ("It takes 80 minutes.", "需要一个半小时。"),
        ("2/3 of them agreed.", "三分之一的人同意。"),
        ("In Q2 it rose.", "第三季度上升。"),
        ("Four vendors are named: Milvus, Qdrant and Chroma.", "Milvus, Qdrant and Chroma are vendors."),
    ],
)
def test_what_is_another_does_not_stand(sentence: str, source: str) -> None:
    assert stand(sentence, source) == [False]


@pytest.mark.parametrize(
    "sentence",
    [
        "One of them is a library.",
        "千万不要统一安排，不知道他们来不来。",
        "我一直在一起等一个人。",
        "1. First of all, it is free.",
        "一些人十分高兴。",
        "It is half finished, and the first quarter is over.",
        "需要两三下。",
    ],
)
def test_words_that_hold_a_number_claim_nothing(sentence: str) -> None:
    assert claims(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("It was shown in the early 1970s.", "20世纪70年代初演出过。"),
        ("它在20 世纪 70 年代演出过。", "It was shown in the 1970s."),
        ("第49届超级碗的冠军。", "The champion of Super Bowl XLIX."),
        ("It was made anew in April 1991.", "它于 1991 年 4 月重建。"),
    ],
)
def test_decades_roman_numbers_and_dates_with_blanks_are_the_same_across_languages(sentence: str, source: str) -> None:
    assert all(stand(sentence, source))
    assert not all(stand(sentence.replace("7", "6").replace("49", "48").replace("1991", "1992"), source))


@pytest.mark.parametrize("sentence", ["有数百个频道。", "这是千年一遇的事。"])
def test_hundreds_of_something_is_no_number(sentence: str) -> None:
    assert claims(sentence) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("三。", ["三"]),
        ("答案是三。", ["三"]),
        ("总数为七，", ["七"]),
        ("排名第四", ["四"]),
        ("可以借三本书。", ["三"]),
        ("有七棵树。", ["七"]),
        ("只有一个入口。", ["一"]),
        ("There is only one.", ["one"]),
        ("万一下雨，也有一个办法。", []),
        ("三明治很好吃。", []),
        ("One of them is open.", []),
    ],
)
def test_a_number_in_words_counts_where_nothing_but_a_number_can_stand(text: str, said: list[str]) -> None:
    assert [text[claim.start : claim.end] for claim in claims(text)] == said


def test_a_single_one_is_one() -> None:
    (claim,) = claims("There is only one entrance.")
    assert stands(claim, quantities("The sole entrance is in the north."), "There is only one entrance.")
    (claim,) = claims("只有一个入口。")
    assert stands(claim, quantities("唯一的入口在北面。"), "只有一个入口。")
