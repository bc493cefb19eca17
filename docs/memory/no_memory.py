"""Remembers nothing: what a model can answer from the request alone. It equals --context none."""
from history import serve

serve(lambda sessions, request: [])
