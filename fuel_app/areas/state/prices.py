"""The fuel prices as admins see and set them."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import reflex as rx

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.live import AdminScreen
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.areas.rules.grades import GRADE_LABELS
from fuel_app.areas.rules.prices import (
    BigJump,
    GradePrices,
    PriceForm,
    age_words,
    charted,
    step_path,
)
from fuel_app.areas.service import prices
from fuel_app.kit import clock
from fuel_app.kit.errors import FAILED
from fuel_app.kit.money import FuelPrice
from fuel_app.kit.signals import AREAS, FIGURES, PRICES
from fuel_app.kit.ui.form_state import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings


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
    trend: tuple[str, ...] = ()  # the chart in words, newest first
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
            tuple(
                f"{FuelPrice(row.mills).exact} from {clock.date_and_time(row.effective_at)}, "
                f"{row.source}, {row.set_by}"
                for row in reversed(shown)
            ),
            FuelPrice(proposal.mills).exact if proposal else "",
            proposal.source if proposal else "",
            each.revision,
        )


class PricesState(AdminScreen, rx.State):
    """The prices of every area."""

    TOPICS: ClassVar = (PRICES, AREAS, FIGURES)

    grades: list[GradeLine] = []
    has_key: bool = False  # for proposals

    async def _read(self, actor: Actor) -> None:
        self.grades = [GradeLine.of(each) for each in await prices.board(actor=actor)]
        self.has_key = settings.eia_api_key is not None

    def _find(self, area_id: object, grade: object) -> GradeLine:
        found = (each for each in self.grades if (each.area_id, each.grade) == (area_id, grade))
        return next(found, GradeLine())


class PriceFormState(StaffScreen, FormState, rx.State):
    """The dialog that sets a price."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "price"
    FIELDS: ClassVar = PriceForm

    opened: bool = False
    line: GradeLine = GradeLine()
    values: dict[str, str] = PriceForm.blank()
    errors: dict[str, str] = PriceForm.blank()
    question: str = ""  # about a big jump

    _typed: dict[str, str] = {}  # that was sent, for the answer to the question
    _asked: tuple[int, int] | None = None  # the prices in the question

    @admin_only
    async def begin(self, area_id: str, grade: str, proposed: bool):
        """Open the dialog for a grade of an area, empty or with what the EIA proposes."""
        line = (await self.get_state(PricesState))._find(area_id, grade)
        if not line.grade:
            return
        typed = {"price": line.proposal.removeprefix("$"), "source": line.proposal_source}
        self._start_over()
        self.line, self.values = line, PriceForm.blank() | (typed if proposed is True else {})
        self.opened = True

    @admin_only
    async def close(self, _opened: bool):
        self.opened = False

    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the refused fields again; a question about other values is void."""
        if self._recheck(form):
            self.question, self._asked = "", None

    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Set the price, or ask first. A second click finds the dialog closed or the question."""
        if not self.opened:
            return
        self._begin(form)
        self._typed, self._asked = PriceForm.typed(form), None
        yield
        yield await self._set()

    @admin_only
    async def confirm(self):
        """Set the price that the question is about."""
        if not self.opened or self._asked is None:
            return
        self._begin(self._typed)
        yield
        yield await self._set()

    async def _set(self) -> Any:
        """Return the event that shows what is wrong, if there is one."""
        asked, self.question, self._asked = self._asked, "", None
        wrong = await self._finish(self._store(asked), "price.set_failed")
        if self.error not in {"", FAILED}:
            shown, line = await self.get_state(PricesState), self.line
            await shown._refresh()
            newer = shown._find(line.area_id, line.grade)
            self.line = newer if newer.grade else line
        return wrong

    async def _store(self, asked: tuple[int, int] | None) -> None:
        form, line = PriceForm.parse(self._typed), self.line
        given = {"seen": line.revision, "confirmed": asked, "actor": await actor_of(self)}
        try:
            await prices.set_price(line.area_id, line.grade, form, **given)
        except BigJump as jump:
            self.question, self._asked = str(jump), (jump.before, jump.after)
            return
        self.opened = False
        said = f"{line.name}: {FuelPrice(form.price).exact}"
        (await self.get_state(ToastState))._show(said)
        await (await self.get_state(PricesState))._refresh()
