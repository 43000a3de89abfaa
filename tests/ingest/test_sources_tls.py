"""Encrypted pages: the connection goes to the address that was found, and the certificate is held against the name."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.errors import LoadError
from ingest.sources import Web
from tests.ingest.site import Site, html

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="makes its certificate with openssl")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for site.example, that signs itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=site.example", "-addext", "subjectAltName=DNS:site.example"]
    subprocess.run([*made, *named, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    return certificate, key


@pytest.fixture
def secure(certificate: tuple[Path, Path]) -> Iterator[tuple[Site, list[str | None]]]:
    """A site with that certificate, and the names that it was asked for."""
    asked: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    context.sni_callback = lambda _socket, name, _context: asked.append(name)
    with Site(pages={"/a": html("A", "All about a.")}) as site:
        site.encrypt(context)
        yield site, asked


def fetch(site: Site, host: str) -> bytes:
    with Web(site.settings(respect_robots=False), resolve=lambda *_: ["127.0.0.1"]) as web:
        page = web.fetch(f"https://{host}:{site.url.rpartition(':')[2]}/a")
        assert page is not None
        return page.data


def test_the_certificate_is_held_against_the_name_and_not_the_address(secure, certificate, monkeypatch):
    site, asked = secure
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert b"All about a." in fetch(site, "site.example")
    with pytest.raises(LoadError, match="other.example cannot be reached .*certificate"):
        fetch(site, "other.example")
    assert asked == ["site.example", "other.example"]


def test_a_certificate_that_nobody_vouches_for_is_refused(secure):
    site, _ = secure
    with pytest.raises(LoadError, match="certificate"):
        fetch(site, "site.example")
    assert site.asked == []
