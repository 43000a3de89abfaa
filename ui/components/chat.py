"""The conversation: taking a question or files from the chat box, the history, and answering what is not answered yet."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from store.chats import REPLY_TO
from ui import asking, branches, state
from ui.answering import Answering
from ui.components import failure, found
from ui.components.answer import show_answer
from ui.components.answering import follow, running
from ui.components.conversation_menu import show_menu
from ui.components.limits import chips
from ui.components.passages import question_of, retrieved_again, show_passages
from ui.components.question import show_question
from ui.components.rating import show_rating
from ui.components.routing import show_route
from ui.components.standalone import show_standalone
from ui.components.uploads import submit
from ui.components.usage import show_cached, show_total, show_usage
from ui.components.used import LIMITS, UNREAD, made_with, show_used
from ui.components.welcome import show_beginning, show_welcome
from ui.components.why import show_why
from ui.limits import filter_of
from ui.safe import escape_markdown
from ui.strings import t
from ui.turns import ChatTurn, history, turns

if TYPE_CHECKING:
    from ui.services import Services


def take_input(services: Services) -> None:
    """The chat box. What is entered is kept at once, before anything can interrupt."""
    entered = st.chat_input(t("chat.placeholder"), accept_file="multiple", key="chat")
    if entered is None:
        return
    base = state.base(services)
    with failure.explained():
        jobs = submit(services, base, entered.files)
        if entered.text.strip():
            ask(services, entered.text.strip(), payload={"files": [file.name for file in entered.files], "jobs": jobs})
        elif jobs:
            st.toast(t("chat.files_taken", count=len(jobs)), icon=":material/upload_file:")


def ask(services: Services, question: str, *, payload: dict[str, Any] | None = None) -> None:
    """Keep a question in the open conversation, or in a new one, to be answered by this session."""
    conversation, base = state.conversation(services), state.base(services)
    services.library.ensure_base(base)  # there is none before the first document
    if conversation is None:
        conversation = services.chats.create(base)
        state.open_conversation(services, conversation)
    kept = services.chats.add(conversation.id, "user", question, payload=payload, branch=branches.through(conversation))
    branches.stay(conversation.id, kept.id)
    found.leave()
    state.ask(kept.id)


def show_chat(services: Services) -> None:
    """The open conversation, or the first screen of a new one."""
    conversation = state.conversation(services)
    messages = services.chats.messages(conversation.id) if conversation else []
    said = turns(messages, branches.through(conversation)) if conversation else []
    if conversation is None or not said:
        show_welcome(services, ask=lambda question: ask(services, question))
        return
    branches.stay(conversation.id, said[-1].question.id)
    show_menu(services, conversation, messages, said)
    gone = state.base_is_gone(services, conversation)
    if gone:
        st.warning(t("chat.base_gone", base=conversation.base, now=state.base(services)), icon=":material/folder_off:")
    finished = False
    for number, turn in enumerate(said):
        with found.marked(turn, "question"):
            show_question(services, conversation, turn)
        last = number == len(said) - 1
        if state.asked(turn.question.id):
            finished |= _answer_now(services, turn, said[:number])
        elif turn.answer:
            with found.marked(turn, "answer"):
                _shown(services, turn, last=last, follows=number > 0, compare=last and not gone)
        else:
            _again(turn, "chat.answer_this")
    show_total(message.payload or {} for message in messages)
    if finished:
        st.rerun()
    newest = said[-1].answer
    if not gone and newest and not (newest.payload or {}).get("contexts"):
        show_beginning(services)


def _shown(services: Services, turn: ChatTurn, *, last: bool, follows: bool, compare: bool) -> None:
    """The answer; to `compare`, its passages as the sliders find them now, which another base's would not be."""
    assert turn.answer is not None
    payload, key = turn.answer.payload or {}, str(turn.answer.id)
    with st.chat_message("assistant", avatar=":material/visibility:"):
        if limited := chips(payload.get(LIMITS) or {}):
            st.html(limited)
        show_standalone(payload, question=turn.question.id, follows=follows, key=key)
        show_answer(services, payload, key=key)
        show_route(payload, question=turn.question.id, key=key)
        show_cached(payload, turn.question.id)
        show_usage(payload)
        again = retrieved_again(services, payload) if compare else None
        if payload.get("contexts") or again:
            show_passages(services, payload, key=f"passages:{key}", again=again, expanded=last)
        show_used(services, payload, key=key)
        if compare and question_of(payload):
            show_why(services, payload, (again or payload).get("contexts") or (), key=key)
        if unread := payload.get(UNREAD):
            st.caption(f":material/hourglass_top: {t('chat.unread', count=unread)}")
        broken = payload.get("error") or payload.get("stopped") or unread
        if broken or again:
            _again(turn, "chat.retry" if broken else "chat.answer_again")
        show_rating(services, turn.answer)


def _again(turn: ChatTurn, label: str) -> None:
    question = turn.question.id
    st.button(t(label), key=f"answer:{question}", icon=":material/refresh:", on_click=state.ask, args=(question,))


def _answer_now(services: Services, turn: ChatTurn, before: Sequence[ChatTurn]) -> bool:
    """Follow the question's answer until it is kept; False while files that came with it, or before it, are still being read."""
    question = turn.question.id
    with st.chat_message("assistant", avatar=":material/visibility:"):
        asked = [*before, turn]
        answering = running(question)
        if answering is None and _reading(services, asked):
            _wait(services, asked)
            return False
        if failed := follow(question, answering or _begun(services, turn, before)):
            st.error(escape_markdown(failed), icon=":material/error:")
        state.answered(question)
        asking.answered(question)
    return True


def _begun(services: Services, turn: ChatTurn, before: Sequence[ChatTurn]) -> Answering:
    """The answer to a question, which begins now with the settings of now, and which keeps itself in the open conversation."""
    question, conversation = turn.question.text, state.conversation(services)
    bases, limits, said = state.bases(services), filter_of(state.limits()), history(before)
    asked = asking.of(turn.question.id, turn.answer.payload if turn.answer else None)
    settings, own = asked.settings(state.settings(services)), frozenset(state.changes())
    anew = state.anew(turn.question.id)
    beside = {REPLY_TO: turn.question.id} | made_with(services)

    def events() -> Generator[dict[str, Any], None, None]:
        chain = services.open_turn(settings, bases, limits, own)
        yield from chain.stream(question, history=said, standalone=asked.standalone or None, anew=anew)

    def keep(answer: dict[str, Any]) -> None:
        if conversation:
            services.chats.add(conversation.id, "assistant", answer["answer"], payload=answer | beside)

    return Answering(question, events, keep, failure.log).start()


def _reading(services: Services, asked: Sequence[ChatTurn]) -> bool:
    jobs = {job for turn in asked for job in (turn.question.payload or {}).get("jobs") or ()}
    return bool(jobs and services.jobs.unfinished(jobs))


def _wait(services: Services, asked: Sequence[ChatTurn]) -> None:
    """Say that the question waits for its files, until they are read."""

    @st.fragment(run_every=1)
    def waiting() -> None:
        if not _reading(services, asked):
            st.rerun()
        st.caption(f":material/hourglass_top: {t('chat.waiting')}")

    waiting()
