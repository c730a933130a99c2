"""Iterators over lists and feeds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Generic, TypedDict, TypeVar, cast

T = TypeVar("T")
P = TypeVar("P", bound=Mapping[str, object])

_MOST_ITEMS = 500


class PageQuery(TypedDict):
    page_number: int
    page_size: int


class Page(TypedDict, Generic[T]):
    data: list[T]


def each_item(read: Callable[[PageQuery], Page[T]], *, page_size: int = _MOST_ITEMS) -> Iterator[T]:
    """Items of a list, page after page: `each_item(lambda page: api.list_companies(**page))`.

    Pages are counted from the start of the list: where items go while it is read, later ones move up, and some are left
    out. Collect the items before you delete any.
    """
    number = 1
    while True:
        data = read({"page_number": number, "page_size": page_size})["data"]
        yield from data
        if len(data) < page_size:
            return
        number += 1


async def each_item_async(read: Callable[[PageQuery], Awaitable[Page[T]]], *, page_size: int = _MOST_ITEMS) -> AsyncIterator[T]:
    """`each_item` of an asynchronous client, for `async for`."""
    number = 1
    while True:
        data = (await read({"page_number": number, "page_size": page_size}))["data"]
        for item in data:
            yield item
        if len(data) < page_size:
            return
        number += 1


def each_page(read: Callable[[str | None], P], cursor: str | None = None) -> Iterator[P]:
    """Pages of a feed, from a cursor to its present end: `each_page(lambda cursor: api.list_events(cursor=cursor), kept)`.

    Keep the `cursor` of a page once you are done with its items, and begin with it the next time.
    """
    while True:
        page = read(cursor)
        yield page
        cursor = _next_cursor(page)
        if cursor is None:
            return


async def each_page_async(read: Callable[[str | None], Awaitable[P]], cursor: str | None = None) -> AsyncIterator[P]:
    """`each_page` of an asynchronous client, for `async for`."""
    while True:
        page = await read(cursor)
        yield page
        cursor = _next_cursor(page)
        if cursor is None:
            return


def _next_cursor(page: Mapping[str, object]) -> str | None:
    return cast("str | None", page["cursor"]) if page["hasMore"] else None
