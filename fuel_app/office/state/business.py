"""The business figures as admins see and change them."""

from collections.abc import Mapping
from typing import Any, ClassVar

import reflex as rx
import structlog

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.live import AdminScreen
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.accounts.state.undo import UndoState
from fuel_app.kit.errors import FAILED, InvalidForm, Refusal
from fuel_app.kit.figures import FIGURES
from fuel_app.kit.forms import typed
from fuel_app.kit.signals import FIGURES as TOPIC
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.office.service import figures
from fuel_app.office.service.figures import FigureChange

log = structlog.get_logger(__name__)

FORM = "business"


class BusinessState(AdminScreen, rx.State):
    """The form of one tab."""

    TOPICS: ClassVar = (TOPIC,)

    shown: dict[str, str] = {}  # the stored values as they stand in the fields
    errors: dict[str, str] = {}
    error: str = ""
    busy: bool = False
    changes: list[FigureChange] = []

    _seen: dict[str, int] = {}
    _sent: dict[str, str] = {}

    @admin_only
    async def load(self):
        self.errors, self.error, self.busy = {}, "", False
        await self._refresh()

    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the fields again that have changed since they were refused."""
        if any(self.errors.values()) and typed(form, FIGURES) != self._sent:
            self.errors = _problems(form)

    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Store what differs. A form that was never shown has nothing to store."""
        if not self._seen or self.busy:
            return
        self._sent, self.error, self.busy = typed(form, FIGURES), "", True
        yield
        try:
            await self._store()
        except InvalidForm as error:
            self.errors = error.messages
            yield focus_field(FORM, next(iter(error.messages)))
        except Refusal as refusal:
            self.error = str(refusal)
            await self._refresh()
        except Exception:
            log.exception("figures.change_failed")
            self.error = FAILED
        self.busy = False

    async def _store(self) -> None:
        actor = await actor_of(self)
        done = await figures.change(self._seen, self._sent, actor=actor)
        self.errors = {}
        if done.changed:
            text = "1 figure changed" if done.changed == 1 else f"{done.changed} figures changed"
            (await self.get_state(UndoState))._offer(text, done.action_id)
        else:
            (await self.get_state(ToastState))._show("Nothing to change")
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self._seen = values = await figures.values(actor=actor)
        self.changes = await figures.history(actor=actor)
        self.shown = {name: FIGURES[name].typed(values[name]) for name in FIGURES if name in values}


def _problems(form: object) -> dict[str, str]:
    try:
        figures.parse(form if isinstance(form, Mapping) else {})
    except InvalidForm as error:
        return error.messages
    return {}
