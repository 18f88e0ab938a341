"""Every change to the behaviour of Reflex, its socket library and uvicorn: docs/framework.md."""
