"""The tune panel: the few knobs that everybody needs, then every layer in the order in which a question goes through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from settings import Fusion
from ui import state, tuning
from ui.components.knobs import marked, show_knob
from ui.components.presets import show_presets
from ui.layers import GROUPS, Layer
from ui.safe import escape_markdown
from ui.strings import t
from ui.wording import layer_name

if TYPE_CHECKING:
    from settings.models import ChatRole
    from ui.services import Services

_UNUSED = {"maxsim": ("base_url", "model", "timeout_seconds"), "cross_encoder": ("base_url", "timeout_seconds")}
_ICONS = {"finding": ":material/search:", "choosing": ":material/filter_alt:", "preparing": ":material/article:"}


def show_retrieval(services: Services) -> None:
    """What decides which passages are found; a change shows at once in those of the last question."""
    basic = tuning.group_names("basic")
    with st.expander(marked(t("tuning.retrieval"), basic), key="tuning_retrieval", icon=":material/tune:", expanded=True):
        show_presets(services)
        st.caption(t("tuning.retrieval_note"))
        for name in basic:
            is_rrf = state.value(tuning.FUSION) == Fusion.RRF.value
            show_knob(services, name, disabled=name == tuning.RRF_CONSTANT and not is_rrf)
        with st.container(horizontal=True, gap="small"):
            _reset(services, "retrieval", basic)
            _reset(services, "all", tuning.names(), label=t("tuning.reset_all"))


def show_layers(services: Services) -> None:
    """The layers that find, that choose among what was found, and that prepare what was chosen."""
    for group, layers in GROUPS.items():
        names = tuning.group_names(group)
        with st.expander(marked(t(f"tuning.{group}"), names), key=f"tuning_{group}", icon=_ICONS[group]):
            st.caption(t(f"tuning.{group}_note"))
            for layer in layers:
                _layer(services, layer)
            _reset(services, group, names)


def show_chunking(services: Services) -> None:
    """How files are cut from now on; what is indexed already stays as it is."""
    names = tuning.group_names("chunking")
    with st.expander(marked(t("tuning.chunking"), names), key="tuning_chunking", icon=":material/content_cut:"):
        st.caption(t("tuning.chunking_note"))
        for name in names:
            show_knob(services, name)
        _reset(services, "chunking", names)


def show_answering(services: Services) -> None:
    """How an answer is put together of the passages, and when it is refused; what needs another setting to be on waits for it."""
    names = list(tuning.ANSWERING)
    with st.expander(marked(t("tuning.answering"), names), key="tuning_answering", icon=":material/quick_reference_all:"):
        st.caption(t("tuning.answering_note"))
        for name in names:
            switch = next(
                (each for each in (tuning.GROUNDING, tuning.CACHE) if name.startswith(each.removesuffix("enabled"))), name
            )
            if name == switch or state.value(switch):
                show_knob(services, name)
        if state.value(tuning.GROUNDING) and state.value(tuning.JUDGE) and _has_no_model(services, "judge"):
            st.caption(f":material/smart_toy: {t('tuning.no_model')}")
        _reset(services, "answering", names)


def _has_no_model(services: Services, role: ChatRole) -> bool:
    return services.settings().llm.of(role).provider == "none"


def _layer(services: Services, layer: Layer) -> None:
    """Its switch, and what can be set of it while it is on; the legs, which have no switch, show all."""
    names = tuning.layer_names(layer.name)
    with st.container(key=f"layer_{layer.name}", gap="small"):
        if layer.switch not in names:
            st.markdown(f"**{layer_name(layer.name)}**")
        else:
            show_knob(services, layer.switch, note=_model(layer))
            if not state.value(layer.switch):
                return
        for name in names:
            if name != layer.switch and name not in _needless():
                show_knob(services, name)
        _warn(services, layer)


def _needless() -> list[str]:
    """What the chosen reranker has no use for."""
    unused = _UNUSED.get(state.value("retrieval.rerank.provider"), ())
    return [f"retrieval.rerank.{name}" for name in unused]


def _model(layer: Layer) -> str:
    return f":material/smart_toy: {t('tuning.wants_model')} {t(f'without.{layer.name}')}" if layer.wants_model else ""


def _warn(services: Services, layer: Layer) -> None:
    """What keeps a layer that is on from doing its work."""
    if layer.wants_model and _has_no_model(services, "rewrite"):
        st.caption(f":material/smart_toy: {t('tuning.no_model')} {t(f'without.{layer.name}')}")
    if layer.name == "rerank" and (lacking := state.not_whole(services)):
        st.warning(f"{t('tuning.not_whole')}  \n{escape_markdown(lacking)}", icon=":material/warning:")


def _reset(services: Services, which: str, names: list[str], *, label: str = "") -> None:
    st.button(
        label or t("tuning.reset"),
        key=f"reset:{which}",
        icon=":material/restart_alt:",
        type="tertiary" if which == "all" else "secondary",
        on_click=state.reset_knobs,
        args=(services, names),
    )
