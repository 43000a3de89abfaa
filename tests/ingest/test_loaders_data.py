"""JSON, XML and settings as text that can be searched: key paths with values, a paragraph a record, a section a document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.document import join
from ingest.errors import UnreadableFile
from tests.ingest.loading import load, load_one


def of(value: Any, name: str = "a.json") -> str:
    """As most programs write it: Chinese as escapes."""
    return join(name, load(name, json.dumps(value).encode())).text


LONG = "退款期限为三十天，自收到货物之日起计算，请保留发票和包装。" * 3


def test_key_paths_with_values() -> None:
    value = {
        "server": {"port": 8080, "名称": "麻婆豆腐", "tls": True, "none": None},
        "tags": ["a", "b"],
        "price": 1.10,
        "id": 12345678901234567890,
    }
    assert (
        of(value)
        == "server.port: 8080\nserver.名称: 麻婆豆腐\nserver.tls: true\ntags: a, b\nprice: 1.1\nid: 12345678901234567890"
    )


def test_numbers_stay_as_they_are_written_and_keys_that_come_twice_both_stay() -> None:
    assert (
        load_one("a.json", b'{"a": 1.10, "a": 1e3, "n": ' + b"9" * 5000 + b"}").page_content
        == f"a: 1.10\na: 1e3\nn: {'9' * 5000}"
    )


def test_records_are_paragraphs() -> None:
    records = [{"name": "麻婆豆腐", "price": {"eur": 28}, "parts": [{"n": 1}, {"n": 2}]}, {"name": "鸡蛋羹"}]
    assert of(records) == "name: 麻婆豆腐\nprice.eur: 28\nparts[0].n: 1\nparts[1].n: 2\n\nname: 鸡蛋羹"


def test_documents_are_sections_below_their_titles() -> None:
    documents = [{"标题": "退款", "url": "x/1", "正文": f"# 一\n{LONG}"}, {"chunk_heading": "Delivery", "text": "Word " * 40}]
    text = of(documents)
    assert text.startswith(f"# 退款\n\nurl: x/1\n\n## 一\n{LONG}\n\n# Delivery\n\nWord Word")


def test_documents_below_a_key_are_sections_too_and_pages_in_them_are_text() -> None:
    page = f"<p>{LONG}</p><script>x()</script>"
    text = of({"count": 1, "data": [{"title": "退款", "body": page}]})
    assert text == f"count: 1\n\n# data\n\n## 退款\n\n{LONG}"


def test_a_large_part_has_a_heading_with_its_path() -> None:
    text = of({"a": {"b": {f"key{n}": "value " * 20 for n in range(40)}}})
    assert "# a\n\n## a.b\n\na.b.key0: value" in text


def test_what_would_be_markup_in_a_value_is_escaped_and_base64_is_left_out() -> None:
    text = of({"a": "one\n# two\n```", "picture": "data:image/png;base64," + "QUJD" * 500})
    assert text == "a:\none\n\\# two\n\\```\npicture: (2022 characters of base64)"


def test_a_line_a_record_and_lines_that_are_damaged() -> None:
    data = '{"text": "一"}\n\n{"text": broken\n{"text": "三"}\n'.encode()
    for name in ("a.jsonl", "a.ndjson", "a.json"):
        document = load_one(name, data)
        assert document.page_content == 'text: 一\n\n{"text": broken\n\ntext: 三'
        [[where, why]] = document.metadata["skipped"]
        assert where == "line 3"
        assert "malformed" in why


def test_values_one_after_the_other_and_json_that_is_one_line_only() -> None:
    assert load_one("a.json", b'{"a": 1} {"a": 2}\n[3, {"b": 4}]').page_content == "a: 1\n\na: 2\n\n3\n\nb: 4"
    assert load_one("a.jsonl", b'[{"a": 1}]').page_content == "a: 1"


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b'{"a": 1,\n // a comment\n "b": 2}', "line 2, column 2"),
        (b'[{"a": 1}, {"a": 2', "line 1, column 19"),
        (b'[{"a": 1} {"a": 2}]', "line 1, column 11"),
        (b"[1, 2] trailing", "line 1, column 8"),
        (b"[" * 100_000, "…"),
    ],
)
def test_malformed_json_is_plain_text_with_the_place(data: bytes, where: str) -> None:
    document = load_one("a.json", data)
    assert document.page_content == data.decode()
    assert document.metadata["format"] == "text"
    assert document.metadata["skipped"][0][0] == where
    assert "malformed" in document.metadata["skipped"][0][1]


def test_a_large_array_comes_in_parts() -> None:
    documents = load("a.json", json.dumps([{"n": n, "text": "words " * 20} for n in range(20_000)]).encode())
    assert len(documents) > 3
    assert max(len(document.page_content) for document in documents) < 600_000
    assert join("a.json", documents).text.count("\n\nn: ") == 19_999


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(value=VALUES, mark=st.text("abc甲乙", min_size=3, max_size=9))
def test_no_value_is_lost(value: Any, mark: str) -> None:
    text = of({"first": mark, "value": value, "list": [value, {"deep": [[mark + "z"]]}]})
    assert mark in text
    assert f"{mark}z" in text


def test_xml_as_paths_records_and_sections() -> None:
    items = "<item id='7'><name>麻婆豆腐</name><price>28</price></item><item><name>鸡蛋羹</name></item>"
    page = f"<list version='2'><?pi x?><!-- no -->{items}</list>"
    document = load_one("a.xml", f'<?xml version="1.0" encoding="gb2312"?>{page}'.encode("gbk"))
    assert document.page_content == (
        "list.@version: 2\nlist.item[0].@id: 7\nlist.item[0].name: 麻婆豆腐\nlist.item[0].price: 28\nlist.item[1].name: 鸡蛋羹"
    )
    feed = "".join(f"<item><title>Title {n}</title><description>&lt;p&gt;{LONG}&lt;/p&gt;</description></item>" for n in range(2))
    text = load_one("feed.rss", f"<rss><channel><title>News</title>{feed}</channel></rss>".encode()).page_content
    assert f"Title 0\n\n{LONG}" in text
    assert "&lt;" not in text
    assert "<p>" not in text


def test_text_with_elements_in_it_is_one_text() -> None:
    assert load_one("a.xml", b"<doc><p>One <b>bold</b> word.</p></doc>").page_content == "doc.p: One bold word."
    assert (
        load_one(
            "a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><path d='M 0'/><text>A <tspan>label</tspan></text></svg>"
        ).page_content
        == "A label"
    )


@pytest.mark.parametrize(
    "entity",
    [
        '<!ENTITY x SYSTEM "file:///etc/hostname">',
        '<!ENTITY x "aaaa"><!ENTITY y "&x;&x;">',
        '<!ENTITY % x SYSTEM "http://127.0.0.1/x">',
    ],
)
def test_entities_are_refused(entity: str) -> None:
    with pytest.raises(UnreadableFile, match="entities"):
        load("a.xml", f"<!DOCTYPE r [{entity}]><r>text</r>".encode())


def test_malformed_xml_is_read_as_far_as_it_goes_with_the_line() -> None:
    document = load_one("a.xml", "<r>\n<a>退款</a>\n<b>三十天</c>\n<d>x & y</d></r>".encode())
    assert "退款" in document.page_content
    assert "三十天" in document.page_content
    assert document.metadata["skipped"][0][0].startswith("line 3")
    deep = b"<a>" * 5000 + b"deep" + b"</a>" * 5000
    assert load("a.xml", deep)
    hostile = b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><r><a>&x;</b></r>'
    with pytest.raises(UnreadableFile, match="entities"):
        load("a.xml", hostile)


def test_settings_stand_below_the_names_of_their_tables_with_their_comments() -> None:
    text = load_one(
        "a.toml", "# 全局\nname = 'x'\n\n[tool.ruff] # lint\nline-length = 130 # wide\n[[list]]\na = [1]\n".encode()
    ).page_content
    assert text == (
        "```\n# 全局\nname = 'x'\n```\n\n# tool.ruff\n\n```\n[tool.ruff] # lint\nline-length = 130 # wide\n```\n\n"
        "# list\n\n```\n[[list]]\na = [1]\n```"
    )
    text = load_one("a.ini", b"; c\n[Database]\nhost=db\n").page_content
    assert text == "```\n; c\n```\n\n# Database\n\n```\n[Database]\nhost=db\n```"


@pytest.mark.parametrize(("name", "language"), [("a.py", "python"), ("A.TS", "typescript"), ("a.yaml", "yaml"), ("a.sql", "sql")])
def test_code_is_verbatim_and_names_its_language(name: str, language: str) -> None:
    code = "# 注释\n\tif x:   \n\n\n        pass\n"
    document = load_one(name, code.encode("gbk"))
    assert document.page_content == code
    assert document.metadata["language_code"] == language
    assert document.metadata["format"] == "text"
