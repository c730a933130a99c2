"""What a call may raise."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, TypeGuard

import httpx

from .generated.models import ProblemDetails


class ApiError(Exception):
    """An answer that is not what was asked for: a refusal with its problem details, or something that is not the API."""

    status: int
    #: The body of a refusal (RFC 9457). None when something between here and the API answered.
    problem: ProblemDetails | None
    #: Names the request in the log of the deployment.
    request_id: str | None
    #: When to ask again, where the API says so.
    retry_after_seconds: float | None

    def __init__(self, message: str, response: httpx.Response, problem: ProblemDetails | None = None) -> None:
        super().__init__(message)
        self.status = response.status_code
        self.problem = problem
        self.request_id = problem["requestId"] if problem and "requestId" in problem else response.headers.get("x-request-id")
        self.retry_after_seconds = read_retry_after(response)

    @classmethod
    def of_refusal(cls, response: httpx.Response) -> ApiError:
        problem = _read_problem(response)
        if problem is None:
            said = "The answer is not one of the API; is base_url right?"
        else:
            said = " ".join([problem["Message"], *(f"{error['field']} {error['message']}" for error in problem.get("errors", []))])
        return cls(f"{describe(response.request)} was answered with {response.status_code}: {said}", response, problem)


class NoAnswerError(Exception):
    """No answer came: nobody listens, the connection broke, or the time was up. What was asked for may have been done."""

    #: How often it was tried.
    attempts: int

    def __init__(self, request: httpx.Request, attempts: int, cause: Exception) -> None:
        tries = "once" if attempts == 1 else f"{attempts} times"
        super().__init__(f"{describe(request)} got no answer, tried {tries}: {describe_cause(cause)}")
        self.attempts = attempts


class BrokenOffError(Exception):
    """A stream of lines ended too early: the lines before are whole, more is missing."""

    #: What the API said at the end of the stream, where it could.
    problem: ProblemDetails | None

    def __init__(self, message: str, problem: ProblemDetails | None = None) -> None:
        super().__init__(message)
        self.problem = problem


def describe(request: httpx.Request) -> str:
    return f"{request.method} {request.url.copy_with(query=None)}"


def describe_cause(error: Exception) -> str:
    """httpx leaves the texts of some errors empty."""
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time; timeout_seconds says how long to wait"
    return str(error) or type(error).__name__


def media_type(response: httpx.Response) -> str:
    content_type: str = response.headers.get("content-type", "")
    return content_type.split(";")[0].strip().lower()


def read_retry_after(response: httpx.Response, now: datetime | None = None) -> float | None:
    """Seconds until the time of the header `Retry-After`, which gives seconds or a date."""
    value: str = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    # RFC 9110: dates are in GMT, also where they do not say so.
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - (now or datetime.now(timezone.utc))).total_seconds())


def _read_problem(response: httpx.Response) -> ProblemDetails | None:
    try:
        body: Any = json.loads(response.content)
    except ValueError:
        return None
    return body if _is_problem(body) else None


def _is_problem(body: Any) -> TypeGuard[ProblemDetails]:
    return isinstance(body, dict) and "Message" in body and "status" in body
