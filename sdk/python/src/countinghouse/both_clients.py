"""What is the same for the synchronous and the asynchronous client."""

from __future__ import annotations

from typing import Any

import httpx

from .calls import Call
from .errors import ApiError, describe, media_type
from .lines import parse_json
from .retries import RetrySettings
from .session import Login, Session


class BothClients:
    """What both clients are made with.

    `base_url` is the address of the deployment, such as `https://data.example.com`; `api_key` the key of a program, made
    on the portal page “API keys”, or `login` the login of a user. `retries` is the number of attempts after the first,
    where a repetition is safe. `timeout_seconds` limits each wait for the server. A `Retry-After` that is longer than
    `longest_wait_seconds` is not waited for: the call fails, and its error says when to come again.
    """

    def __init__(self, base_url: str, api_key: str | None, login: Login | None, retries: int, longest_wait_seconds: float) -> None:
        if api_key is not None and login is not None:
            raise TypeError("Give either api_key or login, not both.")
        self._base_url = _read_base_url(base_url)
        self._api_key = api_key
        self._session = Session(login) if login else None
        self._settings = RetrySettings(retries, longest_wait_seconds)

    def _token_to_begin(self, call: Call) -> str | None:
        return None if call.public else self._api_key

    def _renews(self, call: Call, response: httpx.Response) -> bool:
        return response.status_code == 401 and self._session is not None and not call.public


def read_answer(response: httpx.Response) -> Any:
    """The body of an answer: JSON as values, a file as bytes, nothing as None."""
    if not response.is_success:
        raise ApiError.of_refusal(response)
    if not response.content:
        return None
    kind = media_type(response)
    if kind in ("", "text/html", "text/plain"):
        said = f"{kind or 'something unknown'} instead of JSON; is base_url right?"
        raise ApiError(f"{describe(response.request)} was answered with {said}", response)
    if kind != "application/json":
        return response.content
    try:
        return parse_json(response.content)
    except ValueError as error:
        raise ApiError(f"{describe(response.request)} was answered with broken JSON: {error}", response) from error


def export_file(export_id: str) -> Call:
    path = {"exportId": export_id}
    return Call("GET", "/admin/api/v1/normalized-data/exports/{exportId}/file", path=path, streams=True)


def _read_base_url(text: str) -> str:
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(f"base_url is the address of a deployment, such as https://data.example.com, not {text!r}.")
    return text.rstrip("/")
