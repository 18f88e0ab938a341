"""The preview's account: the sample customer and its changes."""

from dataclasses import asdict

import pytest

from fuel_app.customers.preview import Preview
from fuel_app.customers.service import account as customers
from tests.factories import vehicle


async def test_a_change_is_one_customers_own():
    sample = await Preview().read()
    changed = await Preview(sample).toggle_notification("push")
    assert changed.notifications.push
    assert asdict(changed) == asdict(sample) | {"notifications": asdict(changed.notifications)}
    assert (await Preview().read()).notifications == sample.notifications


async def test_a_vehicle_is_registered_under_an_id_of_its_own():
    sample = await Preview().read()
    once = await Preview().save_vehicle(vehicle())
    twice = await Preview(once).save_vehicle(vehicle(id="made up by a stranger"))
    ids = {each.id for each in twice.vehicles}
    assert twice.vehicles[:-2] == sample.vehicles
    assert len(ids) == 4
    assert "made up by a stranger" not in ids


@pytest.mark.parametrize("typed", ["", "sarah", "JOHNSON", " sárah.J ", "example.com", None])
async def test_the_staff_find_the_sample_customer_by_name_or_email(typed):
    (listed,) = await customers.search(typed)
    assert (listed.name, listed.plan) == ("Sarah Johnson", "Family Plan")
    found = await customers.find(listed.id)
    assert found
    assert found.personal == (await customers.account()).personal


@pytest.mark.parametrize("typed", ["nobody", "%", "johnson sarah"])
async def test_a_search_without_matches_is_empty(typed):
    assert await customers.search(typed) == []


@pytest.mark.parametrize("customer_id", ["", "nonsense", None, 5, ["sample"]])
async def test_an_unknown_customer_is_not_found(customer_id):
    assert await customers.find(customer_id) is None
