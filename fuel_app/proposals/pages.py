"""The staff's pages of proposals."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.script import TITLE, way_back
from fuel_app.proposals.state.desk import ProposalsState, ProposalState
from fuel_app.proposals.ui.desk import proposal_shown, proposals_list


def proposals() -> rx.Component:
    return admin_layout(
        rx.el.h1("Proposals", class_name=f"{TITLE} mb-4"),
        proposals_list(),
        address_mirror(ProposalsState),
        current=routes.PROPOSALS,
    )


def proposal() -> rx.Component:
    loading = rx.el.div(class_name="skeleton mt-4 h-96 rounded-card", aria_hidden=True)
    return admin_layout(
        way_back("Back to Proposals", routes.PROPOSALS),
        once_arrived(
            ProposalState,
            rx.cond(
                ProposalState.problem != "",
                rx.el.div(
                    rx.el.h1("Proposal", class_name=TITLE),
                    rx.el.p(ProposalState.problem, role="alert", class_name="mt-2 text-base"),
                ),
                proposal_shown(),
            ),
            until=loading,
        ),
        current=routes.PROPOSALS,
    )
