"""Pictures of files in files: members of archives, attachments of mails. Each is looked through as what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from ingest.errors import LoadError
from ingest.loaders.archive import ArchiveLoader
from ingest.loaders.base import FileLoader
from ingest.loaders.mail import MailboxLoader, MailLoader
from ingest.loaders.members import Member, Unread, opened
from ingest.loaders.msg import MsgLoader
from ingest.loaders.tar import CompressedLoader
from ingest.pictures.screen import Screen

Show = Callable[[FileLoader, Screen], None]


def pictures_of_members(loader: FileLoader, screen: Screen, show: Show) -> None:
    """Show the pictures of each file in the file, with its path; those of a file that cannot be read are none."""
    if isinstance(loader, CompressedLoader):
        with loader.opened() as inner:
            show(inner, screen)
        return
    for member in _members(loader):
        if isinstance(member, Member):
            with suppress(LoadError), opened(loader, member) as inner:  # the report of the text tells it
                show(inner, screen.inside(member.path))


def _members(loader: FileLoader) -> Iterable[Member | Unread]:
    if isinstance(loader, ArchiveLoader):
        return loader.members()
    return _attached(loader) if isinstance(loader, MailLoader | MailboxLoader | MsgLoader) else ()


def _attached(loader: MailLoader | MailboxLoader | MsgLoader) -> Iterator[Member | Unread]:
    letters = (letter for _, letter in loader.letters()) if isinstance(loader, MsgLoader) else loader.letters()
    for letter in letters:
        yield from letter.attachments if letter else ()
