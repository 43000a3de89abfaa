"""Encrypted files behind the page: a password goes with its file, is kept nowhere, and can be given afterwards."""

from pydantic import SecretStr

from ingest.jobs import Upload
from tests.files import make_pdf
from tests.ingest.test_jobs import done, jobs

__all__ = ["jobs"]
LOCKED = make_pdf(["The refund period is thirty days."], user_password="s3cret")


def test_a_password_opens_its_file_and_is_written_nowhere(desk, jobs):
    jobs.submit(
        "test", [Upload("a.pdf", LOCKED, SecretStr("s3cret")), Upload("b.txt", b"Open.", SecretStr("s3cret"))], desk.settings
    )
    jobs.start()
    assert [file.status for file in done(jobs)] == ["indexed", "indexed"]
    assert desk.lexical("refund") == ["a.pdf"]
    kept = [path for path in desk.library.folder.rglob("*") if path.is_file()]
    assert kept
    assert [path for path in kept if b"s3cret" in path.read_bytes()] == []


def test_a_file_without_its_password_fails_and_is_retried_with_it(desk, jobs):
    [job] = jobs.submit("test", [Upload("a.pdf", LOCKED)], desk.settings)
    jobs.start()
    [file] = done(jobs)
    assert file.report
    assert (file.status, file.report["code"]) == ("failed", "password")
    jobs.retry(job, SecretStr("wrong"))
    [file] = done(jobs)
    assert file.status == "failed"
    jobs.retry(job, SecretStr("s3cret"))
    [file] = done(jobs)
    assert file.status == "indexed"
