"""What a browser session remembers between two runs of the page, and what of it is kept in the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import streamlit as st

from settings import Settings
from store.chats import Conversation
from store.library import StoredDocument
from ui import presets, strings, tuning

if TYPE_CHECKING:
    from ui.services import Services

DEFAULT_BASE = "default"
_STARTED = "started"
_BASE = "base"
_CONVERSATION = "c"
_ASKED = "asked"
_ANEW = "anew"
_CONFIGURED = "configured"
_CHANGES = "changes"
_PRESET = "preset"
_ALSO = "also"
_LIMITS = "limits"
_LEFT_OPEN = "left_open"
_DOCUMENTS = "documents_of"


def start(services: Services) -> None:
    """Load what the store kept, at the first run of a session."""
    if st.session_state.get(_STARTED):
        return
    wanted = services.preferences.get("language") or services.settings().ui.language
    strings.speak(strings.choose(wanted, st.context.locale))
    opened = conversation(services)
    st.session_state[_BASE] = opened.base if opened else services.preferences.get("base")
    also_asked = services.preferences.get("also")
    st.session_state[_ALSO] = also_asked if isinstance(also_asked, list) else []
    st.session_state[_ASKED] = set()
    st.session_state[_CONFIGURED] = services.settings().flat()
    st.session_state[_CHANGES] = tuning.load(services.preferences, services.settings())
    st.session_state[_STARTED] = True


def choose_language(services: Services, language: str) -> None:
    """Speak `language` from now on, in later sessions too."""
    services.preferences.set("language", language)
    strings.speak(language)


def base(services: Services) -> str:
    """The knowledge base in use: the chosen one, else the first there is, else "default", which the first upload creates."""
    known = [each.name for each in services.library.bases()]
    chosen = st.session_state.get(_BASE)
    return chosen if chosen in known else (known[0] if known else DEFAULT_BASE)


def also(services: Services) -> list[str]:
    """The other knowledge bases that are asked beside the one in use."""
    known, chosen = [each.name for each in services.library.bases()], st.session_state.get(_ALSO) or []
    return [name for name in known if name in chosen and name != base(services)]


def choose_also(services: Services, names: Iterable[str]) -> None:
    """Ask these knowledge bases as well, now and in later sessions."""
    st.session_state[_ALSO] = list(names)
    services.preferences.set("also", list(names))


def bases(services: Services) -> list[str]:
    """All knowledge bases that are asked, the one in use first."""
    return [base(services), *also(services)]


def limits() -> dict[str, Any]:
    """What the search is limited to (ui/limits.py), in this session."""
    chosen: dict[str, Any] = st.session_state.get(_LIMITS, {})
    return chosen


def set_limits(chosen: Mapping[str, Any]) -> None:
    """Limit the search to this."""
    st.session_state[_LIMITS] = dict(chosen)


def documents(services: Services, name: str) -> list[StoredDocument]:
    """The documents of a knowledge base; none when it does not exist yet."""
    held: dict[str, list[StoredDocument]] = st.session_state.get(_DOCUMENTS, {})
    if name not in held:
        found = next((each for each in services.library.bases() if each.name == name), None)
        held[name] = services.library.documents(found) if found else []
    return list(held[name])


@contextmanager
def reading_documents_once() -> Iterator[None]:
    """Within one run of the page, read the documents of a base once: of ten thousand that takes half a second each time."""
    st.session_state[_DOCUMENTS] = {}
    try:
        yield
    finally:
        st.session_state.pop(_DOCUMENTS, None)


def choose_base(services: Services, name: str) -> None:
    """Use another knowledge base, now and in later sessions, and start a conversation about it."""
    if name != base(services):
        leave_conversation()
    st.session_state[_BASE] = name
    services.preferences.set("base", name)


def conversation(services: Services) -> Conversation | None:
    """The open conversation, named in the page's address so that it survives a reload; None before the first question."""
    wanted = st.query_params.get(_CONVERSATION)
    return next((each for each in services.chats.conversations() if each.id == wanted), None) if wanted else None


def open_conversation(services: Services, opened: Conversation) -> None:
    """Show a conversation, and use its knowledge base if that still exists."""
    if not base_is_gone(services, opened):
        st.session_state[_BASE] = opened.base
        services.preferences.set("base", opened.base)
    st.query_params[_CONVERSATION] = st.session_state[_LEFT_OPEN] = opened.id


def base_is_gone(services: Services, opened: Conversation) -> bool:
    """Whether the knowledge base that a conversation was about has been deleted."""
    return opened.base not in [each.name for each in services.library.bases()]


def leave_conversation() -> None:
    """Close the open conversation; the next question starts a new one."""
    st.query_params.pop(_CONVERSATION, None)
    st.session_state.pop(_LEFT_OPEN, None)


def return_to_conversation() -> None:
    """Open the conversation again that was open before another page was looked at: its address knows nothing of it."""
    wanted = st.query_params.get(_CONVERSATION)
    if wanted:
        st.session_state[_LEFT_OPEN] = wanted
    elif _LEFT_OPEN in st.session_state:
        st.query_params[_CONVERSATION] = st.session_state[_LEFT_OPEN]


def ask(message_id: int) -> None:
    """Have the question answered by this session."""
    st.session_state[_ASKED].add(message_id)


def ask_anew(message_id: int) -> None:
    """Have the question answered by this session, without an answer that was kept."""
    ask(message_id)
    st.session_state.setdefault(_ANEW, set()).add(message_id)


def anew(message_id: int) -> bool:
    """Whether an answer that was kept is not wanted for the question."""
    return message_id in st.session_state.get(_ANEW, ())


def asked(message_id: int) -> bool:
    """Whether this session is to answer the question; others' sessions answer theirs."""
    return message_id in st.session_state[_ASKED]


def answered(message_id: int) -> None:
    """Take the question off the list."""
    st.session_state[_ASKED].discard(message_id)
    st.session_state.get(_ANEW, set()).discard(message_id)


def knob_key(name: str) -> str:
    """The widget key of a setting's knob."""
    return f"knob:{name}"


def put(key: str, shown: Any) -> None:
    """Have the control with this key show a value.

    Streamlit sends what is put to the browser, where it would undo what a person has done since: so only what is another value.
    """
    if key not in st.session_state or st.session_state[key] != shown:
        st.session_state[key] = shown


def configured() -> dict[str, Any]:
    """Every setting by its dotted name, as the file and the environment set it."""
    values: dict[str, Any] = st.session_state[_CONFIGURED]
    return values


def changes() -> dict[str, Any]:
    """What the knobs changed of it."""
    changed: dict[str, Any] = st.session_state[_CHANGES]
    return changed


def value(name: str) -> Any:
    """The value of a setting as its knob stands."""
    return changes().get(name, configured()[name])


def change(services: Services, more: Mapping[str, Any]) -> None:
    """Turn these knobs, and keep it."""
    _keep(services, {**changes(), **more})


def reset_knobs(services: Services, names: Iterable[str]) -> None:
    """Put these knobs back to the configured values."""
    _keep(services, tuning.without(changes(), names))


def use_settings(services: Services, retrieval: Mapping[str, Any]) -> None:
    """Put all knobs of retrieval to the configured values, but for these changes; chunking stays."""
    _keep(services, {**tuning.without(changes(), tuning.retrieval_names()), **retrieval})


def preset(services: Services) -> str:
    """The id of the preset whose settings are those of now, the one last chosen before others; "" when there is none."""
    present, known = tuning.of_retrieval(changes()), presets.all_presets(services.presets.all())
    fitting = [key for key, changed in known.items() if _as_now(changed) == present]
    chosen = st.session_state.get(_PRESET)
    return chosen if chosen in fitting else next(iter(fitting), "")


def use_preset(services: Services, key: str, changed: Mapping[str, Any]) -> list[str]:
    """Put the knobs of retrieval to a preset's settings; gives the names of those that are no longer allowed, and left out."""
    st.session_state[_PRESET] = key
    allowed = tuning.allowed(services.settings(), changed)
    use_settings(services, allowed)
    return [name for name in changed if name not in allowed]


def _as_now(changed: Mapping[str, Any]) -> dict[str, Any]:
    """What a preset changes of the present configuration, which may be another than when it was saved."""
    return tuning.differing(tuning.of_retrieval(changed), configured())


def settings(services: Services) -> Settings:
    """The configuration with the knobs' changes over it."""
    return tuning.usable(services.settings(), changes())[0]


def not_whole(services: Services) -> str:
    """What a layer lacks that is on but not whole, and therefore not used; "" if there is none."""
    return tuning.usable(services.settings(), changes())[1]


def _keep(services: Services, changed: Mapping[str, Any]) -> None:
    st.session_state[_CHANGES] = tuning.save(services.preferences, services.settings(), changed)
