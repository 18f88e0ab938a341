"""The parts of a page: one event opens them, another follows, with one look-up of the session.

A part is an event of a state with its own guard; anyone may send it by itself, too.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import reflex as rx
import structlog

from fuel_app.accounts.state.session import (
    ACCOUNT,
    IS_OPEN,
    SESSION,
    HandedOver,
    SessionState,
    handed_over,
    page_finds,
)
from fuel_app.kit.signals import signals
from fuel_app.kit.ui.toast import ToastState

log = structlog.get_logger()

_OF_GUARDS = (SESSION, ACCOUNT, IS_OPEN)
_FRESH_S = 5  # what the opening has found serves those that follow, which begin right after it


async def open_parts(tab: rx.State, parts: Sequence[Any]) -> list[Any]:
    """Run events of the tab in their order, and return what they answer.

    A part that fails keeps no other from running; after a redirect nothing else runs.
    """
    known: dict[str, Any] = {}
    count, answers = signals().count(), []
    token = page_finds.set(known)
    try:
        for part in parts:
            try:
                sent = [each async for each in _run(part, await tab.get_state(part.state))]
            except Exception:  # the other parts of the page are shown all the same
                log.exception("page.part_failed", part=part.fn.__qualname__)
                sent = [ToastState.apologise]
            answers += sent
            if any(_is_redirect(each) for each in sent):
                break
    finally:
        page_finds.reset(token)
    state = await tab.get_state(SessionState)
    # Without a session nothing: who signs in is led to a page that may follow before it has opened.
    names = _OF_GUARDS if known.get("session") else ()
    seen = {name: known[name] for name in names if name in known}
    state._handed_over = HandedOver(seen, tab.router.session.session_id, count, time.time())
    return answers


async def follow_parts(tab: rx.State, parts: Sequence[Any]) -> AsyncIterator[Any]:
    """Run background events of the tab beside each other, and yield what they answer."""
    async with tab:
        last = (await tab.get_state(SessionState))._handed_over
        known = last.known if last and _is_fresh(last, tab) else {}
        states = [await tab.get_state(part.state) for part in parts]
    answers: asyncio.Queue[Any] = asyncio.Queue()

    async def run(part: Any, state: rx.State) -> None:
        handed_over.set(dict(known))  # of this task alone, each once
        try:
            async for sent in _run(part, state):
                await answers.put(sent)
        except Exception:  # the other parts are followed all the same
            log.exception("page.part_failed", part=part.fn.__qualname__)
        finally:
            await answers.put(None)

    running = [
        asyncio.create_task(run(part, state)) for part, state in zip(parts, states, strict=True)
    ]
    try:
        left = len(running)
        while left:
            sent = await answers.get()
            if sent is None:
                left -= 1
            else:
                yield sent
    finally:
        for task in running:
            task.cancel()


def _is_fresh(last: HandedOver, tab: rx.State) -> bool:
    is_here = last.connection == tab.router.session.session_id
    is_unchanged = last.count == signals().count()
    return is_here and is_unchanged and time.time() - last.at < _FRESH_S


async def _run(part: Any, state: rx.State) -> AsyncIterator[Any]:
    """Run an event handler of any kind; yield its answers one by one."""
    outcome = part.fn(state)
    if hasattr(outcome, "__aiter__"):
        async for sent in outcome:
            for each in _listed(sent):
                yield each
    else:
        sent = await outcome if hasattr(outcome, "__await__") else outcome
        for each in _listed(sent):
            yield each


def _listed(sent: Any) -> list[Any]:
    if sent is None:
        return []
    return list(sent) if isinstance(sent, list | tuple) else [sent]


def _is_redirect(event: Any) -> bool:
    handler = getattr(event, "handler", event)
    return handler.fn.__qualname__ == "_redirect"
