"""Clients of the API of one deployment, synchronous and asynchronous."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Self

import httpx

from .calls import Call
from .errors import ApiError, NoAnswerError, describe, media_type
from .generated.async_operations import AsyncOperations
from .generated.operations import Operations
from .lines import FileReading, parse_json
from .retries import NO_ANSWER, Failure, Pause, RetrySettings, attempt
from .session import Login, Session


class _Settings:
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


class Countinghouse(_Settings, Operations):
    """The API of one deployment: a method for each operation of its reference. Threads may share it."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        login: Login | None = None,
        retries: int = 4,
        timeout_seconds: float = 30,
        longest_wait_seconds: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(base_url, api_key, login, retries, longest_wait_seconds)
        self._http = httpx.Client(base_url=self._base_url, timeout=timeout_seconds, transport=transport)
        self._renewal = threading.Lock()

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def each_export_record(self, export_id: str) -> Iterator[dict[str, Any]]:
        """Records of a completed export in the format `ndjson`, read as they come.

        A download that breaks off goes on behind the last whole line.
        """
        reading = FileReading()
        while True:
            try:
                with self._open(_export_file(export_id, reading.begin())) as response:
                    reading.check(response)
                    for chunk in response.iter_bytes():
                        yield from reading.take(chunk)
                reading.end()
                return
            except Exception as error:
                if not reading.goes_on_after(error):
                    return

    def _call(self, call: Call) -> Any:
        return read_answer(self._answer(call))

    @contextmanager
    def _open(self, call: Call) -> Iterator[httpx.Response]:
        response = self._answer(call)
        try:
            if not response.is_success:
                raise ApiError.of_refusal(response)
            yield response
        finally:
            response.close()

    def _answer(self, call: Call) -> httpx.Response:
        """A token that has run out is replaced, and the call is sent once more."""
        token = self._token_to_begin(call)
        if self._session and not call.public:
            token = self._session.other_token(None) or self._renew(self._session, None)
        response = self._exchange(call, token)
        if not self._session or not self._renews(call, response):
            return response
        return self._exchange(call, self._renew(self._session, token))

    def _renew(self, session: Session, refused: str | None) -> str:
        """Calls at the same time share one renewal: a refresh token works once."""
        with self._renewal:
            token = session.other_token(refused)
            if token is not None:
                return token
            refresh = session.take_refresh()
            if refresh is not None:
                try:
                    return session.keep(self._call_public(refresh))
                except (ApiError, NoAnswerError):
                    pass
            answer = self._call_public(session.login())
            if answer["twoStepVerify"]:
                code = session.ask_code()
                if not isinstance(code, str):
                    raise TypeError("`code` of a synchronous client gives a text.")
                answer = self._call_public(session.complete(answer["access_token"], code))
            return session.keep(answer)

    def _call_public(self, call: Call) -> Any:
        return read_answer(self._exchange(call, None))

    def _exchange(self, call: Call, token: str | None) -> httpx.Response:
        steps = attempt(call, self._settings)
        answer: httpx.Response | Failure | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                response: httpx.Response = end.value
                return response
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                answer = None
            else:
                answer = self._send(call, call.to_request(self._http, token))

    def _send(self, call: Call, request: httpx.Request) -> httpx.Response | Failure:
        """One attempt. Whole answers are read here, so that one that breaks off counts as none; streams are not."""
        try:
            response = self._http.send(request, stream=True)
            if not call.streams or not response.is_success:
                try:
                    response.read()
                finally:
                    response.close()
            return response
        except NO_ANSWER as error:
            return Failure(request, error)


class AsyncCountinghouse(_Settings, AsyncOperations):
    """The API of one deployment: a coroutine for each operation of its reference, on the event loop of asyncio."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        login: Login | None = None,
        retries: int = 4,
        timeout_seconds: float = 30,
        longest_wait_seconds: float = 60,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(base_url, api_key, login, retries, longest_wait_seconds)
        self._http = httpx.AsyncClient(base_url=self._base_url, timeout=timeout_seconds, transport=transport)
        self._renewal = asyncio.Lock()

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def each_export_record(self, export_id: str) -> AsyncIterator[dict[str, Any]]:
        """Records of a completed export in the format `ndjson`, read as they come.

        A download that breaks off goes on behind the last whole line.
        """
        reading = FileReading()
        while True:
            try:
                async with self._open(_export_file(export_id, reading.begin())) as response:
                    reading.check(response)
                    async for chunk in response.aiter_bytes():
                        for record in reading.take(chunk):
                            yield record
                reading.end()
                return
            except Exception as error:
                if not reading.goes_on_after(error):
                    return

    async def _call(self, call: Call) -> Any:
        return read_answer(await self._answer(call))

    @asynccontextmanager
    async def _open(self, call: Call) -> AsyncIterator[httpx.Response]:
        response = await self._answer(call)
        try:
            if not response.is_success:
                raise ApiError.of_refusal(response)
            yield response
        finally:
            await response.aclose()

    async def _answer(self, call: Call) -> httpx.Response:
        """A token that has run out is replaced, and the call is sent once more."""
        token = self._token_to_begin(call)
        if self._session and not call.public:
            token = self._session.other_token(None) or await self._renew(self._session, None)
        response = await self._exchange(call, token)
        if not self._session or not self._renews(call, response):
            return response
        return await self._exchange(call, await self._renew(self._session, token))

    async def _renew(self, session: Session, refused: str | None) -> str:
        """Calls at the same time share one renewal: a refresh token works once."""
        async with self._renewal:
            token = session.other_token(refused)
            if token is not None:
                return token
            refresh = session.take_refresh()
            if refresh is not None:
                try:
                    return session.keep(await self._call_public(refresh))
                except (ApiError, NoAnswerError):
                    pass
            answer = await self._call_public(session.login())
            if answer["twoStepVerify"]:
                code = session.ask_code()
                digits = code if isinstance(code, str) else await code
                answer = await self._call_public(session.complete(answer["access_token"], digits))
            return session.keep(answer)

    async def _call_public(self, call: Call) -> Any:
        return read_answer(await self._exchange(call, None))

    async def _exchange(self, call: Call, token: str | None) -> httpx.Response:
        steps = attempt(call, self._settings)
        answer: httpx.Response | Failure | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                response: httpx.Response = end.value
                return response
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                answer = None
            else:
                answer = await self._send(call, call.to_request(self._http, token))

    async def _send(self, call: Call, request: httpx.Request) -> httpx.Response | Failure:
        """One attempt. Whole answers are read here, so that one that breaks off counts as none; streams are not."""
        try:
            response = await self._http.send(request, stream=True)
            if not call.streams or not response.is_success:
                try:
                    await response.aread()
                finally:
                    await response.aclose()
            return response
        except NO_ANSWER as error:
            return Failure(request, error)


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


def _export_file(export_id: str, headers: dict[str, str]) -> Call:
    path = {"exportId": export_id}
    return Call("GET", "/admin/api/v1/normalized-data/exports/{exportId}/file", path=path, headers=headers, streams=True)


def _read_base_url(text: str) -> str:
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(f"base_url is the address of a deployment, such as https://data.example.com, not {text!r}.")
    return text.rstrip("/")
