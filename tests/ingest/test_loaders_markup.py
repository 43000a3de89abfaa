"""Notebooks, saved web pages, reStructuredText, LaTeX, subtitles, calendars: what a reader reads of them."""

from __future__ import annotations

import json
import quopri
from typing import Any

import pytest

from ingest.errors import UnreadableFile
from tests.ingest.loading import load, load_one

PROSE = "The refund window is thirty days, counted from the day on which the goods were received by the buyer. " * 3


def notebook(*cells: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {}, **more}).encode()


def test_what_a_notebook_shows_as_a_page_or_data_only_is_read() -> None:
    page = {"output_type": "display_data", "data": {"text/html": ["<h2>Fares</h2>", "<table><tr><td>ferry</td></tr></table>"]}}
    data = {"output_type": "execute_result", "data": {"application/json": {"港口": 9}}}
    both = {"output_type": "execute_result", "data": {"text/html": "<b>twice</b>", "text/plain": "once"}}
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'fare'", "traceback": ["in cell 3"]}
    text = load_one("a.ipynb", notebook({"cell_type": "code", "source": "x", "outputs": [page, data, both, error]})).page_content
    assert "## Fares" in text
    assert "ferry" in text
    assert '"港口": 9' in text
    assert ("once" in text, "twice" in text) == (True, False)
    assert "in cell 3\nKeyError: 'fare'" in text


def test_a_notebook_is_its_text_code_and_output() -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "QUJD" * 99, "text/plain": ["<Figure>"]}}
    error = {"output_type": "error", "traceback": ["\u001b[31mValueError\u001b[0m", "退款"]}
    code = {
        "cell_type": "code",
        "source": ["# 注释\n", "print(1)"],
        "outputs": [{"output_type": "stream", "text": ["1\n"]}, picture, error],
    }
    text = {"cell_type": "markdown", "source": "# 退款分析\n![p](data:image/png;base64,QUJD) words"}
    document = load_one("a.ipynb", notebook(text, code))
    assert document.page_content == (
        "# 退款分析\np words\n\n```python\n# 注释\nprint(1)\n```\n\n```\n1\n```\n\n"
        "```\n<Figure>\n```\n\n```\nValueError\n退款\n```"
    )
    assert document.metadata["title"] == "退款分析"


def test_notebooks_of_another_language_of_old_versions_and_of_no_cells() -> None:
    kernel = {"kernelspec": {"language": "R"}}
    assert load_one("a.ipynb", notebook({"cell_type": "code", "source": "x"}, metadata=kernel)).page_content == "```R\nx\n```"
    old = {"worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "H"}, {"cell_type": "code", "input": "y"}]}]}
    assert load_one("a.ipynb", json.dumps(old).encode()).page_content == "## H\n\n```python\ny\n```"
    assert load_one("a.ipynb", notebook()).page_content == ""
    assert load_one("a.json", notebook({"cell_type": "raw", "source": "# raw"})).page_content == "\\# raw"


@pytest.mark.parametrize("data", [b'{"cells": [', b"[1]", b'{"cells": [1]}', b'{"cells": 1}'])
def test_a_damaged_notebook_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="the notebook is damaged"):
        load("a.ipynb", data)


def saved(page: str, charset: str, codec: str, *, kind: str = "multipart/related", more: str = "") -> bytes:
    body = quopri.encodestring(page.encode(codec)).decode()
    return (
        f'From: <Saved by Blink>\nSubject: Subject line\nMIME-Version: 1.0\nContent-Type: {kind}; boundary="x"\n\n'
        f"--x\nContent-Type: text/css\n\nbody {{}}\n--x\nContent-Type: text/html{charset}\n"
        f"Content-Transfer-Encoding: quoted-printable\n\n{body}\n{more}--x--\n"
    ).encode()


@pytest.mark.parametrize(
    ("charset", "codec"), [("; charset=gb2312", "gbk"), ("", "gbk"), ("; charset=utf-8", "utf-8"), ("; charset=utf-8", "gbk")]
)
def test_a_saved_page_is_its_main_text(charset: str, codec: str) -> None:
    words = "退款期限为三十天，请保留发票。"
    body = f"<nav>Home</nav><h1>退款</h1><p>{words * 3}</p><script>x()</script>"
    page = f"<html><head><title>条款</title></head><body>{body}</body></html>"
    document = load_one("a.mhtml", saved(page, charset, codec))
    assert document.page_content == f"# 退款\n\n{words * 3}"
    assert document.metadata["title"] == "条款"


def test_a_saved_page_without_a_title_has_the_subject_and_of_frames_the_largest_is_read() -> None:
    frame = f"--x\nContent-Type: text/html\n\n<p>{PROSE}</p>\n"
    document = load_one("a.mht", saved("<frameset><frame src='a'></frameset>", "", "utf-8", more=frame))
    assert document.page_content == PROSE.strip()
    assert document.metadata["title"] == "Subject line"
    assert load_one("page.htm", saved(f"<p>{PROSE}</p>", "", "utf-8")).metadata["read_as"] == "mhtml"


@pytest.mark.parametrize("data", [b"", b"no archive", b"MIME-Version: 1.0\nContent-Type: image/png\n\nx"])
def test_an_archive_without_a_page_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="no page"):
        load("a.mhtml", data)


RST = """.. comment
   of two lines

========
使用指南
========

See :ref:`the guide <guide>` and :class:`~a.B`, or `this page <http://example.org>`_ with ``code``.

Section one
-----------

Example::

    # not a heading
    ----------

.. code-block:: python
   :linenos:

   def f(): ...

.. note:: Keep this.

   And that.

.. image:: x.png
   :alt: The tower of the harbour

.. math:: e = m c^2

.. figure:: y.png

   A caption [1]_.

.. [1] The first *note*,
   of two lines.
.. [CIT2002] Who said it.
.. _place: http://example.org

Deeper
~~~~~~

====  ====
A     B
====  ====
1     2
====  ====

Second
------
"""


def test_rst_is_markdown_with_its_headings_and_code() -> None:
    document = load_one("a.rst", RST.encode())
    assert document.metadata["title"] == "使用指南"
    assert document.page_content == (
        "# 使用指南\n\nSee the guide and a.B, or this page with `code`.\n\n## Section one\n\nExample:\n\n"
        "```\n# not a heading\n----------\n```\n\n```python\ndef f(): ...\n```\n\nNote: Keep this.\n\nAnd that.\n\n"
        "The tower of the harbour\n\n```math\ne = m c^2\n```\n\nFigure: y.png\n\nA caption [1].\n\n"
        "[1] The first *note*,\nof two lines.\n\n[CIT2002] Who said it.\n\n"
        "### Deeper\n\n====  ====\nA     B\n====  ====\n1     2\n====  ====\n\n## Second"
    )


TEX = r"""\documentclass{article} % class
\usepackage[utf8]{inputenc}
\title{退款 \textbf{guide}}
\author{王小明 \and Li}
\begin{document}
\maketitle
\section{Terms~one}\label{sec:a}
The refund is 30\% of \emph{the \textbf{price}}~\cite{x}. % comment
\begin{itemize}
\item first
\item[B] second
\end{itemize}
\begin{equation} E = mc^2 \end{equation}
\begin{verbatim}
# 100% \section{no}
\end{verbatim}
\subsection*{Deeper}
End.
\end{document}
"""


def test_latex_is_markdown_with_its_formulas() -> None:
    document = load_one("a.tex", TEX.encode())
    assert document.metadata["title"] == "退款 guide"
    text = document.page_content
    assert text.startswith("# 退款 guide\n\n王小明 Li\n\n## Terms one\n\nThe refund is 30% of the price .")
    assert "- first\n- B: second" in text
    assert r"\begin{equation} E = mc^2 \end{equation}" in text
    assert "```\n# 100% \\section{no}\n```" in text
    assert text.endswith("### Deeper\n\nEnd.")
    for word in ("comment", "usepackage", "maketitle", "itemize", "cite"):
        assert word not in text


def test_subtitles_are_paragraphs_that_begin_with_their_time() -> None:
    cues = [(n * 8, f"<i>第{n}句</i>话。\n第{n}句话。") for n in range(10)]
    srt = "".join(f"{n}\n00:{s // 60:02}:{s % 60:02},500 --> 00:01:00,000\n{words}\n\n" for n, (s, words) in enumerate(cues))
    text = load_one("a.srt", srt.encode("gbk")).page_content
    assert text.startswith("[00:00:00] 第0句话。\n第1句话。")
    assert "\n\n[00:00:32] 第4句话。" in text
    vtt = "WEBVTT\n\nNOTE x\n\n1\n00:01.000 --> 00:02.000 align:start\n"
    vtt += "<v Ann>Hello &amp; <00:01.500><c>you</c>\n\n00:03.000 --> 00:04.000\nbye"
    assert load_one("a.vtt", vtt.encode()).page_content == "[00:00:01] Ann: Hello & you\nbye"
    assert load_one("a.srt", b"no cues").page_content == "no cues"


def test_a_text_that_is_said_once_stands_once() -> None:
    rolling = "\n\n".join(f"00:00:0{n}.000 --> 00:00:09.000\nline {n - 1}\nline {n}" for n in range(1, 5))
    assert load_one("a.vtt", rolling.encode()).page_content == "[00:00:01] line 0\nline 1\nline 2\nline 3\nline 4"


def test_calendars_and_address_cards() -> None:
    ics = "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1\nSUMMARY:退款会议\\, 三\n 楼\n"
    ics += "DTSTART;TZID=X:20240101T100000\nEND:VEVENT\n"
    ics += "BEGIN:VEVENT\nSUMMARY:Second\nEND:VEVENT\nEND:VCALENDAR\n"
    assert load_one("a.ics", ics.encode()).page_content == "summary: 退款会议, 三楼\ndtstart: 20240101T100000\n\nsummary: Second"
    name = quopri.encodestring("王小明".encode()).decode()
    vcf = f"BEGIN:VCARD\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:{name[:12]}=\n{name[12:]}\nTEL;CELL:123\nEND:VCARD\n"
    assert load_one("a.vcf", vcf.encode()).page_content == "fn: 王小明\ntel: 123"
