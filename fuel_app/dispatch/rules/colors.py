"""The colors of trucks: on lines, markers and lists alike."""

# Each has 4.5:1 against white, and none is red or amber.
COLORS = (
    *("#1D4ED8", "#157347", "#7E22CE", "#0369A1", "#86198F", "#4D5B00"),
    *("#334155", "#0F766E", "#5B4636", "#3730A3"),
)


def color_of(place: int) -> str:
    """Return the color of a truck by its place among the day's, counted from 0."""
    return COLORS[place % len(COLORS)]
