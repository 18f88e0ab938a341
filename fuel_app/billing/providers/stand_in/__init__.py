"""The stand-in for Stripe, inside this process: it answers as Stripe's API does.

The same library talks to it, so its parsing, retries and errors are what runs. What it knows is in
the database and survives a kill; its events come signed, as jobs.
"""
