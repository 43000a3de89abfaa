"""Decomposition by rules: what a question compares, in both languages, each part complete; nothing for other questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.queries.decomposition import parts

COMPARED = {
    "What is the difference between Python and Java?": ["Python", "Java"],
    "What's the difference between REST and GraphQL APIs?": ["REST APIs", "GraphQL APIs"],
    "What are the main differences between the refund window of Shop A and Shop B in 2023?": [
        "refund window of Shop A in 2023", "refund window of Shop B in 2023",
    ],
    "difference between the price of apples and pears": ["price of apples", "price of pears"],
    "What is the price difference between the X1 and the M2?": ["X1 price", "M2 price"],
    "In our 2023 handbook, what is the difference between sick leave and annual leave?": [
        "In our 2023 handbook, sick leave", "In our 2023 handbook, annual leave",
    ],
    "compare A and B": ["A", "B"],
    "Compare PostgreSQL, MySQL and SQLite for web development": [
        "PostgreSQL for web development", "MySQL for web development", "SQLite for web development",
    ],
    "A vs B vs C": ["A", "B", "C"],
    "Python vs Java performance": ["Python performance", "Java performance"],
    "iPhone 15 vs. iPhone 16 battery life": ["iPhone 15 battery life", "iPhone 16 battery life"],
    "How does BM25 differ from TF-IDF?": ["BM25", "TF-IDF"],
    "How does Python compare to Java in speed?": ["Python in speed", "Java in speed"],
    "How do heat pumps compare with solar panels and wind turbines?": ["heat pumps", "solar panels", "wind turbines"],
    "What are the pros and cons of heat pumps compared to hydrogen?": ["heat pumps", "hydrogen"],
    "refund window or annual leave?": ["refund window", "annual leave"],
    "Solar panels or wind turbines, which cost more?": ["Solar panels cost more", "wind turbines cost more"],
    "Is tea better than coffee for sleep?": ["tea better for sleep", "coffee better for sleep"],
    "Which has a longer refund window, Shop A or Shop B?": ["Shop A longer refund window", "Shop B longer refund window"],
    "What is the refund window and how do I get a receipt?": ["What is the refund window", "how do I get a receipt"],
    "A 和 B 的区别": ["A", "B"],
    "A与B哪个更好？": ["A 好", "B 好"],
    "Python与Java哪个更适合初学者？": ["Python 适合初学者", "Java 适合初学者"],
    "请问公司的年假和病假有什么不同？": ["公司的年假", "公司的病假"],
    "比较深圳和广州的房价": ["深圳 房价", "广州 房价"],
    "A和B在性能方面的差异是什么": ["A 在性能方面", "B 在性能方面"],
    "苹果手机和华为手机的价格区别": ["苹果手机 价格", "华为手机 价格"],
    "饱和脂肪和不饱和脂肪的区别": ["饱和脂肪", "不饱和脂肪"],
    "参与人数和报名人数的区别": ["参与人数", "报名人数"],
    "选茶还是咖啡好？": ["茶 好", "咖啡 好"],
    "火车比飞机便宜吗？": ["火车 便宜", "飞机 便宜"],
    "2023年销售额和利润分别是多少？": ["2023年销售额", "2023年利润"],
    "根据员工手册，年假和病假有什么区别？": ["根据员工手册 年假", "根据员工手册 病假"],
    "北京、上海和广州的房价对比": ["北京 房价", "上海 房价", "广州 房价"],
    "退款期限是什么，怎么申请发票？": ["退款期限是什么", "怎么申请发票"],
    "年假有几天以及退款期限是多久？": ["年假有几天", "退款期限是多久"],
    "iPhone 15的价格是多少，三星S24呢？": ["iPhone 15的价格是多少", "三星S24的价格是多少"],
    "A的价格是多少，B呢？": ["A的价格是多少", "B的价格是多少"],
    "西风X2的价格是多少？X3呢？": ["西风X2的价格是多少", "X3的价格是多少"],
    "西风X2多重，X3呢，X4呢？": ["西风X2多重", "X3多重", "X4多重"],
    "年假有多少天，病假呢？": ["年假有多少天", "病假有多少天"],
    "公司的年假有几天，病假呢？": ["公司的年假有几天", "公司的病假有几天"],
    "张三的生日是哪天，李四的呢？": ["张三的生日是哪天", "李四的生日是哪天"],
    "A和B的保修期哪个更长？": ["A的保修期 长", "B的保修期 长"],
    "西风X2、X3和X4的价格哪个更高？": ["西风X2的价格 高", "X3的价格 高", "X4的价格 高"],
    "A的保修期比B长吗？": ["A的保修期 长", "B的保修期 长"],
    "公司的年假比病假长吗？": ["公司的年假 长", "公司的病假 长"],
    "What is the price of the X2, and of the X3?": ["What is the price of the X2", "What is the price of the X3"],
    "How many days of annual leave are there and of sick leave?": [
        "How many days of annual leave are there", "How many days of sick leave are there",
    ],
    "What is the warranty for A, and what about for B?": ["What is the warranty for A", "What is the warranty for B"],
}  # fmt: skip
NOT_COMPARED = """
Who created Python?
What is Python and who created it?
What are the terms and conditions?
What is research and development?
What is the comparison operator in Python?
How do I compare two files?
Can I pay by card or cash?
Should I sign in or register?
How to compare files and folders
Does the server restart faster than before?
What happens to my order or refund?
What is the difference?
What does vs mean
Compare the results
麻婆豆腐怎么做？
鸡蛋羹怎么做？它有什么营养？
总和是多少
和平条约是什么时候签的
什么是共和国
比如说怎么退款
这两者有什么区别
不同部门的报销流程是什么
有什么不同的方法
怎么退款和换货
如果我请假，工资呢？
这是什么，为什么呢？
北京的人口是多少，上海呢？
他的价格是多少，它呢？
How much does the X2 cost, and what about the X3?
What is the price of A, and of it?
What is the speed of light and of course why?
""".strip().split("\n")


@pytest.mark.parametrize("question", COMPARED)
def test_a_comparison_gives_its_parts(question: str) -> None:
    assert parts(question) == COMPARED[question]


@pytest.mark.parametrize("question", NOT_COMPARED)
def test_a_question_for_one_thing_gives_nothing(question: str) -> None:
    assert parts(question) == []


@given(
    st.lists(
        st.sampled_from(
            ["A", "vs", "and", "or", "difference between", "compare", "of", "better than", "的", "和", "区别", "比", "？", ","]
        )
    )
)
def test_any_mixture_gives_no_part_or_several(words: list[str]) -> None:
    for joined in (" ".join(words), "".join(words)):
        found = parts(joined)
        assert len(found) != 1
        assert all(part.strip() and "  " not in part for part in found)
