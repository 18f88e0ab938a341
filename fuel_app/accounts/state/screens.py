"""Screens of the staff: live updates, lists, and undo of a tab's last action."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.session import (
    Arriving,
    SessionState,
    StaffScreen,
    actor_of,
    admin_only,
    staff_only,
)
from fuel_app.kit import audit, signals
from fuel_app.kit.errors import Failure, Refusal, attempt, problem_of
from fuel_app.kit.lists import Question
from fuel_app.kit.signals import SESSIONS
from fuel_app.kit.ui.toast import ToastState

_PAUSE_S = 0.5


async def follow(
    tab: rx.State,
    refresh: Callable[[], Awaitable[None]],
    *topics: str,
    every_s: float | None = None,
    after_s: float = 0,
) -> None:
    """Refresh a screen whenever a topic has changed, while its browser is signed in.

        @staff_only(background=True)
        async def follow(self):
            await live.follow(self, self._refresh, LEADS)

    Such an event belongs in its page's `on_load`, after the one that loads: the framework cancels
    those when the tab goes to another page or is closed.

    Args:
        tab: The state, in a background event.
        refresh: Called with the tab's lock held.
        every_s: Refresh also after so long without a change.
        after_s: Wait so long first: the tab that has made the change is answered before others.
    """
    async with signals.listening(*topics, SESSIONS) as changes:
        while await changes.next(every_s) or every_s:
            await asyncio.sleep(after_s)
            async with tab:
                if not await (await tab.get_state(SessionState))._look():
                    return
                began = time.monotonic()
                await refresh()
                took = time.monotonic() - began
            # A burst of joins is one refresh, and no screen refreshes for over a tenth of the time.
            await asyncio.sleep(max(_PAUSE_S, 9 * took))


class AdminScreen(StaffScreen, mixin=True):
    """A screen for admins that is read again whenever one of its topics has changed."""

    ROLES: ClassVar[tuple[Role, ...]] = (Role.ADMIN,)
    TOPICS: ClassVar[tuple[str, ...]]

    loading: bool = True
    failed: bool = False

    @admin_only
    async def load(self):
        await self._refresh()

    @admin_only(background=True)
    async def follow(self):
        """Show what others change without a reload."""
        await follow(self, self._refresh, *self.TOPICS)

    async def _refresh(self) -> None:
        reading, screen = self._read(await actor_of(self)), type(self).__name__
        problem = await problem_of(reading, "screen.read_failed", screen=screen)
        self.failed, self.loading = isinstance(problem, Failure), False
        if problem and not self.failed:  # the role has gone meanwhile
            self._start_over()

    async def _read(self, actor: Actor) -> None:
        """Read what it shows; where that fails, it keeps what it has shown."""
        raise NotImplementedError


class StaffList(StaffScreen, Arriving, mixin=True):
    """One page of a list, and the events that ask for another one.

    A step changes the question and answers it in the same event. `address_mirror` then writes the
    address, which is read when the page opens and after Back.
    """

    PATH: ClassVar[str]
    TOPICS: ClassVar[tuple[str, ...]] = ()

    question: Any = Question()
    rows: list[Any] = []
    address: str = ""
    address_replaces: bool = False  # the one before it, instead of a step that Back returns to
    epoch: int = 0  # the fields appear anew when it rises: never while they are typed in
    pages: int = 1
    summary: str = ""
    loading: bool = True
    failed: bool = False

    _answered: Question | None = None  # a search that was cancelled is not

    @rx.var
    def filtered(self) -> bool:
        return any(self.question.typed)

    @staff_only
    async def load(self):
        """Answer what the address asks."""
        self._arrive()
        yield
        await self._answer()
        self._arrived()

    @staff_only(supersedes=True)
    async def look_for(self, typed: str):
        """Search for what is typed; a later search cancels an earlier one."""
        await self._ask(typing=True, q=typed, page=1)

    @staff_only(supersedes=True)
    async def narrow(self, form: dict[str, Any]):
        """Apply what is typed and chosen in the filters."""
        sent = form if isinstance(form, Mapping) else {}
        typed = self._typed_in(sent)
        if self.question.asking(**typed) != self.question:
            typed["page"] = 1
        await self._ask(typing=True, **typed)

    @staff_only
    async def sort_by(self, column: str):
        """Sort by a header: one way, then the other."""
        await self._ask(sort=self.question.sort_after(column), page=1)

    @staff_only
    async def order(self, sort: str):
        await self._ask(sort=sort, page=1)

    @staff_only
    async def turn_to(self, page: int):
        await self._ask(page=page)

    @staff_only
    async def jump(self, form: dict[str, Any]):
        """Turn to the page whose number is typed."""
        await self._ask(page=form.get("page") if isinstance(form, Mapping) else 1)

    @staff_only
    async def clear(self):
        """Show everything, in the same order."""
        everything = self.question.__class__(sort=self.question.sort)
        await self._ask(**asdict(everything))

    @staff_only(background=True)
    async def follow(self):
        """Show what others change without a reload."""
        await follow(self, self._refresh, *self.TOPICS)

    def _typed_in(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of the question that the filters' form holds."""
        return {name: sent.get(name) for name in self.question.TYPED}

    def _path(self) -> str:
        return self.PATH

    async def _refresh(self) -> None:
        """Answer the question and show it; where that fails, nothing of an earlier answer."""
        reading, screen = self._read(await actor_of(self)), type(self).__name__
        self.failed = await problem_of(reading, "screen.read_failed", screen=screen) != ""
        if self.failed:
            self._show_nothing()
        self.loading = False

    async def _read(self, actor: Actor) -> None:
        """Read what answers the question."""
        raise NotImplementedError

    def _show_nothing(self) -> None:
        """Drop what an earlier question was answered with."""
        self.rows, self.pages, self.summary = [], 1, ""

    def _arrive(self) -> None:
        """Take the question from the address."""
        asked = self.question.__class__.parse(self.router.url.query_parameters)
        self.loading = self.loading or asked != self.question
        self._set(asked, replaces=True)

    async def _ask(self, *, typing: bool = False, **differs: Any) -> None:
        self._turn(typing=typing, **differs)
        if self.question != self._answered:
            await self._answer()

    async def _answer(self) -> None:
        await self._refresh()
        self._answered = self.question

    def _turn(self, *, typing: bool = False, **differs: Any) -> None:
        """Change the question without answering it."""
        before, asked = self.question, self.question.asking(**differs)
        if asked != before:
            # Back leads to what was shown before the typing, not to each letter.
            self._set(asked, typing=typing, replaces=typing and any(before.typed))

    def _set(self, asked: Question, *, replaces: bool, typing: bool = False) -> None:
        if asked.typed != self.question.typed and not typing:
            self.epoch += 1
        self.question = asked
        self.address = routes.asking(self._path(), asked.parameters())
        self.address_replaces = replaces

    def _show_pages(self, page: int, pages: int) -> None:
        """Note the page that was found; one beyond the end is the last one."""
        self.pages = pages
        if page != self.question.page:
            self._set(replace(self.question, page=page), replaces=self.address_replaces)


class WaitingState(StaffScreen, rx.State):
    """The number of things that wait for staff, in the navigation of all their screens.

    `AttentionState` of the package above keeps it up to date.
    """

    total: int = 0


UNDO_SECONDS = 10
UNDO_FAILED = "Undo did not work just now. Please try again."


class UndoState(StaffScreen, rx.State):
    """The last action of this tab, which one click undoes."""

    text: str = ""
    action_id: str = ""
    board_day: str = ""  # the dispatch board of this day goes on to offer it
    is_offered: bool = False  # at the foot of the screen
    busy: bool = False

    def _offer(self, text: str, action_id: str, board_day: str = "") -> None:
        """Say what was done, with an Undo beside it."""
        self.text, self.action_id, self.board_day = text, action_id, board_day
        self.is_offered = True

    @staff_only
    async def expire(self, action_id: str):
        """Withdraw an offer that has had its time or was closed."""
        if action_id == self.action_id:
            self.is_offered = False

    @staff_only(background=True)
    async def undo(self, action_id: str):
        """Undo the action, however many subjects it has; it has to be the last one."""
        async with self:
            if not action_id or action_id != self.action_id or self.busy:
                return
            self.busy = True
            actor = str(await actor_of(self))
        undoing = _undo(action_id, actor)
        said, problem = await attempt(undoing, "undo.failed", UNDO_FAILED)
        async with self:
            self.busy = False
            if self.action_id == action_id:  # else another offer has come meanwhile
                self.action_id = action_id if isinstance(problem, Failure) else ""
            toasts = await self.get_state(ToastState)
            toasts._show(said or problem, "problem" if problem else "done")


NOTHING_UNDONE = "Nothing was undone: all of it had changed meanwhile."


async def _undo(action_id: str, actor: str) -> str:
    """Undo an action. Return what has come of it. Raises Refusal if that is nothing."""
    changed = left = 0
    async for done in audit.undo(action_id, actor=actor):
        changed, left = done.changed, done.left
    if left and not changed:
        raise Refusal(NOTHING_UNDONE)
    return f"Undone, except {left:,} that had changed meanwhile." if left else "Undone."
