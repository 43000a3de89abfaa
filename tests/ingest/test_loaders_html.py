"""Web pages give their main text in Markdown, in the charset they are really in."""

from __future__ import annotations

import pytest

from tests.ingest.loading import load_one

PROSE = "The refund window is thirty days, counted from the day on which the goods were received by the buyer. " * 6
PAGE = f"""<!DOCTYPE html><html><head><title>Shop – Terms</title><style>.x {{color: red}}</style></head><body>
<header><a href="/">Home of the shop</a></header>
<nav><ul><li><a href="/a">Alpha link</a></li><li><a href="/b">Beta link</a></li></ul></nav>
<main><h1>Terms</h1><p>{PROSE}</p><h2>Prices</h2>
<table><tr><th>Item</th><th>Price</th></tr><tr><td>snake_case</td><td>15,50 €</td></tr></table>
<ul><li>first</li><li>second <a href="http://example.org/x">linked</a></li></ul>
<p hidden>hidden words</p><p style="display: none">invisible words</p>
<script>alert("script words")</script><img src="http://example.org/p.png" alt="a picture" onerror="alert(1)">
</main><footer>Copyright words</footer></body></html>"""


def test_the_main_text_with_headings_lists_and_tables() -> None:
    document = load_one("page.html", PAGE.encode())
    text = document.page_content
    assert text.startswith("# Terms\n\nThe refund window is thirty days")
    assert "## Prices" in text
    assert "| Item | Price |\n| --- | --- |\n| snake_case | 15,50 € |" in text
    assert "* first\n* second linked" in text
    assert "a picture" in text
    assert document.metadata["title"] == "Shop – Terms"
    assert document.metadata["format"] == "markdown"


@pytest.mark.parametrize(
    "words",
    ["color: red", "script words", "alert", "Alpha link", "Home of the shop", "Copyright", "hidden", "invisible", "example.org"],
)
def test_what_is_no_text_of_the_page_is_left_out(words: str) -> None:
    assert words in PAGE
    assert words not in load_one("page.html", PAGE.encode()).page_content


def test_what_frames_the_text_is_left_out_whichever_way_it_is_marked() -> None:
    text = f"<h1>Terms</h1><p>{PROSE}</p>"
    for frame, body in (
        ("<header>Frame words</header>", text),
        ("<footer>Frame words</footer>", text),
        ('<div class="cookie-banner">Frame words</div>', text),
        ('<div role="navigation">Frame words</div>', text),
        ("<div>Frame words</div>", f"<main>{text}</main>"),
    ):
        page = load_one("a.html", f"<html><body>{frame}<div>{body}</div></body></html>".encode()).page_content
        assert page.startswith("# Terms"), frame
        assert "Frame words" not in page, frame


def test_an_article_keeps_its_own_header() -> None:
    page = f"<article><header><h1>Terms</h1><p>By the lawyers</p></header><p>{PROSE}</p></article>"
    assert "By the lawyers" in load_one("a.html", page.encode()).page_content


def test_navigation_by_class_is_left_out_where_nothing_marks_the_main_part() -> None:
    links = "".join(f'<li><a href="/{n}">Topic number {n}</a></li>' for n in range(20))
    page = f'<body><div class="sidebar-nav"><ul>{links}</ul></div><div id="text"><h1>Terms</h1><p>{PROSE}</p></div></body>'
    text = load_one("page.html", page.encode()).page_content
    assert "Topic number" not in text
    assert "refund window" in text


def test_a_page_that_calls_all_of_it_navigation_is_not_lost() -> None:
    page = f'<html><body><div class="has nav menu"><h1>Terms</h1><p>{PROSE}</p></div></body></html>'
    assert "refund window" in load_one("page.html", page.encode()).page_content


def test_a_short_page_keeps_everything() -> None:
    document = load_one("a.html", b"<h1>My First Heading</h1><p>My first paragraph.</p><pre>  code  here</pre>")
    assert document.metadata["title"] == "My First Heading"
    assert document.page_content == "# My First Heading\n\nMy first paragraph.\n\n```\n  code  here\n```"


@pytest.mark.parametrize(
    ("declared", "codec", "reported"),
    [
        ("gb2312", "gbk", "gbk"),
        ("big5", "big5", "big5"),
        ("Shift_JIS", "cp932", "shift_jis"),
        ("windows-1251", "cp1251", "cp1251"),
        ("utf-8", "gbk", "gbk"),  # the page is wrong about itself
        ("iso-8859-1", "utf-8", "utf-8"),
        ("euc-jp", "euc_jp", "euc_jp"),  # too short to tell without
        ("no-such-charset", "gbk", "gbk"),
        ("base64", "gbk", "gbk"),
    ],
)
def test_the_charset_is_taken_from_the_page_unless_the_bytes_contradict(declared: str, codec: str, reported: str) -> None:
    words = {
        "cp1251": "Срок возврата",
        "cp932": "返品の期限は三十日",
        "big5": "退貨期限為三十天",
        "euc_jp": "株式会社山田製作所 御中",
    }.get(codec, "退款期限为三十天，请保留发票和包装，谢谢您的合作")
    page = f'<html><head><meta charset="{declared}"><title>{words}</title></head><body><p>{words}</p></body></html>'
    document = load_one("a.htm", page.encode(codec))
    assert document.page_content == words
    assert document.metadata["title"] == words
    assert document.metadata["encoding"] == reported


def test_cp1252_signs_under_the_name_of_latin_1() -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"><p>15,50 € – “schön”</p>'
    assert load_one("a.html", page.encode("cp1252")).page_content == "15,50 € – “schön”"


def test_an_unmarked_list_of_links_is_left_out_of_an_article() -> None:
    links = "".join(f'<div><a href="/{n}">Topic number {n} of the whole shop</a></div>' for n in range(40))
    text = load_one("page.html", f"<body><div>{links}</div><div><h1>Terms</h1><p>{PROSE}</p></div></body>".encode()).page_content
    assert text.startswith("# Terms")
    assert "refund window" in text
    assert "Topic number" not in text


def test_a_list_of_links_that_is_all_there_is_stays() -> None:
    links = "".join(f'<li><a href="/{n}">Topic number {n}</a></li>' for n in range(40))
    assert "* Topic number 39" in load_one("page.html", f"<body><ul>{links}</ul></body>".encode()).page_content


@pytest.mark.parametrize("depth", [250, 400, 5000])
def test_deep_nesting_gives_the_text_and_no_crash(depth: int) -> None:
    page = '<?xml version="1.0"?><p>before</p><script>x()</script>' + "<div>" * depth + "deep words" + "</div>" * depth
    assert "x()" not in load_one("a.html", page.encode()).page_content
    assert "deep words" in load_one("a.html", page.encode()).page_content


def test_xhtml_with_a_prolog_and_entities_that_name_files() -> None:
    doctype = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    page = f"{doctype}<html><body><p>a&x;b 中文</p></body></html>"
    text = load_one("a.xhtml", page.encode()).page_content
    assert "中文" in text
    assert "b" in text
    assert len(text) < 40


def test_a_page_of_nothing_but_scripts_has_no_text() -> None:
    assert load_one("a.html", b"<html><body><script>app()</script><!-- x --></body></html>").page_content == ""


def test_the_head_of_a_page_says_who_wrote_it_and_when() -> None:
    head = '<meta name="author" content="王小明"><meta property="article:published_time" content="2024-01-02T03:04:05Z">'
    metadata = load_one("a.html", f"<html><head>{head}</head><body><p>{PROSE}</p></body></html>".encode()).metadata
    assert (metadata["author"], metadata["created"]) == ("王小明", "2024-01-02T03:04:05Z")


def test_tables_that_lay_out_a_page_are_paragraphs_and_tables_of_data_are_tables() -> None:
    data = "<table><tr><th>Item</th><th>Price</th></tr><tr><td>麻婆豆腐</td><td>28</td></tr></table>"
    page = f"<body><table><tr><td>left words</td><td><h2>Prices</h2>{data}<p>after words</p></td></tr></table></body>"
    text = load_one("a.html", page.encode()).page_content
    assert "## Prices\n\n| Item | Price |\n| --- | --- |\n| 麻婆豆腐 | 28 |\n\nafter words" in text
    assert "left words" in text


def test_a_page_that_is_one_large_table_is_kept_whole() -> None:
    rows = "".join(f'<tr><td><a href="/{n}">Product number {n}</a></td><td>{n} €</td></tr>' for n in range(300))
    text = load_one("a.html", f"<body><nav>Home</nav><table>{rows}</table></body>".encode()).page_content
    assert text.count("| Product number") == 300
    assert "Home" not in text


def test_headings_within_a_list_of_results_begin_lines() -> None:
    items = "".join(f'<li><div><h2><a href="/{n}">Result {n}</a></h2></div><p>{PROSE}</p></li>' for n in range(5))
    text = load_one("a.html", f"<body><ol>{items}</ol></body>".encode()).page_content
    assert [line for line in text.splitlines() if "Result" in line] == [f"## Result {n}" for n in range(5)]


def test_a_cell_merged_downwards_is_in_each_of_its_rows_so_that_the_others_stay_below_their_headers() -> None:
    table = (
        "<table><tr><th>地区<th>Year<th>Sum</tr><tr><td rowspan=2>华北<td>2024<td>1</tr><tr><td>2025<td>2</tr>"
        "<tr><td colspan=2>Total<td rowspan=2>3</tr><tr><td>x<td>y</tr><tr><td>South<td>2024<td rowspan=99999999999>7</table>"
    )
    assert load_one("a.html", f"<meta charset=utf-8>{table}".encode()).page_content.split("\n") == [
        "| 地区 | Year | Sum |",
        "| --- | --- | --- |",
        "| 华北 | 2024 | 1 |",
        "| 华北 | 2025 | 2 |",
        "| Total | | 3 |",
        "| x | y | 3 |",
        "| South | 2024 | 7 |",
    ]


def test_a_merged_cell_cannot_fill_the_memory() -> None:
    table = f"<table><tr><td rowspan=60000>{'long ' * 200}<td rowspan=60000>s<td>1</tr>{'<tr><td>v</tr>' * 6000}</table>"
    assert len(load_one("a.html", table.encode()).page_content) < 10 * len(table)


def test_blocks_of_all_kinds_do_not_run_together() -> None:
    page = (
        "<article><header>A1</header>B1<aside>C1</aside></article><form><fieldset><legend>D1</legend>E1</fieldset></form>"
        "<details><summary>概要</summary>内容</details><address>F1</address><figure>G1<figcaption>H1</figcaption></figure>"
        "<center>I1</center><textarea>J1</textarea>K1"
    )
    words = load_one("a.html", f"<meta charset=utf-8><p>Text.</p>{page}".encode()).page_content.split()
    assert words == ["Text.", "A1", "B1", "C1", "D1", "E1", "概要", "内容", "F1", "G1", "H1", "I1", "J1", "K1"]
