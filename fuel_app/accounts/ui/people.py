"""The people of the staff: the first admin, the table, invitations, dialogs."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app.accounts.rules import STAFF_ROLES
from fuel_app.accounts.rules.staff import ROLE_NAMES, Invitation, StaffMember
from fuel_app.accounts.state.people import (
    DeactivationState,
    FirstAdminState,
    InviteState,
    PeopleState,
    RolesState,
    SignOutState,
)
from fuel_app.accounts.state.session import CookieState
from fuel_app.accounts.ui.sign_in import first_password_field, name_fields, sign_in_error
from fuel_app.kit.ui.button import line_button, submit_button
from fuel_app.kit.ui.cards import alert, badge, email_text, panel
from fuel_app.kit.ui.fields import checkbox_group
from fuel_app.kit.ui.forms import edition_of, field_of, form_dialog, live_form, send_button
from fuel_app.kit.ui.script import alert_in_view
from fuel_app.kit.ui.stacked_table import Column, stacked_table

_ROLES = [(role.value, ROLE_NAMES[role]) for role in STAFF_ROLES]
_BUTTONS = "mt-6 flex flex-wrap justify-end gap-3"
_PAIR = "grid gap-4 sm:grid-cols-2"
Ask = Callable[[Any], Any]


def people(work: rx.Component, on_ask: Ask) -> rx.Component:
    """Return the first admin's form while there is none, else the whole staff.

    Args:
        work: What a member would leave behind, for the questions before they leave the team.
        on_ask: Called with a member's id; returns the event that reads it.
    """
    return rx.fragment(
        alert(rx.cond(PeopleState.failed, "People cannot be read just now.", "")),
        rx.cond(
            PeopleState.loading,
            rx.el.div(
                rx.el.p("Loading people...", role="status", class_name="sr-only"),
                rx.el.div(class_name="skeleton h-60 rounded-card", aria_hidden=True),
            ),
            rx.cond(PeopleState.needs_admin, _first_admin(), _staff(work, on_ask)),
        ),
    )


_NEXT = (
    "You are signed in with your own account at once.",
    "Then you set up a second factor, such as an authenticator app or a passkey: admins need one.",
    "The shared password stops working, and every browser signed in with it is signed out. "
    "You invite the others here.",
)


def _first_admin() -> rx.Component:
    return panel(
        "Create the first admin",
        rx.el.ol(
            *[rx.el.li(step) for step in _NEXT],
            class_name="mb-6 mt-3 list-decimal space-y-1 pl-5 text-base text-ink",
        ),
        live_form(
            rx.el.div(
                rx.el.div(*name_fields(FirstAdminState), class_name=_PAIR),
                field_of(FirstAdminState, "Email", "email", type="email", auto_complete="username"),
                first_password_field(FirstAdminState),
                class_name="flex flex-col gap-4",
            ),
            alert_in_view(sign_in_error(FirstAdminState.error), class_name="mt-4"),
            rx.el.div(
                submit_button(
                    "Create admin",
                    busy=FirstAdminState.busy | CookieState.fetching,
                    busy_text="Creating...",
                ),
                class_name=_BUTTONS,
            ),
            on_edit=FirstAdminState.edit,
            on_submit=FirstAdminState.submit,
        ),
        lead="Everybody uses one shared password so far. With accounts of their own, you see who "
        "did what and can let single people go.",
    )


def _staff(work: rx.Component, on_ask: Ask) -> rx.Component:
    return rx.fragment(
        panel(
            "Team",
            stacked_table(
                PeopleState.members,
                [
                    Column("Name", _name),
                    Column("Roles", lambda line: line.roles),
                    Column("Second factor", lambda line: rx.cond(line.has_factor, "Yes", "No")),
                    Column("Last sign-in", lambda line: line.last_sign_in),
                    Column(
                        "State",
                        lambda line: rx.cond(
                            line.is_active, badge("Active", "green"), badge("Deactivated")
                        ),
                    ),
                    Column("Actions", lambda line: _actions(line, on_ask)),
                ],
                caption="Team",
                loading=PeopleState.loading,
            ),
        ),
        _invite(),
        _open_invitations(),
        _roles_dialog(work),
        _sign_out_dialog(),
        deactivation_dialog(DeactivationState, work),
    )


def _name(line: rx.Var[StaffMember]) -> rx.Component:
    return rx.fragment(
        rx.el.span(
            line.name,
            rx.cond(line.id == PeopleState.you, " (you)", ""),
            class_name="block font-semibold wrap-anywhere",
        ),
        email_text(line.email, "block text-sm text-muted"),
    )


def _actions(line: rx.Var[StaffMember], on_ask: Ask) -> rx.Component:
    return rx.el.span(
        rx.cond(
            line.is_active,
            rx.fragment(
                line_button(
                    "Change roles",
                    line.name,
                    on_click=[on_ask(line.id), RolesState.begin(line.id)],
                ),
                line_button("Sign out everywhere", line.name, on_click=SignOutState.begin(line.id)),
                line_button(
                    "Deactivate",
                    line.name,
                    on_click=[on_ask(line.id), DeactivationState.begin(line.id)],
                ),
            ),
            line_button("Reactivate", line.name, on_click=PeopleState.reactivate(line.id)),
        ),
        class_name="flex flex-wrap gap-1 max-sm:justify-end sm:-ml-3",
    )


def _invite() -> rx.Component:
    return panel(
        "Invite",
        live_form(
            rx.el.div(
                rx.el.div(
                    field_of(InviteState, "Email", "email", type="email", auto_complete="off"),
                    field_of(
                        InviteState,
                        "Roles",
                        "roles",
                        make=checkbox_group,
                        options=_ROLES,
                        ticked=rx.Var.create([]).to(list[str]),
                    ),
                    class_name="flex flex-col gap-4",
                ),
                key=InviteState.edition.to_string(),
                class_name="mt-4",
            ),
            edition_of(InviteState),
            alert_in_view(InviteState.error, class_name="mt-4"),
            rx.el.div(
                submit_button("Send invitation", busy=InviteState.busy, busy_text="Sending..."),
                class_name=_BUTTONS,
            ),
            on_edit=InviteState.edit,
            on_submit=InviteState.submit,
        ),
        lead="The mail's link is good for 7 days. Technicians reach their own screen only, "
        "dispatchers the daily work, admins everything.",
    )


def _open_invitations() -> rx.Component:
    return panel(
        "Open invitations",
        stacked_table(
            PeopleState.invitations,
            [
                Column("Email", lambda line: email_text(line.email)),
                Column("Roles", lambda line: line.roles),
                Column("Invited by", lambda line: line.by),
                Column("Good until", lambda line: line.until),
                Column("Actions", _withdraw),
            ],
            caption="Open invitations",
            loading=PeopleState.loading,
            empty_text=rx.cond(PeopleState.failed, "", "No open invitations"),
        ),
    )


def _withdraw(line: rx.Var[Invitation]) -> rx.Component:
    return line_button(
        "Revoke",
        rx.fragment("the invitation of ", line.email),
        on_click=PeopleState.withdraw(line.id),
        disabled=PeopleState.withdrawing == line.id,
    )


def _roles_dialog(work: rx.Component) -> rx.Component:
    return form_dialog(
        RolesState,
        work,
        checkbox_group("Roles", "roles", _ROLES, form=RolesState.FORM, ticked=RolesState.held),
        leave="Cancel",
        send="Save roles",
        title=rx.el.span("Roles of ", RolesState.name),
        description="They are signed out everywhere and sign in again with the new roles. "
        "Without any role they leave the team.",
    )


def _sign_out_dialog() -> rx.Component:
    return _question(
        SignOutState,
        "Sign out everywhere",
        title=rx.el.span("Sign ", SignOutState.name, " out everywhere?"),
        description="Each of their phones and browsers has to sign in again, a lost one, too. "
        "What a lost phone has not sent is then refused.",
    )


def deactivation_dialog(state: Any, *work: rx.Component) -> rx.Component:
    """Return the question of a `DeactivationDialog`.

    Args:
        work: What they would leave behind.
    """
    return _question(
        state,
        "Deactivate",
        *work,
        title=rx.el.span("Deactivate ", state.name, "?"),
        description="They are signed out everywhere at once and cannot sign in. "
        "You can reactivate them here.",
    )


def _question(state: Any, text: str, *more: rx.Component, **said: Any) -> rx.Component:
    return form_dialog(
        state,
        *more,
        leave="Cancel",
        buttons=send_button(state, text, "Working...", kind="danger"),
        width="sm:max-w-md",
        **said,
    )
