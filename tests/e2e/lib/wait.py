"""Waiting for a condition, never for a time."""

import time


class TimedOut(AssertionError):
    """A condition did not come true; its text says which one and what was seen last."""


def until(condition, what, seconds=60, every=0.05, describe=None):
    """Asks `condition` until it returns something true, and returns that. Raises TimedOut with `what` otherwise."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() >= deadline:
            seen = f"; last seen: {describe()}" if describe else ""
            raise TimedOut(f"after {seconds} s still not: {what}{seen}")
        time.sleep(every)


def stays_true(condition, seconds, every=0.05):
    """True when `condition` held at every look for so long: the only way to test that something does not happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not condition():
            return False
        time.sleep(every)
    return True
