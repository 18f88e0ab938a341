"""What the address of one neighborhood's screen asks for."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.neighborhoods.rules.detail import FIRST_PAGE, MemberQuery, NeighborhoodDetail
from fuel_app.neighborhoods.rules.neighborhoods import NeighborhoodSummary


def test_an_empty_address_asks_for_those_who_joined_first():
    assert MemberQuery.parse({}) == FIRST_PAGE == MemberQuery("joined", False, 1)
    assert FIRST_PAGE.parameters() == {}


@given(
    st.dictionaries(
        st.sampled_from(["sort", "page", "lead"]),
        st.none() | st.text() | st.sampled_from(["-name", "email", "joined", "-joined", "2", "-2"]),
    )
)
def test_any_address_is_read_and_said_again_alike(asked):
    query = MemberQuery.parse(asked)
    assert MemberQuery.parse(query.parameters()) == query
    assert query.page >= 1


@pytest.mark.parametrize(("members", "pages"), [(0, 1), (50, 1), (51, 2)])
def test_a_page_has_fifty_members(members, pages):
    neighborhood = NeighborhoodSummary("1", "Palm Court", "34236", members)
    assert (
        NeighborhoodDetail(neighborhood, datetime(2026, 3, 8, tzinfo=UTC), None, (), 1).pages
        == pages
    )
