"""`python -m ingest add FOLDER` with its options."""

from __future__ import annotations

import pytest

from tests.ingest.site import Site, html, sitemap
from tests.ingest.test_command import call, folder  # noqa: F401 - fixtures


@pytest.fixture
def more(folder):  # noqa: F811
    (folder / "draft 1.md").write_text("# A draft\n\nNot to be found.", encoding="utf-8")
    return folder


def test_include_and_exclude_choose_and_the_rest_is_counted(call, more):  # noqa: F811
    status, told = call("add", more, "--include", "*.md", "--exclude", "draft*")
    assert (status, [file["source"] for file in told["files"]]) == (0, ["deep/知识.md"])
    assert told["left_out"] == [{"source": ".hidden", "why": "hidden"}]
    assert told["not_wanted"] == 2


def test_hidden_files_are_taken_when_asked_for(call, more):  # noqa: F811
    assert call("add", more, "--hidden")[1]["files"][0]["source"] == ".hidden"


def test_prune_takes_out_what_is_gone_and_only_when_asked_for(call, more):  # noqa: F811
    call("add", more, "--tag", "keep")
    (more / "a.txt").unlink()
    assert call("add", more)[1]["chunks_total"] == 3
    status, told = call("add", more, "--prune")
    assert (status, told["chunks_total"]) == (0, 2)
    assert {file["source"]: file["status"] for file in told["files"]} == {
        "draft 1.md": "unchanged",
        "deep/知识.md": "unchanged",
        "a.txt": "deleted",
    }
    assert [document["source"] for document in call("list")[1]["documents"]] == ["deep/知识.md", "draft 1.md"]


def test_a_folder_that_holds_the_store_does_not_index_it(call, more, monkeypatch):  # noqa: F811
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(more / "data"))
    for _ in range(2):
        told = call("add", more)[1]
        assert {file["source"] for file in told["files"]} == {"a.txt", "deep/知识.md", "draft 1.md"}
    assert {"source": "data", "why": "store"} in told["left_out"]


def test_without_json_what_is_left_out_is_a_line_on_standard_error(more, monkeypatch, tmp_path, capsys):
    from ingest.__main__ import main

    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    assert main(["add", str(more)]) == 0
    assert ".hidden: left out (hidden)" in capsys.readouterr().err.splitlines()


PRIVATE = ("--set", "sources.allow_private_addresses=true", "--set", "sources.pause_seconds=0")


@pytest.fixture
def site():
    with Site(pages={"/a": html("A", "All about a."), "/b": html("B", "All about b.")}) as site:
        site.pages["/sitemap.xml"] = sitemap(f"{site.url}/a", f"{site.url}/b", "https://other.example/")
        yield site


def test_a_web_address_is_added_under_its_name(call, site, more):  # noqa: F811
    status, told = call("add", f"{site.url}/a", more / "a.txt", *PRIVATE)
    assert (status, {file["source"]: file["status"] for file in told["files"]}) == (
        0,
        {f"{site.url}/a": "indexed", "a.txt": "indexed"},
    )
    assert call("add", f"{site.url}/a", *PRIVATE)[1]["files"][0]["status"] == "unchanged"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("{url}/a", "private_address"),
        ("http://169.254.169.254/latest", "private_address"),
        ("file:///etc/passwd", "url_scheme"),
        ("https://me:secret@example.org", "url_credentials"),
    ],
)
def test_what_may_not_be_fetched_fails_with_its_reason(call, site, address, code):  # noqa: F811
    status, told = call("add", address.format(url=site.url))
    assert (status, told["files"][0]["code"], told["chunks_total"]) == (1, code, 0)
    assert "secret" not in str(told)
    assert site.asked == []


def test_a_sitemap_is_added_and_pruned(call, site):  # noqa: F811
    status, told = call("add", "--sitemap", f"{site.url}/sitemap.xml", *PRIVATE)
    assert (status, [file["status"] for file in told["files"]]) == (0, ["skipped", "indexed", "indexed"])
    site.pages["/sitemap.xml"] = sitemap(f"{site.url}/b")
    status, told = call("add", f"{site.url}/sitemap.xml", "--sitemap", "--prune", "--include", "b", *PRIVATE)
    assert (status, {file["source"]: file["status"] for file in told["files"]}) == (
        0,
        {f"{site.url}/b": "unchanged", f"{site.url}/a": "deleted"},
    )


@pytest.mark.parametrize(("arguments", "said"), [(["a.txt"], "no web address"), (["ftp://example.org/"], "https://")])
def test_sitemaps_have_addresses(call, arguments, said):  # noqa: F811
    status, told = call("add", "--sitemap", *arguments)
    assert (status, said in told["error"]) == (2, True)
