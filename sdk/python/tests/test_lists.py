"""Iterators over lists, feeds and files."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from countinghouse import ApiError, BrokenOffError, each_item, each_item_async, each_page, each_page_async, read_lines, read_lines_async
from server import send, send_json
from test_calls import KEY, page

FILE = '{"n":"é1"}\n{"n":"é2"}\n{"n":"é3"}\n'.encode()
RECORDS = [{"n": "é1"}, {"n": "é2"}, {"n": "é3"}]
HEAD = {"Content-Type": "application/x-ndjson", "ETag": '"v"'}


def cut(content: bytes) -> Any:
    """Sends the head of a longer answer, then closes."""

    def answer(handler: Any) -> None:
        send(200, content, {**HEAD, "Content-Length": str(len(FILE))})(handler)
        handler.close_connection = True

    return answer


def rest(handler: Any) -> None:
    start = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    send(206, FILE[start:], HEAD)(handler)


def test_lists_are_read_page_by_page_and_feeds_by_their_cursor(mode: Any, serve: Any) -> None:
    server = serve(
        send_json(200, page(1, 2)),
        send_json(200, page(3)),
        send_json(200, {"data": [4], "cursor": "x", "hasMore": True}),
        send_json(200, {"data": [5], "cursor": "y", "hasMore": False}),
    )
    item, feed = (each_item, each_page) if mode.kind == "sync" else (each_item_async, each_page_async)
    items, pages = mode.run(
        mode.client(server.url, **KEY),
        lambda api: item(lambda page: api.list_companies(**page), page_size=2),
        lambda api: feed(lambda cursor: api.list_events(cursor=cursor)),
    )
    assert items == [1, 2, 3]
    assert [page["cursor"] for page in pages] == ["x", "y"]
    queries = [request.path.partition("?")[2] for request in server.requests]
    assert queries == ["PageNumber=1&PageSize=2", "PageNumber=2&PageSize=2", "", "Cursor=x"]


def test_lines_tell_when_they_are_cut() -> None:
    assert list(read_lines([b'{"a":"\xc3', b'\xa9"}\n{"a"', b":2}\n"])) == [{"a": "é"}, {"a": 2}]
    lines = read_lines([b'{"a":1}\n{"a"'])
    assert next(lines) == {"a": 1}
    with pytest.raises(BrokenOffError, match="within a line"):
        next(lines)


def test_lines_of_a_connection_that_breaks_off_are_whole() -> None:
    def chunks() -> Any:
        yield b'{"a":1}\n{"a"'
        raise httpx.ReadError("reset by peer")

    lines = read_lines(chunks())
    assert next(lines) == {"a": 1}
    with pytest.raises(BrokenOffError, match="reset by peer"):
        next(lines)


def test_asynchronous_lines_of_a_connection_that_breaks_off_are_whole() -> None:
    async def chunks() -> Any:
        yield b'{"a":1}\n{"a"'
        raise httpx.ReadError("reset by peer")

    async def read() -> None:
        lines = read_lines_async(chunks())
        assert await anext(lines) == {"a": 1}
        with pytest.raises(BrokenOffError, match="reset by peer"):
            await anext(lines)

    asyncio.run(read())


def test_an_export_goes_on_where_the_download_broke_off(mode: Any, serve: Any) -> None:
    server = serve(cut(FILE[:15]), rest)
    (records,) = mode.run(mode.client(server.url, **KEY), lambda api: api.each_export_record("e1"))
    assert records == RECORDS
    assert (server.requests[1].headers["Range"], server.requests[1].headers["If-Range"]) == ("bytes=12-", '"v"')


def test_an_export_that_broke_off_twice_goes_on_behind_both(mode: Any, serve: Any) -> None:
    def second(handler: Any) -> None:
        send(206, FILE[12:30], {**HEAD, "Content-Length": str(len(FILE) - 12)})(handler)
        handler.close_connection = True

    server = serve(cut(FILE[:15]), second, rest)
    (records,) = mode.run(mode.client(server.url, **KEY), lambda api: api.each_export_record("e1"))
    assert records == RECORDS
    assert server.requests[2].headers["Range"] == "bytes=24-"


def test_an_export_is_whole_when_nothing_follows_the_break(mode: Any, serve: Any) -> None:
    def whole_but_longer(handler: Any) -> None:
        send(200, FILE, {**HEAD, "Content-Length": "1000"})(handler)
        handler.close_connection = True

    end = send_json(416, {"status": 416, "Message": "behind the end"})
    (records,) = mode.run(mode.client(serve(whole_but_longer, end).url, **KEY), lambda api: api.each_export_record("e1"))
    assert records == RECORDS


def test_an_export_ends_with_an_error_when_it_cannot_go_on(mode: Any, serve: Any) -> None:
    call = lambda api: api.each_export_record("e1")  # noqa: E731
    (stuck,) = mode.run(mode.client(serve(cut(FILE[:5])).url, **KEY), call)
    assert isinstance(stuck, BrokenOffError)
    (other,) = mode.run(mode.client(serve(cut(FILE[:15]), send(200, FILE, HEAD)).url, **KEY), call)
    assert isinstance(other, ApiError) and "begin again" in str(other)
    (refused,) = mode.run(mode.client(serve(send_json(404, {"status": 404, "Message": "There is none."})).url, **KEY), call)
    assert isinstance(refused, ApiError) and refused.status == 404
