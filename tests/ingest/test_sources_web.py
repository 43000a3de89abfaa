"""Pages of a real HTTP server on this machine: what is fetched, what is refused, and under which names."""

from __future__ import annotations

import gzip
import socket
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import LoadError
from ingest.report import FileReport
from ingest.sources import Intake, Item, Kept, Web
from ingest.sources.address import is_address, is_public, name_of, parsed, without_user
from ingest.sources.fetch import Pauses
from ingest.sources.robots import Robots
from settings import load_settings
from tests.ingest.desk import Desk
from tests.ingest.site import Answer, Site, html, redirect

PAGE = html("Refunds", "Refund window is thirty days, counted from the day on which the parcel was handed over.")


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(pages={"/page": PAGE}) as site:
        yield site


def fetch(site: Site, path: str, **sources: Any) -> bytes:
    address = path if "://" in path else f"{site.url}{path}"
    with Web(site.settings(**sources)) as web:
        page = web.fetch(address)
        assert page is not None
        return page.data


def refusal(site: Site, path: str, **sources: Any) -> LoadError:
    with pytest.raises(LoadError) as caught:
        fetch(site, path, **sources)
    return caught.value


def take(desk: Desk, site: Site, *addresses: str, **sources: Any) -> list[FileReport]:
    with Web(site.settings(**sources)) as web:
        kept = Kept(desk.library, desk.base)
        events = Intake(desk.pipeline, desk.base, kept, desk.settings).take(web.items(addresses, kept))
        return [event for _, event in events if isinstance(event, FileReport)]


# --- what comes into the base ------------------------------------------------------------------------------------------------


def test_a_page_is_a_document_under_its_address(desk, site):
    [report] = take(desk, site, f"{site.url}/page#part")
    assert (report.status, report.source) == ("indexed", f"{site.url}/page")
    assert desk.library.text(report.doc_id) == (
        "# Refunds\n\nRefund window is thirty days, counted from the day on which the parcel was handed over."
    )
    assert desk.lexical("refund") == [f"{site.url}/page"]
    desk.check()


def test_glassbox_says_who_it_is_and_nothing_else(site):
    fetch(site, "/page")
    assert site.asked == ["/robots.txt", "/page"]
    for heard in site.heard:
        assert "Glassbox" in heard["user-agent"]
        assert not {"cookie", "authorization", "referer"} & set(heard)


def test_an_unchanged_page_is_not_sent_again(desk, site):
    seen: list[bool] = []

    def page(headers: Any) -> Answer:
        seen.append(
            headers.get("If-None-Match") == '"v1"' and headers.get("If-Modified-Since") == "Mon, 02 Nov 2026 10:00:00 GMT"
        )
        marks = {"ETag": '"v1"', "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"}
        return Answer(status=304, headers=marks) if seen[-1] else Answer(PAGE, headers=marks)

    site.pages["/page"] = page
    statuses = [take(desk, site, f"{site.url}/page")[0].status for _ in range(3)]
    assert (statuses, seen) == (["indexed", "unchanged", "unchanged"], [False, True, True])
    desk.delete(f"{site.url}/page")
    assert take(desk, site, f"{site.url}/page")[0].status == "indexed", "what was deleted is fetched whole"


def test_without_marks_the_bytes_decide(desk, site):
    assert [take(desk, site, f"{site.url}/page")[0].status for _ in range(2)] == ["indexed", "unchanged"]
    site.pages["/page"] = html("Refunds", "Refund window is ninety days.")
    assert take(desk, site, f"{site.url}/page")[0].status == "replaced"


def test_a_mark_is_told_only_to_the_address_that_gave_it(desk, site):
    site.pages |= {"/there": Answer(PAGE, headers={"ETag": '"1"'}), "/page": redirect("/there")}
    take(desk, site, f"{site.url}/page")
    other = Answer(html("Other", "Another page with the same tag."), headers={"ETag": '"1"'})
    site.pages["/page"] = lambda headers: Answer(status=304) if "If-None-Match" in headers else other
    assert take(desk, site, f"{site.url}/page")[0].status == "replaced"


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("/index.php?id=3", PAGE, "# Refunds"),
        ("/README.md", PAGE, "# Refunds"),
        ("/", PAGE, "# Refunds"),
        ("/data.md", b"# Title\n\nWords.", "# Title\n\nWords."),
        ("/code.py", b"def refund():\n    return 30\n", "def refund():\n    return 30"),
        ("/list.csv?download=1", "名称,天数\n退款,30\n".encode(), "退款"),
        ("/api", b'{"refund": {"days": 30}}', "refund"),
        ("/%E9%80%80%E6%AC%BE", "退款期限为三十天。".encode("gb18030"), "退款期限为三十天。"),
    ],
)
def test_what_it_is_is_told_by_its_content(desk, site, path, content, said):
    site.pages[path] = content
    [report] = take(desk, site, f"{site.url}{path}")
    assert (report.status, report.warnings) == ("indexed", [])
    assert said in desk.library.text(report.doc_id)


def test_a_page_of_another_kind_than_its_name_says_is_told(desk, site):
    site.pages["/report.pdf"] = html("Sign in", "Please sign in first.")
    [report] = take(desk, site, f"{site.url}/report.pdf")
    assert (report.status, report.code) == ("failed", "wrong_content")


# --- names -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://example.org", "https://example.org"),
        ("HTTPS://Example.ORG:443/A?b=c#d", "https://example.org/A?b=c"),
        ("https://zh.example.org/wiki/北京", "https://zh.example.org/wiki/北京"),
        ("https://zh.example.org/wiki/%E5%8C%97%E4%BA%AC", "https://zh.example.org/wiki/北京"),
        ("https://example.org/a%20b%2Fc%00", "https://example.org/a%20b%2Fc%00"),
        ("https://example.org/%E2%80%AEfdp.exe", "https://example.org/%E2%80%AEfdp.exe"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080/x"),
    ],
)
def test_a_name_is_the_address_as_a_browser_shows_it(address, name):
    assert name_of(parsed(address)) == name
    assert name_of(parsed(name)) == name


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_a_name_leads_to_the_page_again(path):
    try:
        url = parsed(f"https://example.org/{path}")
    except LoadError:
        return
    assert parsed(name_of(url)) == url


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("file:///etc/passwd", "url_scheme"),
        ("ftp://example.org/a", "url_scheme"),
        ("gopher://example.org", "url_scheme"),
        ("javascript:alert(1)", "url_scheme"),
        ("http://", "url_invalid"),
        ("http:///path", "url_invalid"),
        ("https://exa mple.org", "url_invalid"),
        ("https://example.org:99999/", "url_invalid"),
        ("https://example.org/\u202egpj", "url_invalid"),
        ("http://0177.0.0.1/", "url_invalid"),
        (f"https://example.org/{'a' * 2000}", "url_invalid"),
        ("https://me:secret@example.org/", "url_credentials"),
        ("https://token-secret@example.org/a@b", "url_credentials"),
    ],
)
def test_what_is_no_address_is_refused_and_secrets_are_not_repeated(text, code):
    with pytest.raises(LoadError) as caught:
        parsed(text)
    assert caught.value.code == code
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(caught.value.params)


@pytest.mark.parametrize("text", ["http:me:secret@example.org", r"https:\\me:secret@example.org\a", "//me:secret@example.org"])
def test_secrets_in_half_an_address_are_not_shown(text):
    assert "secret" not in without_user(text)
    with pytest.raises(LoadError, match="^(?!.*secret)"):
        parsed(text)


def test_an_address_is_told_from_a_path():
    assert all(map(is_address, ["https://a.org", "HTTP://a.org", "file:///a", "https:a.org", "ftp://a"]))
    assert not any(map(is_address, ["a.txt", "C:/a.txt", "./http", "/a//b", "notes: a.md"]))


# --- where it may lead -------------------------------------------------------------------------------------------------------

INNER = [
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.2.1",
    "198.18.0.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.0.0.8", "::", "::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1",
    "ff02::1", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
    "100::1",
]  # fmt: skip


@pytest.mark.parametrize("address", INNER)
def test_addresses_that_are_not_of_the_open_internet(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "64:ff9b::101:101", "2002:101:101::"])
def test_addresses_of_the_open_internet(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "0x7f000001", "0x7f.1", "127.1",
        "localhost", "[fe80::1]", "10.0.0.1", "[::]", "017700000001",
    ],
)  # fmt: skip
def test_this_machine_and_its_network_are_refused(site, host):
    port = site.url.rpartition(":")[2]
    for robots in (True, False):
        error = refusal(site, f"http://{host}:{port}/page", allow_private_addresses=False, respect_robots=robots)
        assert error.code == "private_address", error
    assert site.asked == []


def test_a_name_that_leads_to_this_machine_is_refused(site):
    port = site.url.rpartition(":")[2]
    for found in (["127.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::ffff:127.0.0.1"]):
        settings = site.settings(allow_private_addresses=False)
        with Web(settings, resolve=lambda *_, found=found: found) as web, pytest.raises(LoadError) as caught:
            web.fetch(f"http://inner.example:{port}/page")
        assert (caught.value.code, caught.value.params) == ("private_address", {"host": "inner.example"})
    assert site.asked == []


def test_a_name_is_resolved_once_and_that_address_is_used(site):
    """Another answer of the name server comes too late to lead elsewhere."""
    answers = iter([["127.0.0.1"]])
    port = site.url.rpartition(":")[2]
    with Web(site.settings(respect_robots=False), resolve=lambda *_: next(answers)) as web:
        page = web.fetch(f"http://site.example:{port}/page")
    assert page is not None
    assert page.data == PAGE
    assert site.heard[0]["host"] == f"site.example:{port}"


def test_the_next_address_of_a_host_is_tried_when_one_does_not_answer(site):
    with socket.socket() as closed:
        closed.bind(("127.0.0.2", 0))
    port = site.url.rpartition(":")[2]
    with Web(site.settings(), resolve=lambda *_: ["::1", "127.0.0.1"]) as web:
        assert web.fetch(f"http://two.example:{port}/page") is not None


def test_a_host_that_nobody_knows_is_told(site):
    def unknown(*_: object) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    for robots in (True, False):
        with Web(site.settings(respect_robots=robots), resolve=unknown) as web, pytest.raises(LoadError) as caught:
            web.fetch("https://nowhere.example/")
        assert (caught.value.code, caught.value.name) == ("unknown_host", "https://nowhere.example/")


# --- redirects ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_and_the_name_stays(desk, site, status):
    site.pages |= {"/old": redirect("/older?x", status), "/older?x": redirect(f"{site.url}/page", status)}
    assert take(desk, site, f"{site.url}/old")[0].source == f"{site.url}/old"
    assert fetch(site, "/old") == PAGE


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ("http://169.254.169.254/latest/meta-data/", "private_address"),
        ("http://[::ffff:127.0.0.1]/", "private_address"),
        ("file:///etc/passwd", "url_scheme"),
        ("http://me:secret@site.example/", "url_credentials"),
        ("http://[", "url_invalid"),
    ],
)
def test_every_address_on_the_way_is_checked(site, monkeypatch, to, code):
    """The first one is let pass as if it were public; what it leads to is held against the rules."""
    port = site.url.rpartition(":")[2]
    site.pages["/out"] = redirect(to)
    monkeypatch.setattr("ingest.sources.address.is_public", lambda address: address == "127.0.0.1" or is_public(address))

    def resolve(host: str, _port: int) -> list[str]:
        return ["127.0.0.1"] if host == "site.example" else [host]

    with Web(site.settings(allow_private_addresses=False), resolve=resolve) as web, pytest.raises(LoadError) as caught:
        web.fetch(f"http://site.example:{port}/out")
    assert (caught.value.code, caught.value.name) == (code, f"http://site.example:{port}/out")
    assert "secret" not in str(caught.value)
    assert site.asked == ["/robots.txt", "/out"]


def test_redirects_end(site):
    site.pages |= {f"/{n}": redirect(f"/{n + 1}") for n in range(9)}
    site.pages["/3"] = PAGE
    assert fetch(site, "/0", max_redirects=3) == PAGE
    assert refusal(site, "/0", max_redirects=2).code == "many_redirects"
    site.pages["/round"] = redirect("/round")
    assert refusal(site, "/round").code == "many_redirects"


def test_cookies_last_for_one_page(site):
    site.pages |= {
        "/set": Answer(status=302, headers={"Location": "/page", "Set-Cookie": "seen=1"}),
        "/page": lambda headers: Answer(PAGE if headers.get("Cookie") else b"Cookies, please."),
    }
    with Web(site.settings()) as web:
        first, second = web.fetch(f"{site.url}/set"), web.fetch(f"{site.url}/page")
    assert first is not None
    assert second is not None
    assert (first.data, second.data) == (PAGE, b"Cookies, please.")


# --- bounds and failures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code"),
    [(404, "page_missing"), (410, "page_missing"), (401, "page_closed"), (403, "page_closed"), (500, "page_status"),
     (429, "page_status"), (304, "page_status"), (302, "page_status")],
)  # fmt: skip
def test_a_status_says_what_to_do(site, status, code):
    site.pages["/page"] = Answer(b"no", status)
    error = refusal(site, "/page")
    assert (error.code, error.params, error.name) == (code, {"status": status}, f"{site.url}/page")


def test_too_large_is_seen_while_it_comes(site):
    settings = site.settings().override({"ingest.max_file_mb": 1})
    site.pages |= {"/large": bytes(2**20 + 1), "/right": bytes(2**20)}
    with Web(settings) as web:
        assert web.fetch(f"{site.url}/right") is not None
        with pytest.raises(LoadError) as caught:
            web.fetch(f"{site.url}/large")
    assert (caught.value.code, caught.value.params) == ("too_large", {"mb": 1})


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress),
        ("GZIP", lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]) + bytes(7)),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data)[2:-4]),
        ("identity", bytes),
    ],
)
@pytest.mark.parametrize("size", [0, 100, 70_000, 65_536 * 3])
def test_compressed_pages_are_unpacked(site, encoding, packed, size):
    content = (b"0123456789" * (size // 10 + 1))[:size]
    site.pages["/page"] = Answer(packed(content), headers={"Content-Encoding": encoding})
    assert fetch(site, "/page") == content


def test_a_bomb_is_stopped_where_it_is_too_large(site):
    bomb = gzip.compress(bytes(64 * 2**20))
    settings = site.settings().override({"ingest.max_file_mb": 1})
    site.pages["/bomb"] = Answer(bomb, headers={"Content-Encoding": "gzip"})
    with Web(settings) as web, pytest.raises(LoadError) as caught:
        web.fetch(f"{site.url}/bomb")
    assert caught.value.code == "too_large"


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
def test_other_compressions_are_refused(site, encoding):
    site.pages["/page"] = Answer(b"x", headers={"Content-Encoding": encoding})
    assert refusal(site, "/page").code == "page_encoding"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"half", length=100),
        Answer(gzip.compress(PAGE)[:-9], headers={"Content-Encoding": "gzip"}),
        Answer(b"no gzip", headers={"Content-Encoding": "gzip"}),
    ],
)
def test_half_a_page_is_no_page(site, answer):
    site.pages["/page"] = answer
    error = refusal(site, "/page")
    assert (error.code, error.params["host"]) == ("page_unreachable", "127.0.0.1")


def test_a_site_that_drips_is_left(site):
    """Every byte comes in time, the page does not."""
    site.pages["/page"] = Answer(bytes(1000), pace=0.05)
    error = refusal(site, "/page", timeout_seconds=0.5)
    assert (error.code, error.params) == ("page_timeout", {"seconds": 0.5})


def test_a_site_that_drips_its_headers_is_left():
    with socket.create_server(("127.0.0.1", 0)) as server:
        import threading

        stop = threading.Event()

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-A: ")
                while not stop.wait(0.05):
                    try:
                        connection.sendall(b"a")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        chosen = {"allow_private_addresses": True, "respect_robots": False, "timeout_seconds": 0.5}
        settings = load_settings({f"sources.{name}": value for name, value in chosen.items()}, env={})
        with Web(settings) as web, pytest.raises(LoadError) as caught:
            web.fetch(f"http://127.0.0.1:{server.getsockname()[1]}/")
        stop.set()
        thread.join()
    assert caught.value.code == "page_timeout"


def test_a_site_that_is_down_is_told(site):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    assert refusal(site, f"http://127.0.0.1:{port}/").code == "page_unreachable"


def test_a_certificate_is_asked_for(site):
    assert refusal(site, site.url.replace("http", "https")).code == "page_unreachable"


def test_one_page_that_fails_does_not_stop_the_others(desk, site):
    reports = take(desk, site, "ftp://example.org", f"{site.url}/none", f"{site.url}/page")
    assert [(report.status, report.code) for report in reports] == [
        ("failed", "url_scheme"),
        ("failed", "page_missing"),
        ("indexed", None),
    ]


def test_proxies_of_the_environment_are_not_used(site, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert fetch(site, "/page") == PAGE


# --- robots.txt --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "allowed", "forbidden"),
    [
        ("", ["/", "/a"], []),
        ("User-agent: *\nDisallow: /", [], ["/", "/a"]),
        ("User-agent: *\nDisallow:", ["/a"], []),
        ("User-agent: *\nDisallow: /\nAllow: /public", ["/public/a"], ["/a"]),
        ("User-agent: *\nAllow: /a\nDisallow: /a", ["/a"], []),
        ("User-agent: *\nDisallow: /*.pdf$", ["/a.pdf?x", "/a.html"], ["/a.pdf", "/b/a.pdf"]),
        ("User-agent: *\nDisallow: /a*b*c", ["/abd"], ["/aXbXc", "/abc/d"]),
        ("User-agent: *\nDisallow: /a$", ["/ab"], ["/a"]),
        ("User-agent: *\nDisallow: /?q=", ["/"], ["/?q=1"]),
        ("User-agent: *\nDisallow: /\n\nUser-agent: GlassBox/2.0\nDisallow: /x", ["/a"], ["/x"]),
        ("User-agent: glassboxer\nDisallow: /", ["/a"], []),
        ("User-agent: other\nUser-agent: Glassbox\n\nDisallow: /a # here\nUser-agent: *\nAllow: /", ["/b"], ["/a"]),
        ("User-agent:glassbox\nDisallow:/a\nUser-agent:x\nDisallow:/b\nUser-agent:glassbox\nDisallow:/c", ["/b"], ["/a", "/c"]),
        ("user-AGENT : *\r\nDISALLOW:/a\r\nnonsense\r\n", ["/b"], ["/a"]),
        ("User-agent: *\nDisallow: /退款", ["/a"], ["/%E9%80%80%E6%AC%BE/1", "/%e9%80%80%e6%ac%be"]),
        ("User-agent: *\nDisallow: /%61", ["/b"], ["/a"]),
        ("Disallow: /", ["/a"], []),
    ],
)  # fmt: skip
def test_the_rules_of_robots_txt(text, allowed, forbidden):
    robots = Robots.of(text)
    assert [path for path in allowed + forbidden if robots.allows(path)] == allowed


def test_a_pattern_of_many_stars_takes_no_time():
    assert Robots.of(f"User-agent: *\nDisallow: /{'a*' * 500}b").allows(f"/{'a' * 2000}")


def test_robots_txt_is_respected_unless_switched_off(site):
    site.pages["/robots.txt"] = b"User-agent: *\nDisallow: /page"
    assert (error := refusal(site, "/page")).code == "robots_forbid"
    assert error.name == f"{site.url}/page"
    assert site.asked == ["/robots.txt"]
    assert fetch(site, "/page", respect_robots=False) == PAGE


def test_robots_txt_counts_for_every_address_on_the_way(site):
    with Site(pages={"/robots.txt": b"User-agent: glassbox\nDisallow: /", "/page": PAGE}) as other:
        site.pages["/out"] = redirect(f"{other.url}/page")
        assert refusal(site, "/out").code == "robots_forbid"
        assert other.asked == ["/robots.txt"]


def test_robots_txt_is_fetched_once_a_site(site):
    with Web(site.settings()) as web:
        for _ in range(3):
            web.fetch(f"{site.url}/page")
    assert site.asked == ["/robots.txt", "/page", "/page", "/page"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(b"", 404), None),
        (Answer(b"", 403), None),
        (redirect("/rules.txt"), "robots_forbid"),
        (redirect("http://[", 301), "url_invalid"),
        (Answer(b"", 503), "robots_unreachable"),
        (Answer(b"", 429), "robots_unreachable"),
        (redirect("/robots.txt"), "robots_unreachable"),
        (Answer(bytes(3 * 2**20)), "robots_unreachable"),
        (Answer("User-agent: *\nDisallow: /page".encode("utf-8-sig")), "robots_forbid"),
    ],
)
def test_without_rules_everything_is_allowed_and_with_unknown_ones_nothing(site, answer, code):
    site.pages |= {"/robots.txt": answer, "/rules.txt": b"User-agent: *\nDisallow: /"}
    if code is None:
        assert fetch(site, "/page") == PAGE
    else:
        assert refusal(site, "/page").code == code
        assert "/page" not in site.asked


def test_pauses_between_requests_to_one_site():
    slept: list[float] = []
    pauses = Pauses(30.0, sleep=slept.append)
    for site, asked in (("a", 0.0), ("b", 0.0), ("a", 0.0), ("b", 50.0)):
        pauses.wait(site, asked)
    assert [round(seconds / 10) for seconds in slept] == [3, 5]


def test_the_delay_that_a_site_asks_for_is_bounded():
    assert Robots.of("User-agent: *\nCrawl-delay: 2.5").delay == 2.5
    assert Robots.of("User-agent: *\nCrawl-delay: 86400").delay == 60
    assert Robots.of("User-agent: *\nCrawl-delay: soon\nDisallow: /a").delay == 0


def test_items_say_which_page_they_are_of(desk, site):
    with Web(site.settings()) as web:
        first, second = web.items([f"{site.url}/page", "https://me:secret@example.org/x"], Kept(desk.library, desk.base))
    assert first.origin is not None
    assert replace(first, origin=None) == Item(f"{site.url}/page", PAGE)
    assert first.origin.mark == {"url": f"{site.url}/page"}
    assert (second.name, second.data) == ("https://example.org/x", None)
    assert httpx.URL(first.name).host == "127.0.0.1"
