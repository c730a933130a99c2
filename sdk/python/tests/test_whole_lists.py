"""Whole lists, each in one answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from countinghouse import ApiError, BrokenOffError
from server import send, send_json
from test_calls import KEY, page

PROBLEM = {"status": 409, "Message": "It was disconnected.", "requestId": "r1"}
ONE = b'{"id":"1","amount":0.10}\n'
FAILED = ONE + json.dumps({"error": PROBLEM}).encode() + b"\n"


def lines(content: bytes, total: int | None = None, cut: bool = False) -> Any:
    """Sends lines; `cut`: as the beginning of a longer answer, then closes."""

    def answer(handler: Any) -> None:
        headers = {"Content-Type": "application/x-ndjson; charset=utf-8"}
        if total is not None:
            headers["X-Total-Count"] = str(total)
        if cut:
            headers["Content-Length"] = str(len(content) + 100)
            handler.close_connection = True
        send(200, content, headers)(handler)

    return answer


def read(mode: Any, url: str, **options: Any) -> Any:
    (records,) = mode.run(
        mode.client(url, **KEY, **options), lambda api: api.each_record("list_banking_accounts", "c1", "s1", filter_query="currency=CAD")
    )
    return records


def test_a_whole_list_is_asked_for_as_lines_and_is_one_answer(mode: Any, serve: Any) -> None:
    server = serve(lines(ONE + b'{"id":"2"}\n', total=2))
    records = read(mode, server.url)
    assert [str(record.get("amount")) for record in records] == ["0.10", "None"]
    (request,) = server.requests
    assert request.path == "/admin/api/v1/normalized-data/c1/banking/accounts/s1?FilterQuery=currency%3DCAD"
    assert request.headers["Accept"] == "application/x-ndjson"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lines(ONE, cut=True), "broke off"),
        (lines(ONE + b'{"id"'), "ended within a line"),
        (lines(ONE, total=2), "ended after 1 of 2 records"),
        (lines(FAILED, cut=True), "It was disconnected"),
    ],
)
def test_a_list_that_is_not_whole_is_an_error_that_says_what_to_do(mode: Any, serve: Any, answer: Any, words: str) -> None:
    server = serve(answer, lines(ONE))
    broken = read(mode, server.url)
    assert isinstance(broken, BrokenOffError)
    assert words in str(broken) and str(broken).endswith("drop it, and read the list again.")
    assert (broken.problem is not None) == (words == "It was disconnected")
    assert len(server.requests) == 1


def test_a_list_that_breaks_off_before_its_first_record_is_asked_for_again(mode: Any, serve: Any) -> None:
    server = serve(lines(b'{"i', cut=True), send_json(503, {"status": 503, "Message": "Later."}), lines(ONE))
    assert [record["id"] for record in read(mode, server.url)] == ["1"]
    never = serve(lines(b'{"i', cut=True))
    assert isinstance(read(mode, never.url, retries=1), BrokenOffError)
    assert len(never.requests) == 2


def test_a_list_of_nothing_is_empty_and_a_refused_one_an_error(mode: Any, serve: Any) -> None:
    assert read(mode, serve(lines(b"", total=0)).url) == []
    refused = read(mode, serve(send_json(409, PROBLEM)).url)
    assert isinstance(refused, ApiError) and refused.status == 409
    paged = read(mode, serve(send_json(200, page(1))).url)
    assert isinstance(paged, ApiError) and "answered as a page" in str(paged)
