"""The open company on made-up data: `python -m demo`, or `make demo`.

Days are lived through by the services themselves under a clock that is moved, so that the books
agree and nothing waits that the site would send or charge for the past.
"""

VISITOR = "sam.rivera@gulfside.example"  # the customer as whom visitors of the demo sign in
