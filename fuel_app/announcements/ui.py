"""The announcements of the settings: the list, and the dialogs of one."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.announcements.rules import (
    BODY_MAX,
    DRAFT,
    KIND_NAMES,
    PAUSED,
    PLAN_NAMES,
    SCHEDULED,
    SENDING,
    TEXT_MAX,
)
from fuel_app.announcements.state import AnnouncementsState, DraftState, EndState, SendState
from fuel_app.kit.ui.button import busy_button, button
from fuel_app.kit.ui.cards import H2, TEXT, alert, badge, card, progress_bar
from fuel_app.kit.ui.fields import select_field, textarea_field
from fuel_app.kit.ui.forms import field_of, form_dialog, send_button


def announcements() -> rx.Component:
    state = AnnouncementsState
    return rx.fragment(
        rx.el.div(
            rx.el.p(
                "Newsletters and offers go to customers who have switched them on, from 8 AM to "
                "8 PM. Each ends with a link to unsubscribe.",
                class_name=f"max-w-[60ch] {TEXT}",
            ),
            rx.cond(state.lines.length() > 0, _new_button()),
            class_name="flex flex-wrap items-start justify-between gap-3",
        ),
        alert(rx.cond(state.failed, "The announcements cannot be read just now.", "")),
        rx.cond(
            state.loading,
            rx.el.div(class_name="skeleton h-40 rounded-card", aria_hidden=True),
            rx.cond(
                state.lines.length() > 0,
                rx.el.ul(rx.foreach(state.lines, _line), class_name="flex flex-col gap-4"),
                rx.cond(state.failed, rx.fragment(), _none()),
            ),
        ),
        rx.cond(
            state.has_more,
            button("Show older", kind="secondary", on_click=state.more, class_name="self-start"),
        ),
        _draft_dialog(),
        _send_dialog(),
        _end_dialog(),
    )


def _new_button() -> rx.Component:
    return button(
        rx.icon("plus", size=18, aria_hidden=True),
        "New announcement",
        on_click=DraftState.begin(""),
    )


def _none() -> rx.Component:
    return card(rx.el.p("Nothing has been written yet.", class_name=f"mb-4 {TEXT}"), _new_button())


def _line(line: Any) -> rx.Component:
    goes_out = (line.state == SENDING) | (line.state == PAUSED)
    return rx.el.li(
        card(
            rx.el.div(
                rx.el.h3(line.subject, class_name=f"min-w-0 wrap-anywhere {H2}"),
                badge(line.badge, line.color),
                class_name="flex items-start justify-between gap-3",
            ),
            rx.el.p(line.about, class_name="mt-1 text-base text-ink wrap-anywhere"),
            rx.el.p(line.when, class_name=f"mt-1 tabular-nums {TEXT}"),
            rx.cond(
                goes_out,
                rx.el.div(
                    progress_bar(line.done, line.goal, f"{line.subject}: gone out", "gulf"),
                    class_name="mt-3",
                ),
            ),
            rx.el.p(line.counts, class_name="mt-2 text-base text-ink tabular-nums empty:hidden"),
            rx.el.div(
                _actions(line),
                class_name="mt-4 flex flex-wrap gap-2 empty:hidden",
            ),
        ),
        key=line.id,
    )


def _actions(line: Any) -> rx.Component:
    def act(text: str, event: Any, look: Any = "secondary") -> rx.Component:
        return button(
            text, rx.el.span(line.subject, class_name="sr-only"), kind=look, on_click=event
        )

    def step(text: str, kind: str, look: Any = "secondary") -> rx.Component:
        return act(text, AnnouncementsState.step(kind, line.id), look)

    cancel = act("Cancel", EndState.ask(line.id))
    return rx.match(
        line.state,
        (
            DRAFT,
            rx.fragment(
                act("Preview and send", SendState.ask(line.id), "primary"),
                act("Edit", DraftState.begin(line.id)),
                act("Delete", EndState.ask(line.id)),
            ),
        ),
        (SCHEDULED, step("Do not send", "recall")),
        (SENDING, rx.fragment(step("Pause", "pause"), cancel)),
        (PAUSED, rx.fragment(step("Resume", "resume", "primary"), cancel)),
        rx.fragment(),
    )


def _draft_dialog() -> rx.Component:
    state, draft = DraftState, DraftState.draft
    tied, chosen = partial(field_of, state), partial(field_of, state, make=select_field)
    return form_dialog(
        state,
        rx.el.div(
            rx.el.div(
                chosen("Kind", "kind", options=_options(KIND_NAMES), default_value=draft.kind),
                chosen(
                    "Service area",
                    "area_id",
                    options=rx.foreach(
                        state.areas, lambda area: rx.el.option(area["name"], value=area["id"])
                    ),
                    placeholder="All areas",
                    default_value=draft.area_id,
                    optional=True,
                ),
                chosen(
                    "Plan",
                    "plan_id",
                    options=_options(PLAN_NAMES),
                    placeholder="All plans, and none",
                    default_value=draft.plan_id,
                    optional=True,
                ),
                class_name="grid gap-4 sm:grid-cols-3",
            ),
            tied("Subject", "subject", default_value=draft.subject, auto_complete="off"),
            tied(
                "Text",
                "body",
                make=partial(textarea_field, rows=10),
                default_value=draft.body,
                hint=f"An empty line begins a paragraph. Addresses such as https://... become "
                f"links. Up to {BODY_MAX:,} characters.",
            ),
            tied(
                "Text message of an offer",
                "text",
                default_value=draft.text,
                optional=True,
                hint=f"Up to {TEXT_MAX} characters, for those who have agreed to offers by text.",
                auto_complete="off",
            ),
            key=f"{draft.id} {draft.revision}",
            class_name="flex flex-col gap-4",
        ),
        leave="Cancel",
        send="Save draft",
        title=rx.cond(draft.id == "", "New announcement", "Edit announcement"),
        width="sm:max-w-2xl",
    )


def _options(names: Any) -> rx.Component:
    return rx.fragment(*[rx.el.option(name, value=value) for value, name in names.items()])


def _send_dialog() -> rx.Component:
    state = SendState
    return form_dialog(
        state,
        rx.el.p(
            rx.cond(
                state.people != "",
                rx.fragment(
                    rx.el.strong(state.people, class_name="text-ink"),
                    " get it: ",
                    state.channels,
                    ".",
                ),
                "Nobody whom you have chosen has agreed to this.",
            ),
            class_name=f"tabular-nums {TEXT}",
        ),
        _mail(),
        rx.cond(state.sms != "", _text_message()),
        rx.el.div(
            field_of(
                state,
                "Goes out",
                "when",
                type="datetime-local",
                optional=True,
                hint="New York time. Empty: now, or at 8 AM if it is after 8 PM.",
            ),
            class_name="mt-4 sm:max-w-xs",
        ),
        leave="Cancel",
        buttons=rx.fragment(
            busy_button(
                rx.cond(state.tested != "", "Test sent", "Send me a test"),
                busy=state.busy,
                busy_text="Sending...",
                kind="secondary",
                disabled=state.busy | (state.tested != ""),
                on_click=state.send_test,
            ),
            rx.cond(
                state.people != "", send_button(state, f"Send to {state.people}", "Sending...")
            ),
        ),
        title="Preview and send",
        width="sm:max-w-2xl",
    )


def _mail() -> rx.Component:
    state = SendState
    return rx.el.section(
        rx.el.dl(
            rx.el.dt("From", class_name="text-muted"),
            rx.el.dd(state.sender, class_name="min-w-0 wrap-anywhere"),
            rx.el.dt("Subject", class_name="text-muted"),
            rx.el.dd(state.subject, class_name="min-w-0 font-semibold wrap-anywhere"),
            class_name="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-base "
            "text-ink",
        ),
        rx.el.p(state.text, class_name=_SHOWN),
        rx.el.A.create(
            "See it as a mail",
            rx.icon("external-link", size=18, aria_hidden=True),
            href=state.page,
            target="_blank",
            class_name="link mt-1 inline-flex min-h-11 items-center gap-2 text-base",
        ),
        rx.el.p(
            rx.cond(state.tested != "", f"A test is on its way to {state.tested}.", ""),
            role="status",
            class_name="mt-2 text-base text-ink empty:hidden",
        ),
        tab_index=0,  # the arrow keys scroll a long one
        aria_label="Mail",
    )


_SHOWN = (
    "mt-2 whitespace-pre-line rounded-control border border-line bg-sand p-3 text-base text-ink "
    "wrap-anywhere"
)


def _text_message() -> rx.Component:
    return rx.el.section(
        rx.el.h3("Text message", class_name=f"mt-3 {H2}"),
        rx.el.p(SendState.sms, class_name=_SHOWN),
        aria_label="Text message",
    )


def _end_dialog() -> rx.Component:
    state = EndState
    return form_dialog(
        state,
        rx.el.p(
            rx.cond(
                state.is_draft,
                "The draft is gone for good.",
                "Who has it keeps it. Nobody else gets it, and it cannot be sent again.",
            ),
            class_name=TEXT,
        ),
        leave="Keep it",
        buttons=send_button(
            state,
            rx.cond(state.is_draft, "Delete draft", "Cancel the rest"),
            "One moment...",
        ),
        title=rx.cond(state.is_draft, f"Delete '{state.subject}'?", f"Cancel '{state.subject}'?"),
    )
