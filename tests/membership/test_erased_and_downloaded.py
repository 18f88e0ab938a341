"""Erasure and download against the schema: a value is planted in every column of every table.

A new column or table is found by itself: it is emptied with the account, or named here with the
reason why it stays; and it is in the download, or named here with the reason why it is not. A table
is named whole only where each row of it has the same reason, whatever its columns.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from fnmatch import fnmatch

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.dispatch.service import fill_records as dispatch  # noqa: F401 (registers it)
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.membership import service as membership
from fuel_app.membership.jobs import erase_due
from fuel_app.tables import metadata
from tests.helpers.plan_money import by
from tests.membership.planted import plant, stored

pytestmark = pytest.mark.usefixtures("database")

# Patterns of 'table.column', and of 'table.column.key' in JSON.
NO_CUSTOMERS = {
    "announcements.*": "the company's",
    "area_*": "the company's",
    "areas.*": "the company's",
    "companies.*": "of a company that we serve: its bills and sites are not a person's",
    "company_documents.*": "the same",
    "company_sites.*": "the same",
    "cost_centers.*": "the same",
    "price_rules.*": "the same",
    "purchase_orders.*": "the same",
    "tax_exemptions.*": "the same",
    "counters.*": "the company's",
    "figures.*": "the company's",
    "fuel_prices.*": "the company's",
    "proposal*": "of a company that we serve: what it was offered and has signed",
    "proposed_prices.*": "the company's",
    "schedules.*": "the company's",
    "trucks.*": "the company's",
    "business_quotes.*": "a lead of its own: no account holds it",
    "fleet_quotes.*": "a lead of its own: no account holds it",
    "lead_notes.*": "about a quote: no account holds it",
    "lead_import*": "files of leads as staff sent them: rejected rows go after 30 days",
    "neighborhoods.*": "the neighborhood's, which stays for its members",
    "stand_in_*": "the stand-in for the payment provider: no real one writes there",
    "webhook_events.*": "ids of the payment provider's events",
}
WORDS = {
    "*.actor": "the id of a person: all that is left of them",
    "*.key": "made of ids: it makes a thing happen once",
    "*.kind": "one of our own words",
    "*.bucket": "one of our own words",
    "audit_entries.*_id": "made of ids",
    "audit_entries.noun": "one of our own words",
    "audit_entries.undone_by": "the id of a person",
    "booking_events.state": "one of our own words",
    "company_invitations.invited_by": "the id of a person",
    "company_invitations.role": "one of our own words",
    "company_*.sites.*": "ids of sites",
    "bookings.ended_by": "one of our own words",
    "messages.batch_id": "the id of an announcement",
    "*.slot_id": "area and hour",
    "shifts.timed_by": "one of our own words",
}
KEPT = WORDS | {
    "bookings.place.city": "where fuel was sold: taxes of the place; no street, unit or pin",
    "bookings.place.spot": "the same",
    "bookings.place.state": "the same",
    "bookings.place.zip_code": "the same",
    "fills.free_fill_used": "our own words",
    "bookings.terms_version": "which terms were accepted",
    "fills.ticket.*": "the delivery ticket: the law of weights and measures",
    "fills.ticket_key": "the delivery ticket",
    "fills.vehicle.*": "what was fueled: make, model, year, grade, door; the plate goes",
    "card_setups.accepted_for": "the id of a booking",
    "card_setups.session_id": "an id of the payment provider",
    "correction_requests.answer": "one of our own words",
    "correction_requests.answered_by": "the id of a member of the staff",
    "correction_requests.asked_by": "the id of a member of the staff",
    "correction_requests.way": "one of our own words",
    "fill_questions.answer": "our own words",
    "fill_questions.answered_by": "the id of a member of the staff",
    "fill_questions.ticket.*": "the delivery ticket",
    "fill_questions.ticket_key": "the delivery ticket",
    "fill_questions.why": "our own words",
    "invoice_lines.text": "invoices: kept as tax law asks",
    "invoices.details.plan": "invoices",
    "invoices.details.wording": "the button that was pressed: the proof of the purchase",
    "jobs.error": "what went wrong; a job is deleted some days after it has ended",
    "jobs.payload.*": "ids to work with; the same",
    "journal_entries.text": "the books",
    "notified_arrivals.channel": "one of our own words",
    "payers.provider_id": "an id of the payment provider: refunds and disputes",
    "payments.card_brand": "the books: what an invoice was paid with, as its receipt says",
    "payments.card_id": "an id of the payment provider: refunds and disputes",
    "payments.card_last4": "the books: the same",
    "payments.code": "the provider's code: why a payment failed",
    "payments.dispute": "the provider's state",
    "payments.provider_id": "an id of the payment provider: refunds and disputes",
    "people.*_version": "which texts were accepted",
    "refunds.provider_id": "the books",
    "slot_places.held_for": "a network address: emptied as the slot is booked or held again",
    "subscriptions.pending_plan_id": "one of our own words",
    "subscriptions.wording": "the button that was pressed: the proof of the purchase",
    "technician_actions.refused": "our own words: a phone that asks again gets the same answer",
    "unserved_bookings.reason": "our own words",
}
NOT_DOWNLOADED = WORDS | {
    "addresses.search": "the address as it is searched for, which is in it",
    "bookings.guest_search": "contact, plate and place as they are searched for: all are in it",
    "people.search_name": "the name as it is searched for, which is in it",
    "company_invitations.email": "the account's, which is in it",
    "correction_requests.*": "asked among the staff; what came of it is in it as a credit note",
    "customer_notes.author": "the id of a member of the staff",
    "card_setups.accepted_for": "the id of a booking",
    "card_setups.session_id": "an id of the payment provider",
    "challenges.*": "a code that is being asked for: a secret",
    "fill_questions.answered_by": "the id of a member of the staff",
    "fill_questions.ticket_key": "the ticket, which is in it",
    "fill_questions.why": "our own words to the staff",
    "free_fills.*": "the plate and phone of the booking, which is in it",
    "jobs.error": "what went wrong",
    "jobs.payload.*": "ids to work with",
    "journal_entries.text": "the company's books",
    "leads.*": "the waitlist entry as staff list it, which is in it",
    "messages.error": "what a mail server said",
    "messages.payload.*": "what the text is made of, which is in it",
    "messages.provider_id": "an id at the provider of text messages",
    "notified_arrivals.channel": "one of our own words",
    "push_subscriptions.auth": "a secret",
    "push_subscriptions.endpoint": "a secret: who has it may try to send there",
    "push_subscriptions.p256dh": "a key",
    "passkeys.credential_id": "a key",
    "passkeys.public_key": "a key",
    "payers.card_fingerprint": "an id of the payment provider",
    "payers.card_id": "an id of the payment provider",
    "payers.card_problem": "the provider's code; the payments have it",
    "payers.provider_id": "an id of the payment provider",
    "payments.card_id": "an id of the payment provider",
    "payments.dispute": "the provider's state",
    "payments.provider_id": "an id of the payment provider",
    "people.password_hash": "a secret",
    "people.totp_seed": "a secret",
    "recovery_codes.*": "a secret",
    "refunds.provider_id": "an id of the payment provider",
    "refused_addresses.reason": "what a mail server said",
    "sessions.token_hash": "a secret",
    "sign_ups.*": "a sign-up that was not finished: it goes within days",
    "slot_places.held_for": "a network address, for minutes",
    "unserved_bookings.reason": "our own words, until the next plan",
    "waitlist_submissions.resume_hash": "a secret",
    "fill_photos.file": "the moments are in it; staff send the pictures",
}


def _named(columns: set[str], *lists: Mapping[str, str]) -> set[str]:
    names = [name for each in lists for name in each]
    return {each for each in columns if any(fnmatch(each, name) for name in names)}


async def test_nothing_outlives_an_erased_account_but_what_is_named_and_others_keep_theirs():
    now = clock.now()
    async with transaction() as session:
        ada, grace = await plant(session), await plant(session)
        theirs = update(Person).where(col(Person.id) == ada.person_id)
        await session.execute(theirs.values(deactivated_at=now, delete_at=now))
    before = await stored()
    assert grace.found_in(before) >= grace.values.keys()
    assert await erase_due(now + timedelta(seconds=1)) == 1
    after = await stored()
    left = ada.found_in(after)
    assert left - _named(left, NO_CUSTOMERS, KEPT) == set()
    for table, row in grace.rows.items():
        own = [each for each in before[table] if row.items() <= each.items()]
        assert own
        assert all(each in after[table] for each in own), table


async def test_every_personal_value_is_in_the_download_or_named():
    async with transaction() as session:
        ada, grace = await plant(session), await plant(session)
    text = await membership.download(replace(by(ada.person_id), proved_at=clock.now()))
    missing = {where for where, value in ada.values.items() if value not in text}
    assert missing - _named(missing, NO_CUSTOMERS, NOT_DOWNLOADED) == set()
    foreign = {where for where, value in grace.values.items() if value in text and len(value) > 6}
    assert foreign == set()


def test_each_named_column_exists():
    columns = {f"{table.name}.{each.name}" for table in metadata.sorted_tables for each in table.c}
    for name in (*NO_CUSTOMERS, *KEPT, *NOT_DOWNLOADED):
        short = ".".join(name.split(".")[:2])
        assert any(fnmatch(each, short) for each in columns), name
