"""The preview's account: the sample customer and its changes."""

from dataclasses import asdict

import pytest

from fuel_app.customers.rules.profile import Personal
from fuel_app.customers.service import account as customers
from tests.factories import personal_form, vehicle


async def test_everybody_starts_with_the_sample_customer():
    assert (await customers.account()).plan.name == "Family Plan"


async def test_saving_answers_with_the_changed_customer_and_leaves_the_sample_alone():
    sample = await customers.account()
    ada = Personal.parse(personal_form())
    saved = await customers.save_personal(sample, ada)
    assert saved.personal == ada
    assert saved.plan == sample.plan
    assert (await customers.account()).personal == sample.personal


async def test_a_notification_is_toggled_for_one_customer():
    sample = await customers.account()
    changed = await customers.toggle_notification(sample, "push")
    assert changed.notifications.push
    assert asdict(changed) == asdict(sample) | {"notifications": asdict(changed.notifications)}
    assert not (await customers.account()).notifications.push


async def test_a_vehicle_is_registered_under_an_id_of_its_own():
    sample = await customers.account()
    once = await customers.save_vehicle(sample, vehicle())
    twice = await customers.save_vehicle(once, vehicle(id="made up by a stranger"))
    added = twice.vehicles[-2:]
    assert twice.vehicles[:-2] == sample.vehicles
    assert len({each.id for each in twice.vehicles}) == 4
    assert "made up by a stranger" not in {each.id for each in added}


async def test_a_removed_vehicle_can_be_restored():
    sample = await customers.account()
    first = sample.vehicles[0]
    removed = await customers.remove_vehicle(sample, first.id)
    assert removed.vehicles == sample.vehicles[1:]
    assert await customers.restore_vehicle(removed, first, 0) == sample


@pytest.mark.parametrize("typed", ["", "sarah", "JOHNSON", " sárah.J ", "example.com", None])
async def test_the_staff_find_the_sample_customer_by_name_or_email(typed):
    (listed,) = await customers.search(typed)
    assert (listed.name, listed.plan) == ("Sarah Johnson", "Family Plan")
    found = await customers.find(listed.id)
    assert found is not None
    assert found.personal == (await customers.account()).personal


@pytest.mark.parametrize("typed", ["nobody", "%", "johnson sarah"])
async def test_a_search_without_matches_is_empty(typed):
    assert await customers.search(typed) == []


@pytest.mark.parametrize("customer_id", ["", "nonsense", None, 5, ["sample"]])
async def test_an_unknown_customer_is_not_found(customer_id):
    assert await customers.find(customer_id) is None
