"""The dialogs and presses by which staff, and its own people, change a company."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.dialogs import FormDialog, StaffDialog
from fuel_app.accounts.state.screens import UndoState
from fuel_app.accounts.state.session import screen_only
from fuel_app.areas.rules.places import parse_position
from fuel_app.companies.rules.companies import (
    NEXT_STATES,
    STATE_NAMES,
    BillingEmails,
    CompanyDetails,
    CompanyTerms,
    CostCenter,
    PurchaseOrder,
    StateChange,
    role_for,
)
from fuel_app.companies.rules.documents import (
    APPROVED,
    CERTIFICATE,
    DOCUMENTS,
    Exemption,
    ExemptionDecline,
    ExemptionForm,
)
from fuel_app.companies.rules.people import CompanyInvite, Member, MemberChange
from fuel_app.companies.rules.sites import Site, SiteForm, SiteNameTaken, UnknownSiteZip
from fuel_app.companies.service import books, companies, documents, people, sites
from fuel_app.companies.state.company import CompanyScreen, CompanyState
from fuel_app.kit.errors import InvalidForm, problem_of
from fuel_app.kit.forms import Form
from fuel_app.kit.ui.forms import NoFields
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings


class OfCompany(CompanyScreen, mixin=True):
    """A dialog about the company that is shown."""

    _company_id: str = ""

    async def _page(self) -> CompanyState:
        return await self.get_state(CompanyState)

    async def _done(self, said: str, action_id: str = "") -> None:
        """Say what was done, with an Undo where it has an action, and show it."""
        if action_id:
            (await self.get_state(UndoState))._offer(said, action_id)
        else:
            (await self.get_state(ToastState))._show(said)
        await (await self._page())._refresh()


class CompanyDialog(OfCompany, FormDialog, mixin=True):
    """A dialog with a form about the company."""

    values: dict[str, str] = {}  # that the fields begin with
    editing: str = ""  # the id of the line that it is about; empty: a new one

    async def _open_on(self, line: Any = None) -> None:
        """Open on a line that the screen shows, or on a new one."""
        self._open()
        self._company_id = (await self._page()).profile.id
        self.editing = line.id if line else ""
        self.values = {name: getattr(line, name, "") for name in self.FIELDS.names()}

    async def _renew(self) -> None:
        await (await self._page())._refresh()


def _find(lines: list[Any], line_id: object) -> Any:
    return next((each for each in lines if each.id == line_id), None)


class RevisedDialog(CompanyDialog, mixin=True):
    """A dialog whose fields start anew once another has changed the company meanwhile."""

    _revision: int = 0

    def _fill(self, page: CompanyState) -> None:
        """Take the values of the company as it is shown."""
        raise NotImplementedError

    async def _open_on(self, line: Any = None) -> None:
        page = await self._page()
        await super()._open_on(page.profile)
        self._revision = page.profile.revision
        self._fill(page)

    async def _renew(self) -> None:
        await super()._renew()
        page = await self._page()
        if self._revision != page.profile.revision:
            self._revision = page.profile.revision
            self._fill(page)
            self.edition += 1


class CompanyDetailsState(RevisedDialog, rx.State):
    """The dialog of names, billing e-mails and address."""

    FORM: ClassVar = "company-details"
    FIELDS: ClassVar = CompanyDetails
    EVENT: ClassVar = "company.details_failed"

    errors: dict[str, str] = CompanyDetails.blank()

    @screen_only
    async def begin(self):
        """Open the form on the details as they are shown."""
        await self._open_on()

    def _fill(self, page: CompanyState) -> None:
        profile = page.profile
        names = ("name", "legal_name", "street", "city", "zip_code")
        self.values = {name: getattr(profile, name) for name in names}
        self.values |= {
            "billing_emails": "\n".join(profile.billing_emails),
            "state": profile.state_code,
        }

    async def _send(self, sent: object) -> None:
        actor, form = await self._by(), CompanyDetails.parse(sent)
        await companies.change_details(actor, self._company_id, form, self._revision)
        self._close()
        await self._done("Details saved")


class BillingEmailsState(RevisedDialog, rx.State):
    """The dialog of the addresses that invoices go to, for those who change no other details."""

    FORM: ClassVar = "billing-emails"
    FIELDS: ClassVar = BillingEmails
    EVENT: ClassVar = "company.emails_failed"

    errors: dict[str, str] = BillingEmails.blank()

    @screen_only
    async def begin(self):
        """Open the form on the addresses as they are shown."""
        await self._open_on()

    def _fill(self, page: CompanyState) -> None:
        self.values = {"billing_emails": "\n".join(page.profile.billing_emails)}

    async def _send(self, sent: object) -> None:
        actor, form = await self._by(), BillingEmails.parse(sent)
        await companies.change_billing_emails(actor, self._company_id, form, self._revision)
        self._close()
        await self._done("E-mail for invoices saved")


class CompanyTermsState(RevisedDialog, rx.State):
    """The dialog of kinds, terms and credit limit."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "company-terms"
    FIELDS: ClassVar = CompanyTerms
    MANY: ClassVar = ("kinds",)
    EVENT: ClassVar = "company.terms_failed"

    kinds: list[str] = []
    po_required: bool = False
    errors: dict[str, str] = CompanyTerms.blank()

    @screen_only
    async def begin(self):
        """Open the form on the terms as they are shown."""
        await self._open_on()

    def _fill(self, page: CompanyState) -> None:
        profile = page.profile
        self.kinds, self.po_required = list(profile.kinds), profile.po_required
        names = ("terms", "invoice_cycle", "credit_limit")
        self.values = {name: getattr(profile, name) for name in names}

    async def _send(self, sent: object) -> None:
        actor, form = await self._by(), CompanyTerms.parse(sent)
        action = await companies.change_terms(actor, self._company_id, form, self._revision)
        self._close()
        await self._done("Terms changed", action)


class CompanyStepState(CompanyDialog, rx.State):
    """The dialog that holds, resumes or closes the company, with a reason."""

    FORM: ClassVar = "company-step"
    FIELDS: ClassVar = StateChange
    EVENT: ClassVar = "company.state_failed"

    to: str = ""
    errors: dict[str, str] = StateChange.blank()

    @screen_only
    async def begin(self, to: str):
        """Ask for the reason of a step that the company and the actor can take."""
        profile, actor = (await self._page()).profile, await self._by()
        if to in NEXT_STATES[profile.state] and actor.may(role_for(profile.state, to)):
            await self._open_on()
            self.to = to

    async def _send(self, sent: object) -> None:
        actor, form, to = await self._by(), StateChange.parse(sent), self.to
        action = await companies.set_state(actor, self._company_id, to, form)
        self._close()
        await self._done(f"The company is {STATE_NAMES[to].lower()}", action)


class SiteDialogState(CompanyDialog, rx.State):
    """The dialog of one site; where its address was not found, its pin is asked for next."""

    FORM: ClassVar = "site"
    FIELDS: ClassVar = SiteForm
    EVENT: ClassVar = "company.site_failed"

    errors: dict[str, str] = SiteForm.blank()

    @screen_only
    async def begin(self, site_id: str):
        """Open the form on a site; an empty id adds one."""
        site = _find((await self._page()).sites, site_id)
        if site or site_id == "":
            await self._open_on(site)
            self.values["contact_phone"] = site.phone_text if site else ""

    async def _send(self, sent: object) -> None:
        actor, form = await self._by(), SiteForm.parse(sent)
        try:
            site_id = await sites.save_site(actor, self._company_id, form, self.editing)
        except SiteNameTaken as refusal:
            raise InvalidForm({"name": str(refusal)}) from refusal
        except UnknownSiteZip as refusal:
            raise InvalidForm({"zip_code": str(refusal)}) from refusal
        self._close()
        await self._done(f"{form.name} saved")
        site = _find((await self._page()).sites, site_id)
        if site and site.is_approximate:
            (await self.get_state(SitePinState))._show(site, (await self._page()).profile.id)


class SitePinState(OfCompany, StaffDialog, rx.State):
    """The dialog of a site's map."""

    pin: list[float] = [0, 0]  # latitude and longitude
    pin_of: str = ""  # what it stands at
    tile_url: str = ""
    refusal: str = ""
    busy: bool = False

    _site_id: str = ""

    @screen_only
    async def begin(self, site_id: str):
        """Open the map on a site."""
        page = await self._page()
        if site := _find(page.sites, site_id):
            self._show(site, page.profile.id)

    @screen_only
    async def move(self, lat: float, lng: float):
        """Keep where the pin stands."""
        if self.opened and (at := parse_position(lat, lng)):
            self.pin, self.refusal = [at.lat, at.lng], ""

    @screen_only
    async def save(self):
        """Save where the pin stands."""
        if not self.opened or self.busy:
            return
        self.busy, self.refusal = True, ""
        yield
        actor, pin = await self._by(), self.pin
        saving = sites.set_pin(actor, self._company_id, self._site_id, *pin)
        self.refusal = await problem_of(saving, "company.pin_failed")
        self.busy = False
        if not self.refusal:
            self._close()
            await self._done("Pin saved")

    def _show(self, site: Site, company_id: str) -> None:
        self._open()
        self._company_id, self._site_id = company_id, site.id
        self.pin, self.pin_of, self.tile_url = [site.lat, site.lng], site.address, settings.tile_url


class SiteFilesState(OfCompany, StaffDialog, rx.State):
    """The dialog of a site's permit and picture, which are uploaded by plain HTTP."""

    name: str = ""
    addresses: dict[str, str] = {}  # that take a file, by its kind

    @screen_only
    async def begin(self, site_id: str):
        """Offer to upload the files of a site."""
        page = await self._page()
        if site := _find(page.sites, site_id):
            self._open()
            self.name = site.name
            asked = {"company": page.profile.id, "site": site.id}
            self.addresses = {
                kind: routes.asking(routes.COMPANY_DOCUMENTS, asked | {"kind": kind})
                for kind in DOCUMENTS
            }

    @screen_only
    async def sent(self, _document_id: str):
        """Show that a file has arrived."""
        await self._done("File saved")


class MemberDialogState(CompanyDialog, rx.State):
    """The dialog that invites a person, or gives one another role or other sites."""

    FORM: ClassVar = "member"
    FIELDS: ClassVar = CompanyInvite
    MANY: ClassVar = ("sites",)
    EVENT: ClassVar = "company.member_failed"

    name: str = ""
    choices: list[Site] = []
    ticked: list[str] = []
    errors: dict[str, str] = CompanyInvite.blank()

    @screen_only
    async def begin(self, person_id: str):
        """Open the form on one of the company's people; an empty id invites one."""
        page = await self._page()
        member: Member | None = _find(page.people, person_id)
        if person_id != "" and (member is None or member.is_invitation):
            return
        await self._open_on(member)
        held = member.site_ids if member else []  # a closed one stays ticked
        self.choices = [site for site in page.sites if not site.is_closed or site.id in held]
        self.values["sites"] = ""
        if member:
            self.name, self.ticked = member.name or member.email, list(member.site_ids)

    def _rules(self) -> type[Form]:
        return MemberChange if self.editing else CompanyInvite

    async def _send(self, sent: object) -> None:
        actor = await self._by()
        if self.editing:
            change, said = MemberChange.parse(sent), f"{self.name} changed"
            await people.change_member(actor, self._company_id, self.editing, change)
        else:
            invite = CompanyInvite.parse(sent)
            await people.invite(actor, self._company_id, invite)
            said = f"Invitation to {invite.email} is on its way"
        self._close()
        await self._done(said)


class CostCenterState(CompanyDialog, rx.State):
    """The dialog of one cost center."""

    FORM: ClassVar = "cost-center"
    FIELDS: ClassVar = CostCenter
    EVENT: ClassVar = "company.center_failed"

    errors: dict[str, str] = CostCenter.blank()

    @screen_only
    async def begin(self, line_id: str):
        """Open the form on a cost center; an empty id adds one."""
        line = _find((await self._page()).centers, line_id)
        if line or line_id == "":
            await self._open_on(line)
            self.values["monthly_budget"] = line.budget_typed if line else ""

    async def _send(self, sent: object) -> None:
        actor, form = await self._by(), CostCenter.parse(sent)
        await books.save_cost_center(actor, self._company_id, form, self.editing)
        self._close()
        await self._done(f"{form.name} saved")


class PurchaseOrderState(CompanyDialog, rx.State):
    """The dialog of one purchase order."""

    FORM: ClassVar = "purchase-order"
    FIELDS: ClassVar = PurchaseOrder
    EVENT: ClassVar = "company.order_failed"

    errors: dict[str, str] = PurchaseOrder.blank()

    @screen_only
    async def begin(self, line_id: str):
        """Open the form on a purchase order; an empty id adds one."""
        line = _find((await self._page()).orders, line_id)
        if line or line_id == "":
            await self._open_on(line)
            typed = (line.amount_typed, line.valid_to_day) if line else ("", "")
            self.values["amount"], self.values["valid_to"] = typed

    async def _send(self, sent: object) -> None:
        actor, form = await self._by(), PurchaseOrder.parse(sent)
        await books.save_purchase_order(actor, self._company_id, form, self.editing)
        self._close()
        await self._done(f"{form.number} saved")


class ExemptionClaimState(CompanyDialog, rx.State):
    """The dialog by which a company claims a tax exemption: its certificate, then what it says."""

    FORM: ClassVar = "exemption-claim"
    FIELDS: ClassVar = ExemptionForm
    EVENT: ClassVar = "company.exemption_failed"

    address: str = ""  # that takes the certificate
    has_file: bool = False
    errors: dict[str, str] = ExemptionForm.blank()

    _document_id: str = ""

    @screen_only
    async def begin(self):
        """Open the form."""
        await self._open_on()
        asked = {"company": self._company_id, "kind": CERTIFICATE}
        self.address = routes.asking(routes.COMPANY_DOCUMENTS, asked)

    @screen_only
    async def sent(self, document_id: str):
        """Take the certificate that has arrived; the service looks whose it is."""
        if self.opened:
            self._document_id, self.has_file = str(document_id), True

    async def _send(self, sent: object) -> None:
        form = ExemptionForm.parse(sent)
        await documents.ask_exemption(await self._by(), self._company_id, form, self._document_id)
        self._close()
        await self._done("Sent. Until it is approved, tax is charged")


class ExemptionDeclineState(CompanyDialog, rx.State):
    """The dialog that declines a tax exemption, or ends one, with a reason."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "exemption-decline"
    FIELDS: ClassVar = ExemptionDecline
    EVENT: ClassVar = "company.exemption_failed"

    ends: bool = False  # it was approved before
    errors: dict[str, str] = ExemptionDecline.blank()

    @screen_only
    async def begin(self, exemption_id: str):
        """Ask for the reason."""
        exemption: Exemption | None = _find((await self._page()).exemptions, exemption_id)
        if exemption:
            await self._open_on(exemption)
            self.ends = exemption.state == APPROVED

    async def _send(self, sent: object) -> None:
        actor, form = await self._by(), ExemptionDecline.parse(sent)
        await documents.decline_exemption(actor, self._company_id, self.editing, form)
        said = "Exemption ended" if self.ends else "Exemption declined"
        self._close()
        await self._done(said)


Act = Callable[[Actor, str, Any], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Press:
    """A press on a line of the screen: what it does, and what is said then.

    One with a title asks before it acts.
    """

    lines: str  # of `CompanyState`
    act: Act
    done: str
    title: str = ""
    text: str = ""
    button: str = ""


def _send_again(by: Actor, company_id: str, member: Member) -> Awaitable[None]:
    form = {"email": member.email, "role": member.role, "sites": member.site_ids}
    return people.invite(by, company_id, CompanyInvite.parse(form))


PRESSES: Mapping[str, Press] = {
    "close_site": Press(
        "sites",
        lambda by, company_id, site: sites.close_site(by, company_id, site.id, closed=True),
        "{name} closed",
        title="Close {name}?",
        text="Nothing is planned there any more. You can open it again.",
        button="Close site",
    ),
    "open_site": Press(
        "sites",
        lambda by, company_id, site: sites.close_site(by, company_id, site.id, closed=False),
        "{name} is open again",
    ),
    "remove": Press(
        "people",
        lambda by, company_id, member: people.remove_member(by, company_id, member.id),
        "{name} removed",
        title="Remove {name}?",
        text="They see nothing of the company any more. Their account stays.",
        button="Remove",
    ),
    "leave": Press(
        "people",
        lambda by, company_id, _member: people.remove_member(by, company_id, by.person_id),
        "You have left the company",
        title="Leave the company?",
        text="You see nothing of it any more. Your account stays.",
        button="Leave",
    ),
    "withdraw": Press(
        "people",
        lambda by, company_id, member: people.withdraw(by, company_id, member.id),
        "Invitation to {name} withdrawn",
        title="Withdraw the invitation to {name}?",
        text="Its link does not work any more.",
        button="Withdraw",
    ),
    "send_again": Press("people", _send_again, "Invitation to {name} is on its way again"),
    "close_center": Press(
        "centers",
        lambda by, company_id, line: books.close_cost_center(by, company_id, line.id, closed=True),
        "{name} closed",
    ),
    "open_center": Press(
        "centers",
        lambda by, company_id, line: books.close_cost_center(by, company_id, line.id, closed=False),
        "{name} is open again",
    ),
    "close_order": Press(
        "orders",
        lambda by, company_id, line: books.close_purchase_order(
            by, company_id, line.id, closed=True
        ),
        "{name} closed",
    ),
    "open_order": Press(
        "orders",
        lambda by, company_id, line: books.close_purchase_order(
            by, company_id, line.id, closed=False
        ),
        "{name} is open again",
    ),
    "approve": Press(
        "exemptions",
        lambda by, company_id, line: documents.approve_exemption(by, company_id, line.id),
        "Exemption approved",
        title="Approve the exemption?",
        text="Certificate {name}: no tax is charged any more, until its last day. Look at the "
        "certificate first.",
        button="Approve",
    ),
}


def _name(line: Any) -> str:
    """Return what a line is called."""
    names = (getattr(line, name, "") for name in ("name", "email", "number", "certificate"))
    return next(filter(None, names), "")


class CompanyPressState(CompanyDialog, rx.State):
    """The presses on lines, and the question before some."""

    FORM: ClassVar = "company-press"
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "company.press_failed"

    title: str = ""
    text: str = ""
    button: str = ""

    _kind: str = ""
    _line: Any = None

    @screen_only
    async def press(self, kind: str, line_id: str):
        """Do what a button of a line says, or ask first."""
        press, page = PRESSES.get(kind) if isinstance(kind, str) else None, await self._page()
        line = _find(getattr(page, press.lines), line_id) if press else None
        if press is None or line is None:
            return
        name = _name(line)
        if press.title:
            await self._open_on(line)
            self._kind, self._line = kind, line
            self.title, self.text = press.title.format(name=name), press.text.format(name=name)
            self.button = press.button
            return
        acting = press.act(await self._by(), page.profile.id, line)
        if problem := await problem_of(acting, self.EVENT):
            (await self.get_state(ToastState))._show(problem, "problem")
            await self._renew()
        else:
            await self._done(press.done.format(name=name))

    async def _send(self, sent: object) -> None:
        press, line = PRESSES[self._kind], self._line
        await press.act(await self._by(), self._company_id, line)
        self._close()
        await self._done(press.done.format(name=_name(line)))
