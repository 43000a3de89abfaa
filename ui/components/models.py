"""Which models are in use, which texts leave this machine for them, and a button that asks whether they answer."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import streamlit as st

from models.check import places
from ui import state
from ui.components.menus import ask, confirm
from ui.components.reasons import why
from ui.safe import escape_markdown
from ui.strings import plain, t

if TYPE_CHECKING:
    from models.check import Checked, Role
    from settings import Settings
    from ui.services import Services

_CHECKED = "models_checked"
_PICTURES = frozenset({"pictures"})
_SENT: Mapping[str, frozenset[str]] = {
    "embeddings": frozenset({"documents"}),
    **dict.fromkeys(("chat", "rewrite", "judge", "rerank"), frozenset({"passages"})),
    "vision": _PICTURES,
}
"""What a remote model of that role is sent: the texts of all documents, questions and passages, or pictures."""


def show_models(services: Services) -> None:
    """What leaves this machine in one line; a panel with each model and the check."""
    settings = state.settings(services)
    used = places(settings)
    st.caption(_badge(remote(settings), seer="vision" if "vision" in used else "chat"))
    with st.expander(t("models.title"), key="models", icon=":material/memory:"):
        for role, (model, place) in used.items():
            where = escape_markdown(place) if place else t("models.here")
            named = f"{escape_markdown(model)} · {where}" if model or place else t(f"models.{role}_none")
            st.markdown(f"**{t(f'models.{role}')}** {named}")
        st.caption(t("models.how"))
        if st.button(t("models.check"), key="check_models", icon=":material/network_check:"):
            st.session_state[_CHECKED] = used, services.check_models(settings)
        asked, found = st.session_state.get(_CHECKED, (None, ()))
        for checked in found if asked == used else ():  # of other models it would say nothing
            _show(checked)
        _show_kept(services)


def _show_kept(services: Services) -> None:
    """A button that forgets the answers of models that were kept, where there are any."""

    def forget() -> None:
        services.answers.clear()

    count = len(services.answers)
    if count:
        label, tip = t("models.forget", count=count), t("models.forget_help")
        if st.button(label, key="forget_answers", icon=":material/delete_history:", help=tip):
            ask("answers")
        words = [t("models.forget_text", count=count)]
        confirm("answers", t("models.forget_title"), words, yes=t("models.forget_yes"), delete=forget, key="forget_answers_yes")


def remote(settings: Settings) -> dict[Role, str]:
    """The addresses off this machine that the models in use have; empty if nothing leaves it."""
    return {role: place for role, (_, place) in places(settings).items() if place and not is_here(place)}


def is_here(place: str) -> bool:
    """Whether an address is this machine's own."""
    host = _host(place)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _host(place: str) -> str:
    """The host of an address; "" of one that is none, as it may be while somebody types it."""
    try:
        return urlsplit(place).hostname or ""
    except ValueError:
        return ""


def _badge(remote: Mapping[Role, str], *, seer: Role) -> str:
    """What leaves, for which hosts; the role `seer` gets pictures too, when somebody has them described."""
    if not remote:
        return f":material/lock: {t('models.nothing_leaves')}"
    hosts: dict[str, set[str]] = {}
    for role, place in remote.items():
        hosts.setdefault(_host(place) or place, set()).update(_SENT[role] | (_PICTURES if role == seer else frozenset()))
    said = list[str]()
    for host, what in hosts.items():
        if what != _PICTURES:
            said.append(plain("models.sent_documents" if "documents" in what else "models.sent_passages", host=host))
        said += [plain("models.sent_pictures", host=host)] if "pictures" in what else []
    return f":material/cloud_upload: {escape_markdown(' '.join(said))}"


def _show(checked: Checked) -> None:
    role = t(f"models.{checked.role}")
    if checked.status == "ok":
        st.success(f"{role} {t('models.answers', ms=checked.ms)}", icon=":material/check:")
    elif checked.status == "failed":
        error: dict[str, Any] = {"code": checked.code, "params": {"message": checked.reason}}
        st.error(f"{role} {why(error, checked.reason, markdown=True)}", icon=":material/error:")
