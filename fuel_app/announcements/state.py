"""Announcements as admins see them: the list, the draft, the look before it goes, and its end."""

from typing import ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.dialogs import FormDialog
from fuel_app.accounts.state.screens import AdminScreen
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.announcements import service as announcements
from fuel_app.announcements.rules import (
    DRAFT,
    AnnouncementForm,
    AnnouncementLine,
    Draft,
    Look,
    SendForm,
)
from fuel_app.areas.service import areas
from fuel_app.kit import clock
from fuel_app.kit.errors import attempt, problem_of
from fuel_app.kit.signals import ANNOUNCEMENTS, AREAS, MESSAGES
from fuel_app.kit.ui.forms import NoFields
from fuel_app.kit.ui.toast import ToastState

PAGE_SIZE = 10
_DONE = {"pause": "Paused", "resume": "It goes on", "recall": "It is a draft again"}


class AnnouncementsState(AdminScreen, rx.State):
    """The newest announcements."""

    TOPICS: ClassVar = (ANNOUNCEMENTS, MESSAGES, AREAS)

    lines: list[AnnouncementLine] = []
    has_more: bool = False

    _limit: int = PAGE_SIZE

    @admin_only
    async def more(self):
        """Show older ones, too."""
        self._limit += PAGE_SIZE
        await self._refresh()

    @admin_only
    async def step(self, kind: str, announcement_id: str):
        """Pause or resume one that goes out, or recall it before."""
        if not isinstance(kind, str) or kind not in _DONE:
            return
        stepping = announcements.step(kind, announcement_id, actor=await actor_of(self))
        problem = await problem_of(stepping, "announcement.step_failed")
        toasts = await self.get_state(ToastState)
        toasts._show(problem or _DONE[kind], "problem" if problem else "done")
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self.lines, self.has_more = await announcements.list_announcements(self._limit, actor=actor)


class AnnouncementDialog(FormDialog, mixin=True):
    """A dialog about an announcement of the list."""

    ROLES: ClassVar = (Role.ADMIN,)

    async def _finish_with(self, said: str) -> None:
        """Close it, say what was done, and show the list as it is now."""
        self._close()
        (await self.get_state(ToastState))._show(said)
        await self._renew()

    async def _renew(self) -> None:
        await (await self.get_state(AnnouncementsState))._refresh()


class DraftState(AnnouncementDialog, rx.State):
    """The dialog that writes an announcement."""

    FORM: ClassVar = "announcement"
    FIELDS: ClassVar = AnnouncementForm
    EVENT: ClassVar = "announcement.save_failed"

    draft: Draft = Draft()
    areas: list[dict[str, str]] = []  # id and name
    errors: dict[str, str] = AnnouncementForm.blank()

    @admin_only
    async def begin(self, announcement_id: str):
        """Open it on a draft; an empty id is a new one."""
        actor, draft = await actor_of(self), Draft()
        known = await areas.listing(actor=actor)
        if announcement_id:
            reading = announcements.find_draft(announcement_id, actor=actor)
            found, problem = await attempt(reading, "announcement.read_failed")
            if found is None:
                (await self.get_state(ToastState))._show(problem, "problem")
                return
            draft = found
        self._open()
        self.draft = draft
        self.areas = [{"id": area.id, "name": area.name} for area in known]

    async def _send(self, sent: object) -> None:
        form, actor = AnnouncementForm.parse(sent), await actor_of(self)
        await announcements.save(self.draft, form, actor=actor)
        await self._finish_with("Draft saved")


class SendState(AnnouncementDialog, rx.State):
    """The look at an announcement before it goes out, with a test and the button that sends it."""

    FORM: ClassVar = "announcement-send"
    FIELDS: ClassVar = SendForm
    EVENT: ClassVar = "announcement.send_failed"

    sender: str = ""
    subject: str = ""
    text: str = ""
    sms: str = ""
    people: str = ""
    channels: str = ""
    page: str = ""  # the address of the mail
    tested: str = ""  # where a test has gone
    errors: dict[str, str] = SendForm.blank()

    _look: Look | None = None

    @admin_only
    async def ask(self, announcement_id: str):
        """Open it on a draft."""
        looking = announcements.look(announcement_id, actor=await actor_of(self))
        look, problem = await attempt(looking, "announcement.read_failed")
        if look is None:
            (await self.get_state(ToastState))._show(problem, "problem")
            return
        self._open()
        self._look = look
        self.sender, self.subject = look.sender, look.subject
        self.text, self.sms = look.text, look.sms
        self.people, self.channels = look.audience.people_text, look.audience.channels_text
        self.page = routes.announcement_mail(look.id)

    @admin_only
    async def send_test(self):
        """Send the mail to whoever asks; once in this dialog."""
        if self.opened and not self.busy and not self.tested:
            async for event in self._run(self._test()):
                yield event

    async def _test(self) -> None:
        if self._look:
            self.tested = await announcements.send_test(
                self._look.id, key=self._key, actor=await actor_of(self)
            )

    async def _send(self, sent: object) -> None:
        if self._look is None:
            return
        form = SendForm.parse(sent)
        at = await announcements.send(self._look, form, actor=await actor_of(self))
        when = f"It goes out {clock.date_and_time(at)}" if form.when else "It is going out"
        await self._finish_with(when)


class EndState(AnnouncementDialog, rx.State):
    """The question before an announcement is cancelled, or a draft is deleted."""

    FORM: ClassVar = "announcement-end"
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "announcement.end_failed"

    subject: str = ""
    is_draft: bool = False

    _id: str = ""

    @admin_only
    async def ask(self, announcement_id: str):
        """Open it on an announcement of the list."""
        lines = (await self.get_state(AnnouncementsState)).lines
        line = next((each for each in lines if each.id == announcement_id), None)
        if line:
            self._open()
            self._id, self.subject, self.is_draft = line.id, line.subject, line.state == DRAFT

    async def _send(self, sent: object) -> None:
        actor = await actor_of(self)
        if self.is_draft:
            await announcements.remove(self._id, actor=actor)
        else:
            await announcements.step("cancel", self._id, actor=actor)
        await self._finish_with("Draft deleted" if self.is_draft else "Cancelled")
