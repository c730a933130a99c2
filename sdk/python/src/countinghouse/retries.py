"""When a call is repeated. Written once for both clients, as steps that each carries out in its way."""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass
from itertools import count

import httpx

from .calls import Call
from .errors import NoAnswerError, read_retry_after

#: Refusals that pass.
_PASSING = {408, 429, 500, 502, 503, 504}
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_BACK_OFF_SECONDS = 8.0


@dataclass(frozen=True)
class RetrySettings:
    #: Attempts after the first.
    retries: int
    #: A longer `Retry-After` is not waited for: the answer is given as it is.
    longest_wait_seconds: float


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Failure:
    """An attempt that got no answer."""

    request: httpx.Request
    error: httpx.RequestError


class Send:
    """Step: send the call once."""


Steps = Generator[Send | Pause, httpx.Response | Failure | None, httpx.Response]

#: Errors of a request that may have reached the API; others are faults of the caller.
NO_ANSWER = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError, httpx.DecodingError)


def attempt(call: Call, settings: RetrySettings) -> Steps:
    """One call, repeated while that is safe and helps.

    After a refusal of 429 nothing was done, so every call is repeated; after anything else only one that has the same
    effect twice: see `Call.is_repeatable`.
    """
    for attempts in count(1):
        is_last = attempts > settings.retries
        wait = _back_off(attempts)
        answer = yield Send()
        if isinstance(answer, httpx.Response):
            if is_last or not _is_worth_repeating(call, answer):
                return answer
            wait = max(wait, read_retry_after(answer) or 0)
            if wait > settings.longest_wait_seconds:
                return answer
        elif isinstance(answer, Failure) and (is_last or not call.is_repeatable):
            raise NoAnswerError(answer.request, attempts, answer.error) from answer.error
        yield Pause(wait)
    raise AssertionError("unreachable")


def _is_worth_repeating(call: Call, response: httpx.Response) -> bool:
    if response.status_code == 429:
        return True
    # The first attempt with this key is still under way.
    if response.status_code == 409:
        return call.method == "POST" and "retry-after" in response.headers and call.is_repeatable
    return response.status_code in _PASSING and call.is_repeatable


def _back_off(attempts: int) -> float:
    """Half of it by chance, so that clients that failed together do not come again together."""
    most = min(_FIRST_WAIT_SECONDS * 2.0 ** (attempts - 1), _LONGEST_BACK_OFF_SECONDS)
    return most / 2 + random.random() * most / 2
