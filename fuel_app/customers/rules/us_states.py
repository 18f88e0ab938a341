"""The states of the US in a postal address."""

from fuel_app.kit import contact

_STATES = """
    AL Alabama;AK Alaska;AZ Arizona;AR Arkansas;CA California;CO Colorado;CT Connecticut;
    DE Delaware;DC District of Columbia;FL Florida;GA Georgia;HI Hawaii;ID Idaho;IL Illinois;
    IN Indiana;IA Iowa;KS Kansas;KY Kentucky;LA Louisiana;ME Maine;MD Maryland;MA Massachusetts;
    MI Michigan;MN Minnesota;MS Mississippi;MO Missouri;MT Montana;NE Nebraska;NV Nevada;
    NH New Hampshire;NJ New Jersey;NM New Mexico;NY New York;NC North Carolina;ND North Dakota;
    OH Ohio;OK Oklahoma;OR Oregon;PA Pennsylvania;PR Puerto Rico;RI Rhode Island;
    SC South Carolina;SD South Dakota;TN Tennessee;TX Texas;UT Utah;VT Vermont;VA Virginia;
    WA Washington;WV West Virginia;WI Wisconsin;WY Wyoming
"""
CODES = {  # by code and by name, in small letters
    known.casefold(): code
    for code, name in (line.split(maxsplit=1) for line in _STATES.split(";"))
    for known in (code, " ".join(name.split()))
}


def us_state(value: object) -> str:
    """Return the two letters of a state that was typed as code or by name."""
    code = CODES.get(contact.text(value).casefold())
    if code is None:
        raise ValueError("Enter a US state such as FL")
    return code
