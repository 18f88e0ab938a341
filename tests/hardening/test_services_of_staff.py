"""What staff alone may do, asked of the services by everybody else: their guards are not the only
check."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.kit.db.tables import new_id
from fuel_app.leads.rules import DELETE, LeadQuery
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.rules import MemberQuery, NeighborhoodQuery
from fuel_app.office import service as office
from fuel_app.submissions import service as submissions
from fuel_app.submissions.rules.desk import QuoteNote
from fuel_app.submissions.rules.imports import LeadMapping
from tests.factories import UNKNOWN_ID

pytestmark = pytest.mark.usefixtures("sqlite_database")

NOTE = QuoteNote(what="note", text="Call in May")
LEADS, PLACES = LeadQuery(), NeighborhoodQuery()
CALLS: dict[str, Callable[[Actor], Any]] = {
    "list_page": lambda by: submissions.list_page(LEADS, actor=by),
    "find_details": lambda by: submissions.find_details(UNKNOWN_ID, actor=by),
    "customers_among": lambda by: submissions.customers_among(None, actor=by),
    "export_leads": lambda by: submissions.export_leads(LEADS, actor=by),
    "export_chosen": lambda by: submissions.export_chosen([UNKNOWN_ID], actor=by),
    "export_rejected": lambda by: submissions.export_rejected(UNKNOWN_ID, actor=by),
    "change_lead": lambda by: submissions.change_lead(UNKNOWN_ID, 0, DELETE, actor=by),
    "change_selected": lambda by: submissions.change_selected({}, DELETE, actor=by),
    "change_all": lambda by: submissions.change_all(LEADS, DELETE, actor=by),
    "office": lambda by: submissions.office(actor=by),
    "add_note": lambda by: submissions.add_note(UNKNOWN_ID, NOTE, actor=by),
    "start_import": lambda by: submissions.start_import(UNKNOWN_ID, LeadMapping({}), actor=by),
    "keep_file": lambda by: submissions.keep_file("a.csv", b"", actor=by),
    "read_file": lambda by: submissions.read_file(UNKNOWN_ID, actor=by),
    "preview_file": lambda by: submissions.preview_file(UNKNOWN_ID, LeadMapping({}), actor=by),
    "drop_file": lambda by: submissions.drop_file(UNKNOWN_ID, actor=by),
    "reasons_of_rejects": lambda by: submissions.reasons_of_rejects(UNKNOWN_ID, actor=by),
    "cancel_import": lambda by: submissions.cancel_import(UNKNOWN_ID, actor=by),
    "undo_import": lambda by: submissions.undo_import(UNKNOWN_ID, actor=by),
    "list_imports": lambda by: submissions.list_imports(actor=by),
    "first_rejects": lambda by: submissions.first_rejects(UNKNOWN_ID, actor=by),
    "page": lambda by: neighborhoods.page(PLACES, actor=by),
    "matching": lambda by: neighborhoods.matching(PLACES, actor=by),
    "areas": lambda by: neighborhoods.areas(PLACES, actor=by),
    "others_in_zip": lambda by: neighborhoods.others_in_zip("34236", UNKNOWN_ID, actor=by),
    "history": lambda by: neighborhoods.history(UNKNOWN_ID, actor=by),
    "rename": lambda by: neighborhoods.rename(UNKNOWN_ID, "Palm", actor=by),
    "hand_over": lambda by: neighborhoods.hand_over(UNKNOWN_ID, "a@example.com", actor=by),
    "merge": lambda by: neighborhoods.merge(UNKNOWN_ID, UNKNOWN_ID, actor=by),
    "neighborhood_detail": lambda by: office.neighborhood_detail(
        UNKNOWN_ID, MemberQuery(), actor=by
    ),
}


async def is_refused(call: Callable[[Actor], Any], by: Actor) -> bool:
    try:
        answer = call(by)
        if inspect.isasyncgen(answer):
            await anext(answer)
        else:
            await answer
    except NotAllowed:
        return True
    except Exception:  # of what is not there: allowed
        return False
    return False


@pytest.mark.parametrize("name", CALLS)
async def test_staff_alone_are_answered(name):
    people = {role: Actor(frozenset({role}), person_id=new_id()) for role in Role}
    asking = people | {"visitor": Actor(), "sign-up": Actor(sign_up_id=new_id())}
    allowed = {who for who, by in asking.items() if not await is_refused(CALLS[name], by)}
    assert allowed == {Role.DISPATCHER, Role.ADMIN}


def test_every_service_that_takes_an_actor_is_asked():
    found = {
        name
        for module in (submissions, neighborhoods)
        for name, act in inspect.getmembers(module, inspect.isfunction)
        if act.__module__ == module.__name__
        and not name.startswith("_")
        and "actor" in inspect.signature(act).parameters
    }
    assert found | {"neighborhood_detail"} == set(CALLS)
