"""The asynchronous client, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self, Unpack

import httpx

from .both_clients import BothClients, export_file, read_answer
from .calls import Call
from .errors import ApiError, NoAnswerError
from .generated.async_operations import AsyncOperations
from .lines import FileReading
from .retries import NO_ANSWER, Failure, Pause, attempt
from .session import Login, Session
from .whole_lists import ListQuery, ListReading, WholeList, whole_list


class AsyncCountinghouse(BothClients, AsyncOperations):
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

    def each_export_record(self, export_id: str) -> AsyncIterator[dict[str, Any]]:
        """Records of a completed export in the format `ndjson`, read as they come.

        A download that breaks off goes on behind the last whole line.
        """
        return self._read(FileReading(export_file(export_id)))

    def each_record(
        self, name: WholeList, company_id: str, service_id: str, **query: Unpack[ListQuery]
    ) -> AsyncIterator[dict[str, Any]]:
        """All records of one list, in one answer that is read as it comes: what was published when it began.

        `name` is that of the method, as in `each_record("list_banking_transactions", company_id, service_id)`. One that
        breaks off raises a `BrokenOffError`, and is to be read again from its start.
        """
        return self._read(ListReading(whole_list(name, company_id, service_id, query), self._settings.retries + 1))

    async def _read(self, reading: FileReading | ListReading) -> AsyncIterator[dict[str, Any]]:
        while True:
            try:
                async with self._open(reading.call()) as response:
                    reading.begin(response)
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
