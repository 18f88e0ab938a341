"""The dispatch board in a dispatcher's tab without a browser."""

from typing import Any, TypeVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.dispatch.rules.day import RouteChanged
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.cards import Column, StopCard
from tests.helpers.admins import AdminTab
from tests.helpers.dispatch import TOMORROW
from tests.helpers.tabs import go_to

PAGE = f"{routes.DISPATCH}?day={TOMORROW}"
STRANGE: tuple[Any, ...] = (None, 7, -1, 1.5, True, "", "x", "9999-99-99", [], {}, [{}], "\x00")
CHANGED = str(RouteChanged())

State = TypeVar("State", bound=rx.State)


class BoardTab(AdminTab):
    """A dispatcher at the board of a day."""

    @classmethod
    async def open(cls, address: str = PAGE, *, email: str = "grace@example.com") -> "BoardTab":
        tab = await cls.at(address, Role.DISPATCHER, email=email)
        assert isinstance(tab, cls)
        await tab.fire(BoardState.load)
        return tab

    @property
    async def board(self) -> BoardState:
        return await self.screen(BoardState)

    async def arrive(self, address: str) -> None:
        cookie = self.tab.router.headers.cookie
        go_to(self.tab, address, cookie=cookie)
        assert COOKIE in cookie
        await self.fire(BoardState.load)

    async def columns(self) -> list[Column]:
        return list((await self.board).columns)

    async def cards(self) -> list[StopCard]:
        """Return the stops of the first truck."""
        return list((await self.columns())[0].stops)
