"""A link that opens driving directions in the maps that people have on their phones.

Google's Maps URLs: https://developers.google.com/maps/documentation/urls/get-started#directions-action
"""

from urllib.parse import urlencode

from fuel_app.dispatch.rules.geography import Point


def directions_link(to: Point, start: Point | None = None) -> str:
    """Drive to a point; without a start the maps begin at wherever they know the visitor to be."""
    question = {"api": "1", "destination": _pair(to), "travelmode": "driving"}
    if start:
        question["origin"] = _pair(start)
    return f"https://www.google.com/maps/dir/?{urlencode(question, safe=',')}"


def _pair(point: Point) -> str:
    return f"{point.lat:.6f},{point.lng:.6f}"
