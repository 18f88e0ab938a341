"""Schedules that the app registers when it starts."""

import subprocess
import sys

from fuel_app.settings import ROOT


def test_starting_the_app_registers_its_schedules():
    """In a process of its own, since other tests import the modules that register them."""
    told = "import fuel_app.fuel_app, fuel_app.kit.jobs.registry as r; print(*r.SCHEDULES)"
    asked = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True)
    expected = {"leads.purge_deleted", "leads.delete_rejects", "jobs.delete_ended"}
    expected |= {"accounts.delete_sign_ups"}
    assert expected <= set(asked.stdout.split()), asked.stderr
