"""The preview's account: the sample customer and its changes."""

from dataclasses import asdict

from fuel_app.preview.service.account import Preview
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
