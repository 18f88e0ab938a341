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
    AreaPrices,
    BigJump,
    GradePrices,
    PriceChange,
    PriceForm,
    PriceRow,
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


@dataclass(frozen=True)
class GradeLine:
    """One grade of an area."""

    area_id: str = ""
    area: str = ""
    grade: str = ""
    label: str = ""
    price: str = ""  # empty: none yet
    age: str = ""
    source: str = ""
    problem: str = ""  # why it cannot be booked
    later: str = ""
    path: str = ""
    trend: str = ""  # the chart in words
    proposal: str = ""
    proposal_source: str = ""
    revision: int = 0

    @classmethod
    def of(cls, area: AreaPrices, each: GradePrices, days: int) -> Self:
        now, found, proposal = clock.now(), each.now, each.proposal
        shown, later = charted(each.history, now), ""
        if each.later:
            from_then = clock.date_and_time(each.later.effective_at)
            later = f"{FuelPrice(each.later.mills).exact} from {from_then}"
        problem = "No price: cannot be booked" if found is None else ""
        if each.is_stale:
            problem = f"Older than {days} days: cannot be booked"
        return cls(
            area.id,
            area.name,
            each.grade,
            GRADE_LABELS[each.grade],
            FuelPrice(found.mills).exact if found else "",
            f"Set {age_words(found.effective_at, now)} by {each.set_by}" if found else "",
            found.source if found else "",
            problem,
            later,
            step_path(shown, now),
            _trend(shown),
            FuelPrice(proposal.mills).exact if proposal else "",
            proposal.source if proposal else "",
            each.revision,
        )


def _trend(shown: list[PriceRow]) -> str:
    prices = [FuelPrice(row.mills) for row in shown]
    if not prices:
        return ""
    return f"{min(prices).exact} to {max(prices).exact} in the last {CHARTED.days} days"


@dataclass(frozen=True)
class AreaPanel:
    """An area with its grades."""

    id: str
    name: str
    grades: list[GradeLine]


@dataclass(frozen=True)
class PriceLine:
    """One change of a price."""

    when: str
    what: str
    change: str
    effective: str
    source: str
    who: str

    @classmethod
    def of(cls, each: PriceChange) -> Self:
        change = f"{each.before} → {each.after}" if each.before else each.after
        effective = clock.date_and_time(each.effective_at)
        when = clock.date_and_time(each.at)
        return cls(when, each.what, change, effective, each.source, each.actor)


class PricesState(StaffScreen, rx.State):
    """The prices of every area, and the last changes."""

    ROLES: ClassVar = (Role.ADMIN,)

    areas: list[AreaPanel] = []
    changes: list[PriceLine] = []
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
        actor = await actor_of(self)
        try:
            days, areas = await prices.board(actor=actor)
            changes = await prices.changes(actor=actor)
        except Refusal:  # the role has gone meanwhile
            days, areas, changes = 0, [], []
        except Exception:
            log.exception("prices.read_failed")
            self.failed, self.loading = True, False
            return
        self.areas = [
            AreaPanel(area.id, area.name, [GradeLine.of(area, each, days) for each in area.grades])
            for area in areas
        ]
        self.changes = [PriceLine.of(change) for change in changes]
        self.failed, self.loading = False, False

    def _find(self, area_id: object, grade: object) -> GradeLine:
        lines = (line for area in self.areas for line in area.grades)
        return next(
            (line for line in lines if (line.area_id, line.grade) == (area_id, grade)), GradeLine()
        )


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
    async def begin(self, area_id: str, grade: str):
        """Open the dialog for a grade of an area."""
        await self._begin(area_id, grade, PriceForm.blank())

    @rx.event
    @admin_only
    async def begin_with_proposal(self, area_id: str, grade: str):
        """Open the dialog with what the EIA proposes."""
        line = (await self.get_state(PricesState))._find(area_id, grade)
        typed = {"price": line.proposal.removeprefix("$"), "source": line.proposal_source}
        await self._begin(area_id, grade, PriceForm.blank() | typed)

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

    async def _begin(self, area_id: str, grade: str, typed: dict[str, str]) -> None:
        line = (await self.get_state(PricesState))._find(area_id, grade)
        if not line.grade:
            return
        self.line, self.values, self.errors, self._sent = line, typed, PriceForm.blank(), {}
        self.opened, self.error, self.busy = True, "", False
        self.question, self._asked = "", None

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
            said = f"{line.label} in {line.area}: {FuelPrice(form.price).exact}"
            (await self.get_state(ToastState))._show(said)
            await shown._refresh()
        self.busy = False
        return wrong
