"""Streams of JSON lines (NDJSON)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import httpx

from .calls import Call
from .errors import ApiError, BrokenOffError, describe_cause
from .retries import NO_ANSWER


def parse_json(text: str | bytes) -> Any:
    """Numbers keep every digit: a `Decimal` where they have a fraction, else an `int`."""
    return json.loads(text, parse_float=Decimal)


def read_lines(chunks: Iterable[bytes]) -> Iterator[Any]:
    """JSON documents of a stream of lines. Raises a `BrokenOffError` when the stream breaks off or ends within a line."""
    lines = Lines()
    try:
        for chunk in chunks:
            yield from map(parse_json, lines.take(chunk))
    except NO_ANSWER as error:
        raise broken_off(error) from error
    lines.end()


async def read_lines_async(chunks: AsyncIterable[bytes]) -> AsyncIterator[Any]:
    """`read_lines` of an asynchronous stream."""
    lines = Lines()
    try:
        async for chunk in chunks:
            for line in lines.take(chunk):
                yield parse_json(line)
    except NO_ANSWER as error:
        raise broken_off(error) from error
    lines.end()


class FileReading:
    """A file of lines that can be read from any byte.

    Reading goes on behind the last whole line when it breaks off, as long as each attempt brings at least one; never in
    another version of the file.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._start = 0
        self._tag: str | None = None
        self._lines = Lines()

    def call(self) -> Call:
        """The next attempt."""
        self._start += self._lines.done
        self._lines = Lines()
        # Places in a compressed body are not those of the file.
        plain = {"Accept-Encoding": "identity"}
        rest = {"Range": f"bytes={self._start}-", "If-Range": self._tag} if self._start and self._tag else {}
        return replace(self._call, headers={**plain, **rest})

    def begin(self, response: httpx.Response) -> None:
        if self._start > 0 and response.status_code != 206:
            raise ApiError("The file is another one now: begin again.", response)
        self._tag = response.headers.get("etag")

    def take(self, chunk: bytes) -> Iterator[Any]:
        return map(parse_json, self._lines.take(chunk))

    def end(self) -> None:
        self._lines.end()

    def goes_on_after(self, error: Exception) -> bool:
        """Whether another attempt helps. False: the file is at its end. Raises what cannot be mended."""
        # The file ends exactly where the connection broke off.
        if isinstance(error, ApiError) and error.status == 416 and self._start > 0:
            return False
        if not isinstance(error, (BrokenOffError, *NO_ANSWER)):
            raise error
        if self._lines.done == 0:
            raise error if isinstance(error, BrokenOffError) else broken_off(error) from error
        return True


def broken_off(error: Exception) -> BrokenOffError:
    return BrokenOffError(f"The stream broke off: {describe_cause(error)}. The lines before it are whole.")


class Lines:
    """The whole lines of what has come."""

    def __init__(self) -> None:
        self._rest = b""
        #: Bytes up to the end of the last whole line.
        self.done = 0

    def take(self, chunk: bytes) -> Iterator[bytes]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            # Counted when the line is taken: one that its reader never saw is read again.
            self.done += len(line) + 1
            if line:
                yield line

    def end(self) -> None:
        if self._rest:
            raise BrokenOffError("The stream ended within a line: the lines before it are whole, more is missing.")
