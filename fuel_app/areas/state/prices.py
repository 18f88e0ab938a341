"""The fuel prices as admins see and set them."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import reflex as rx
import structlog

from fuel_app.accounts.rules import Role
from fuel_app.accounts.state import live
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.areas.rules.grades import GRADE_LABELS
from fuel_app.areas.rules.prices import (
    CHARTED,
    BigJump,
    GradePrices,
    PriceForm,
    age_words,
    charted,
    step_path,
)
from fuel_app.areas.service import prices
from fuel_app.kit import clock
from fuel_app.kit.errors import FAILED, InvalidForm, Refusal
from fuel_app.kit.money import FuelPrice
from fuel_app.kit.signals import AREAS, FIGURES, PRICES
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

FORM = "price"
_SHOWN = 20


@dataclass(frozen=True)
class GradeLine:
    """One grade of an area."""

    area_id: str = ""
    grade: str = ""
    name: str = ""  # 'Regular, Sarasota'
    price: str = ""  # empty: none yet
    problem: str = ""
    notes: tuple[str, ...] = ()
    path: str = ""
    trend: str = ""  # the chart in words
    proposal: str = ""
    proposal_source: str = ""
    revision: str = ""

    @classmethod
    def of(cls, each: GradePrices) -> Self:
        at, now, proposal = clock.now(), each.now, each.proposal
        shown = charted(each.history, at)
        notes = (
            [f"Set {age_words(now.effective_at, at)} by {now.set_by}", now.source] if now else []
        )
        if each.later:
            from_then = clock.date_and_time(each.later.effective_at)
            notes.append(f"{FuelPrice(each.later.mills).exact} from {from_then}")
        return cls(
            each.area_id,
            each.grade,
            f"{GRADE_LABELS[each.grade]}, {each.area}",
            FuelPrice(now.mills).exact if now else "",
            each.problem,
            tuple(notes),
            step_path(shown, at),
            _range([FuelPrice(row.mills) for row in shown]),
            FuelPrice(proposal.mills).exact if proposal else "",
            proposal.source if proposal else "",
            each.revision,
        )


def _range(prices: list[FuelPrice]) -> str:
    shown = f"{min(prices).exact} to {max(prices).exact}" if prices else ""
    return shown and f"{shown} in the last {CHARTED.days} days"


@dataclass(frozen=True)
class PriceLine:
    """A price that was set."""

    name: str
    price: str
    effective: str
    source: str
    who: str


def _last_set(board: list[GradePrices]) -> list[PriceLine]:
    every = [(each, row) for each in board for row in each.history]
    every.sort(key=lambda pair: pair[1].id, reverse=True)
    return [
        PriceLine(
            f"{GRADE_LABELS[each.grade]}, {each.area}",
            FuelPrice(row.mills).exact,
            clock.date_and_time(row.effective_at),
            row.source,
            row.set_by,
        )
        for each, row in every[:_SHOWN]
    ]


class PricesState(StaffScreen, rx.State):
    """The prices of every area, and those that were set last."""

    ROLES: ClassVar = (Role.ADMIN,)

    grades: list[GradeLine] = []
    last: list[PriceLine] = []
    loading: bool = True
    failed: bool = False
    has_key: bool = False  # for proposals

    @rx.event
    @admin_only
    async def load(self):
        self.has_key = settings.eia_api_key is not None
        await self._refresh()

    @rx.event(background=True)
    @admin_only
    async def follow(self):
        """Show what others change without a reload."""
        await live.follow(self, self._refresh, PRICES, AREAS, FIGURES)

    async def _refresh(self) -> None:
        try:
            board = await prices.board(actor=await actor_of(self))
            self.grades, self.last = [GradeLine.of(each) for each in board], _last_set(board)
            self.failed = False
        except Refusal:  # the role has gone meanwhile
            self.grades, self.last = [], []
        except Exception:
            log.exception("prices.read_failed")
            self.failed = True
        self.loading = False

    def _find(self, area_id: object, grade: object) -> GradeLine:
        found = (each for each in self.grades if (each.area_id, each.grade) == (area_id, grade))
        return next(found, GradeLine())


class PriceFormState(StaffScreen, rx.State):
    """The dialog that sets a price."""

    ROLES: ClassVar = (Role.ADMIN,)

    opened: bool = False
    line: GradeLine = GradeLine()
    values: dict[str, str] = PriceForm.blank()
    errors: dict[str, str] = PriceForm.blank()
    error: str = ""
    question: str = ""  # about a big jump
    busy: bool = False

    _sent: dict[str, str] = {}
    _asked: tuple[int, int] | None = None  # the prices in the question

    @rx.event
    @admin_only
    async def begin(self, area_id: str, grade: str, proposed: bool):
        """Open the dialog for a grade of an area, empty or with what the EIA proposes."""
        line = (await self.get_state(PricesState))._find(area_id, grade)
        if not line.grade:
            return
        typed = {"price": line.proposal.removeprefix("$"), "source": line.proposal_source}
        connection = self._shown_to
        self.reset()
        self._open_to(connection)
        self.line, self.values = line, PriceForm.blank() | (typed if proposed is True else {})
        self.opened = True

    @rx.event
    @admin_only
    async def close(self, _opened: bool):
        self.opened = False

    @rx.event
    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the refused fields again; a question about other values is void."""
        if PriceForm.typed(form) != self._sent:
            self.errors = PriceForm.recheck(self.errors, form)
            self.question, self._asked = "", None

    @rx.event
    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Set the price, or ask first. A second click finds the dialog closed or the question."""
        if not self.opened:
            return
        self._sent, self._asked, self.error, self.busy = PriceForm.typed(form), None, "", True
        yield
        yield await self._set()

    @rx.event
    @admin_only
    async def confirm(self):
        """Set the price that the question is about."""
        if not self.opened or self._asked is None:
            return
        self.error, self.busy = "", True
        yield
        yield await self._set()

    async def _set(self) -> Any:
        """Return the event that shows what is wrong, if there is one."""
        asked, self.question, self._asked = self._asked, "", None
        wrong, line = None, self.line
        shown = await self.get_state(PricesState)
        try:
            form = PriceForm.parse(self._sent)
            given = {"seen": line.revision, "confirmed": asked, "actor": await actor_of(self)}
            await prices.set_price(line.area_id, line.grade, form, **given)
        except InvalidForm as error:
            self.errors = PriceForm.blank() | error.messages
            wrong = focus_field(FORM, next(iter(error.messages)))
        except BigJump as jump:
            self.question, self._asked = str(jump), (jump.before, jump.after)
        except Refusal as refusal:
            self.error = str(refusal)
            await shown._refresh()
            newer = shown._find(line.area_id, line.grade)
            self.line = newer if newer.grade else line
        except Exception:
            log.exception("price.set_failed")
            self.error = FAILED
        else:
            self.opened = False
            said = f"{line.name}: {FuelPrice(form.price).exact}"
            (await self.get_state(ToastState))._show(said)
            await shown._refresh()
        self.busy = False
        return wrong
