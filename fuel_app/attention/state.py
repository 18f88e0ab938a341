"""The list of what waits for staff, and its number in the navigation."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Self

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.screens import WaitingState
from fuel_app.accounts.state.session import (
    SessionState,
    StaffScreen,
    actor_of,
    are_staff,
    staff_only,
)
from fuel_app.attention import service
from fuel_app.kit import contact
from fuel_app.kit.attention import Attention, Waiting
from fuel_app.kit.errors import attempt
from fuel_app.kit.ui.state import set_changed
from fuel_app.kit.ui.toast import ToastState

HEADING = "needs-an-answer-title"
SHOWN = 5  # of a kind: the others are folded
REFRESH_S = 60  # stops get late, cards due and prices old without a change


@dataclass(frozen=True)
class WaitingLine:
    """One thing that waits."""

    key: str  # names it in the whole list
    id: str
    text: str
    detail: str
    href: str
    act: str
    decline: str

    @classmethod
    def of(cls, kind: str, line: Waiting) -> Self:
        return cls(
            key=f"{kind} {line.id}",
            id=line.id,
            text=line.text,
            detail=line.detail,
            href=line.href,
            act=line.act,
            decline=line.decline,
        )


@dataclass(frozen=True)
class WaitingKind:
    """The things of one kind."""

    kind: str
    title: str
    total: str
    more: str = ""  # how many are not listed
    href: str = ""  # where they are
    lines: list[WaitingLine] = field(default_factory=list)
    folded: list[WaitingLine] = field(default_factory=list)  # those after the first ones
    unfold: str = ""  # how many these are

    @classmethod
    def of(cls, found: Attention, *, is_admin: bool) -> Self:
        left = found.total - len(found.lines) if found.lines else 0
        lines = [WaitingLine.of(found.kind, each) for each in found.lines]
        is_open = is_admin or not found.href.startswith(routes.SETTINGS)
        return cls(
            kind=found.kind,
            title=found.title,
            total=f"{found.total:,}",
            more=f"{left:,} more" if left else "",
            href=found.href if is_open else "",
            lines=lines[:SHOWN],
            folded=lines[SHOWN:],
            unfold=f"Show {len(lines) - SHOWN} more",
        )


class AttentionState(StaffScreen, rx.State):
    """The list on the dashboard, and the one press that deals with a line."""

    kinds: list[WaitingKind] = []
    loading: bool = True
    busy: str = ""  # the key of the line whose button works
    refused: dict[str, str] = {}  # why a press did nothing, by the line's key

    @rx.event(background=True)
    async def follow(self):
        """Follow what waits while a screen of the staff is open."""
        async with self:
            if not await are_staff(self):
                return
            await self._refresh()
        await screens.follow(self, self._refresh, *service.TOPICS, every_s=REFRESH_S)

    @staff_only
    async def press(self, kind: str, line_id: str):
        """Deal with a line by one press. While one works, another does nothing."""
        async for event in self._press(kind, line_id, declines=False):
            yield event

    @staff_only
    async def decline(self, kind: str, line_id: str):
        """Say no to a line by one press. While one works, another does nothing."""
        async for event in self._press(kind, line_id, declines=True):
            yield event

    async def _press(self, kind: object, line_id: object, *, declines: bool) -> AsyncIterator[Any]:
        if self.busy:
            return
        key = f"{contact.text(kind)} {contact.text(line_id)}"
        self.busy, self.refused = key, {}
        yield
        pressing = service.press(await actor_of(self), kind, line_id, declines=declines)
        said, problem = await attempt(pressing, "attention.press_failed")
        await self._refresh()
        self.busy = ""
        shown = {line.key for each in self.kinds for line in (*each.lines, *each.folded)}
        if problem and key in shown:
            self.refused = {key: problem}
        else:
            toasts = await self.get_state(ToastState)
            toasts._show(said or problem, "problem" if problem else "done")
            yield rx.set_focus(HEADING)  # the pressed button has gone

    async def _refresh(self) -> None:
        found = await service.read_attention(await actor_of(self))
        waiting = await self.get_state(WaitingState)
        set_changed(waiting, total=sum(each.total for each in found))
        if self.router.url.path.rstrip("/") == routes.DASHBOARD:
            is_admin = (await self.get_state(SessionState)).is_admin
            kinds = [WaitingKind.of(each, is_admin=is_admin) for each in found]
            set_changed(self, kinds=kinds, loading=False)
