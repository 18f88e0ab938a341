"""Neighborhoods for the staff's screens, past the forms."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from sqlalchemy import create_engine, update

from fuel_app.kit.db.tables import metadata
from fuel_app.neighborhoods.queries.neighborhoods import naming
from fuel_app.waitlist.queries import listed
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.factories import row
from tests.site import Site

Store = Callable[..., str]


def store_neighborhood(
    site: Site, name: str, members: int = 0, *, pioneer: tuple[str, str] = ("", ""), **differs: Any
) -> str:
    """A neighborhood with so many members, the pioneer (first and last name) among them; its id."""
    neighborhoods = metadata.tables["neighborhoods"]
    people = metadata.tables["waitlist_submissions"]
    neighborhood = row("neighborhoods", **naming(name), **differs)
    crowd = [
        row(
            "waitlist_submissions",
            neighborhood_id=neighborhood["id"],
            email=f"{uuid4()}@example.org",
        )
        for _ in range(members)
    ]
    if pioneer[0]:
        crowd[0] |= {"first_name": pioneer[0], "last_name": pioneer[1]}
    engine = create_engine(f"sqlite:///{site.database}", connect_args={"timeout": 10})
    with engine.begin() as connection:
        connection.execute(neighborhoods.insert(), [neighborhood])
        if crowd:
            connection.execute(people.insert(), crowd)
        if pioneer[0]:
            led = update(neighborhoods).where(neighborhoods.c.id == neighborhood["id"])
            connection.execute(led.values(pioneer_id=crowd[0]["id"]))
            lead = listed(WaitlistSubmission(**crowd[0]))
            connection.execute(metadata.tables["leads"].insert(), [lead])
    engine.dispose()
    return neighborhood["id"]
