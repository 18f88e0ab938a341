"""The pages of companies: the staff's list, and one company."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout, undo_bar
from fuel_app.companies.state.company import CompaniesState, CompanyState
from fuel_app.companies.ui.company import companies_list, company_shown
from fuel_app.companies.ui.dialogs import company_dialogs
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.script import TITLE, way_back


def companies() -> rx.Component:
    return admin_layout(
        rx.el.h1("Companies", class_name=f"mb-4 {TITLE}"),
        companies_list(),
        address_mirror(CompaniesState),
        current=routes.COMPANIES,
    )


def company() -> rx.Component:
    return admin_layout(
        way_back("Back to Companies", routes.COMPANIES),
        once_arrived(CompanyState, company_shown(), until=_loading()),
        company_dialogs(),
        undo_bar(),
        address_mirror(CompanyState),
        current=routes.COMPANIES,
    )


def _loading() -> rx.Component:
    return rx.fragment(
        rx.el.h1("Loading company...", class_name=TITLE),
        rx.el.div(class_name="skeleton mt-4 h-64 rounded-card", aria_hidden=True),
    )
