"""Sitemaps: the pages that a site lists, how many are taken, and what is no sitemap."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest

from ingest.report import FileReport
from ingest.sources import Intake, Kept, Listing, Selection, Web
from ingest.sources.sitemap import Damaged, entries
from tests.ingest.desk import Desk
from tests.ingest.site import Answer, Site, Told, html, sitemap

MAX = 2**20
UTF_16 = "<?xml version='1.0' encoding='utf-16'?><urlset><url><loc>https://a.org/</loc></url></urlset>".encode("utf-16")
IMAGES = (
    b"<urlset xmlns='u' xmlns:image='i'><url><image:image><image:loc>https://a.org/i.png</image:loc></image:image>"
    b"<loc>https://a.org/</loc></url><url/><url><loc> </loc></url></urlset>"
)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        site.pages |= {f"/{name}": html(name, f"All about {name}.") for name in ("a", "b", "docs/c", "docs/d")}
        site.pages["/sitemap.xml"] = sitemap(*(f"{site.url}/{name}" for name in ("a", "b", "docs/c", "docs/d")))
        yield site


def look(site: Site, path: str = "/sitemap.xml", *, selection: Selection | None = None, **sources: Any) -> Listing:
    with Web(site.settings(**sources)) as web:
        listing = Listing(web, path if "://" in path else f"{site.url}{path}", selection)
        listing.look()
        return listing


def names(site: Site, listing: Listing) -> list[str]:
    return [name.removeprefix(site.url) for name in listing.pages]


def problems(listing: Listing) -> list[tuple[str, bool]]:
    return [(item.error.code, item.skipped) for item in listing.problems if item.error]


def take(desk: Desk, site: Site, *, prune: bool = False, **sources: Any) -> dict[str, str]:
    with Web(site.settings(**sources)) as web:
        listing = Listing(web, f"{site.url}/sitemap.xml")
        listing.look()
        kept = Kept(desk.library, desk.base)
        intake = Intake(desk.pipeline, desk.base, kept, desk.settings)
        reports = [event for _, event in intake.take(listing.items(kept)) if isinstance(event, FileReport)]
        if prune:
            reports += intake.remove(listing.gone(kept))
    return {report.source.removeprefix(site.url): report.status for report in reports}


def test_the_pages_of_a_sitemap_are_documents(desk, site):
    assert take(desk, site) == dict.fromkeys(("/a", "/b", "/docs/c", "/docs/d"), "indexed")
    assert take(desk, site) == dict.fromkeys(("/a", "/b", "/docs/c", "/docs/d"), "unchanged")
    desk.check()


def test_a_page_that_cannot_be_had_is_told_and_the_others_are_read(desk, site):
    del site.pages["/b"]
    assert take(desk, site) == {"/a": "indexed", "/b": "failed", "/docs/c": "indexed", "/docs/d": "indexed"}


def test_pages_that_are_not_listed_any_more_are_pruned(desk, site):
    take(desk, site)
    desk.add(f"{site.url}/own", "Added by hand.")
    site.pages["/sitemap.xml"] = sitemap(f"{site.url}/a")
    assert take(desk, site) == {"/a": "unchanged"}
    assert take(desk, site, prune=True) == {
        "/a": "unchanged",
        **dict.fromkeys(("/b", "/docs/c", "/docs/d"), "deleted"),
    }
    assert [name.removeprefix(site.url) for name in desk.names()] == ["/a", "/own"]


@pytest.mark.parametrize("broken", [b"<urlset", Answer(b"", 500), sitemap()])
def test_a_list_that_was_not_read_whole_prunes_nothing(desk, site, broken):
    take(desk, site)
    site.pages["/sitemap.xml"] = broken
    assert set(take(desk, site, prune=True).values()) == {"failed"}
    assert len(desk.names()) == 4


def test_pages_over_the_limit_are_told_and_not_pruned(desk, site):
    take(desk, site)
    assert take(desk, site, prune=True, max_pages=2) == {"/sitemap.xml": "skipped", "/a": "unchanged", "/b": "unchanged"}
    assert problems(look(site, max_pages=4)) == []
    assert len(desk.names()) == 4


def test_patterns_choose_by_path(site):
    chosen = look(site, selection=Selection(include=("docs/*",), exclude=("d",)))
    assert (names(site, chosen), chosen.unwanted) == (["/docs/c"], 3)


def test_what_the_patterns_do_not_want_is_not_gone(desk, site):
    take(desk, site)
    listing = look(site, selection=Selection(include=("docs",)))
    assert listing.gone(Kept(desk.library, desk.base)) == []


def test_an_index_leads_to_sitemaps_and_each_is_read_once(site):
    site.pages |= {
        "/index.xml": sitemap(f"{site.url}/one.xml", f"{site.url}/two.xml.gz", f"{site.url}/index.xml", index=True),
        "/one.xml": sitemap(f"{site.url}/a", f"{site.url}/b"),
        "/two.xml.gz": gzip.compress(sitemap(f"{site.url}/docs/c", f"{site.url}/a"), mtime=0),
    }
    listing = look(site, "/index.xml")
    assert (names(site, listing), problems(listing)) == (["/a", "/b", "/docs/c"], [])
    assert site.asked == ["/robots.txt", "/index.xml", "/one.xml", "/two.xml.gz"]


def test_sitemaps_over_the_limit_are_told(site):
    site.pages |= {f"/{n}.xml": sitemap(f"{site.url}/{n + 1}.xml", index=True) for n in range(9)}
    listing = look(site, "/0.xml", max_sitemaps=3)
    assert problems(listing) == [("many_sitemaps", True)]
    assert site.asked == ["/robots.txt", "/0.xml", "/1.xml", "/2.xml"]


def test_one_sitemap_that_fails_does_not_stop_the_others(site):
    site.pages |= {
        "/index.xml": sitemap(f"{site.url}/none.xml", "ftp://example.org/a.xml", f"{site.url}/sitemap.xml", index=True),
    }
    listing = look(site, "/index.xml")
    assert (len(listing.pages), problems(listing)) == (4, [("page_missing", False), ("url_scheme", False)])


def test_pages_of_other_sites_are_left_out_and_told_once(site):
    other = "https://other.example/a"
    site.pages["/sitemap.xml"] = sitemap(f"{site.url}/a", other, other, "file:///etc/passwd", "http://me:secret@other.example/")
    listing = look(site)
    assert names(site, listing) == ["/a"]
    assert problems(listing) == [("foreign_page", True), ("url_scheme", True), ("url_credentials", True)]
    assert "secret" not in repr(listing.problems)


def test_addresses_of_this_machine_in_a_sitemap_are_refused_as_any_other(desk, site):
    """The list itself is let pass; what it names is not."""
    port = site.url.rpartition(":")[2]
    site.pages["/sitemap.xml"] = sitemap(f"http://site.example:{port}/a")
    answers = {"/": ["127.0.0.1"]}
    with Web(site.settings(allow_private_addresses=False), resolve=lambda *_: answers["/"]) as web:
        listing = Listing(web, f"http://site.example:{port}/sitemap.xml")
        listing.look()
    assert problems(listing) == [("private_address", False)]
    assert site.asked == []


@pytest.mark.parametrize(
    ("robots", "asked"),
    [
        (b"Sitemap: {url}/map.xml\nUser-agent: *\nDisallow: /docs", "/map.xml"),
        (b"User-agent: *\nDisallow:", "/sitemap.xml"),
        (Answer(b"", 404), "/sitemap.xml"),
    ],
)
def test_of_a_site_its_robots_txt_names_the_sitemap(site, robots, asked):
    told: Told = robots.replace(b"{url}", site.url.encode()) if isinstance(robots, bytes) else robots
    site.pages |= {"/robots.txt": told, "/map.xml": sitemap(f"{site.url}/a")}
    assert names(site, look(site, "/")) == (["/a"] if asked == "/map.xml" else ["/a", "/b", "/docs/c", "/docs/d"])
    assert site.asked == ["/robots.txt", asked]


def test_a_list_without_pages_is_told(site):
    site.pages["/sitemap.xml"] = sitemap()
    assert problems(look(site)) == [("empty_sitemap", False)]


@pytest.mark.parametrize(
    "data",
    [
        html("Home", "No sitemap."),
        b"<urlset><url><loc>https://a.org/</loc></url>",
        b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>&x;</loc></url></urlset>",
        b"<?xml version='1.0'?><!DOCTYPE a SYSTEM 'http://127.0.0.1/x.dtd'><urlset/>",
        b"<?xml version='1.0' encoding='nonsense'?><urlset/>",
        b"<feed xmlns='http://www.w3.org/2005/Atom'/>",
        b"Just some words.",
        b"https://a.org/\nand words",
        b"\xff\xfe\x00",
        gzip.compress(bytes(4 * MAX), mtime=0),
        gzip.compress(b"<urlset/>", mtime=0)[:-5],
        b"\x1f\x8bnonsense",
        b"%PDF-1.7",
    ],
)
def test_what_is_no_sitemap_is_damaged(site, data):
    with pytest.raises(Damaged):
        list(entries(data, max_bytes=MAX))
    site.pages["/sitemap.xml"] = data
    listing = look(site)
    assert ("damaged_sitemap", False) in problems(listing)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (sitemap("https://a.org/1", "https://a.org/2"), [(False, "https://a.org/1"), (False, "https://a.org/2")]),
        (sitemap("https://a.org/1", index=True), [(True, "https://a.org/1")]),
        (b"<urlset><url><lastmod>2026</lastmod><loc>https://a.org/?a=1&amp;b=2</loc></url></urlset>", [(False, "https://a.org/?a=1&b=2")]),
        (IMAGES, [(False, "https://a.org/")]),
        ("\ufeffhttps://a.org/退款\n\nHTTP://a.org/b\r\n".encode(), [(False, "https://a.org/退款"), (False, "HTTP://a.org/b")]),
        (UTF_16, [(False, "https://a.org/")]),
        (b"", []),
    ],
)  # fmt: skip
def test_what_a_sitemap_lists(data, found):
    assert list(entries(data, max_bytes=MAX)) == found
    assert list(entries(gzip.compress(data, mtime=0), max_bytes=MAX)) == found


def test_a_large_sitemap_is_read_as_it_comes():
    data = sitemap(*(f"https://a.org/{n}" for n in range(50_000)))
    assert sum(1 for _ in entries(data, max_bytes=10 * MAX)) == 50_000
