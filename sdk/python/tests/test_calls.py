"""Calls of both clients: what is repeated, how long is waited, what is raised."""

from __future__ import annotations

import asyncio
import re
import time
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import httpx
import pytest

from countinghouse import ApiError, AsyncCountinghouse, Countinghouse, Login, NoAnswerError
from countinghouse.errors import read_retry_after
from server import Scripted, nothing, send, send_json

PROBLEM = {
    "type": "about:blank",
    "title": "Service Unavailable",
    "status": 503,
    "detail": "Later.",
    "Code": 503,
    "Message": "The service cannot answer now.",
    "requestId": "7d1f0c7e-4a7b-4f0e-9d0b-2b8a4f6f3c11",
}
COMPANY = {"id": "c1", "name": "Boulangerie"}
KEY = {"api_key": "chk_test"}


def page(*data: Any) -> dict[str, Any]:
    return {"pageNumber": 1, "pageSize": 2, "count": len(data), "data": list(data)}


def test_waits_as_long_as_retry_after_says(mode: Any, serve: Any) -> None:
    server = serve(send_json(503, PROBLEM, {"Retry-After": "1"}), send_json(200, page(COMPANY)))
    began = time.monotonic()
    (answer,) = mode.run(mode.client(server.url, **KEY), lambda api: api.list_companies(page_size=10, desc=True))
    assert answer["data"] == [COMPANY]
    assert time.monotonic() - began >= 0.99
    assert [request.headers["Authorization"] for request in server.requests] == ["Bearer chk_test"] * 2
    assert server.requests[0].path.endswith("/companies?PageSize=10&Desc=true")


def test_fails_at_once_when_retry_after_is_too_long(mode: Any, serve: Any) -> None:
    server = serve(send_json(429, {**PROBLEM, "status": 429}, {"Retry-After": "900"}))
    (error,) = mode.run(mode.client(server.url, **KEY), lambda api: api.list_companies())
    assert isinstance(error, ApiError)
    assert (error.status, error.retry_after_seconds, error.request_id) == (429, 900, PROBLEM["requestId"])
    assert len(server.requests) == 1


def test_a_creation_is_repeated_with_the_same_key(mode: Any, serve: Any) -> None:
    server = serve(nothing, send_json(500, PROBLEM), send_json(409, PROBLEM, {"Retry-After": "0"}), send_json(201, COMPANY))
    created, again = mode.run(
        mode.client(server.url, **KEY),
        lambda api: api.create_company({"name": "Boulangerie"}),
        lambda api: api.create_company({"name": "Boulangerie"}, idempotency_key="mine"),
    )
    assert (created, again) == (COMPANY, COMPANY)
    first, *others = [request.headers["Idempotency-Key"] for request in server.requests]
    assert re.fullmatch(r"[0-9a-f-]{36}", first)
    assert others == [first, first, first, "mine"]
    assert [request.content for request in server.requests] == [b'{"name": "Boulangerie"}'] * 5


def test_what_is_not_safe_to_repeat_is_sent_once(mode: Any, serve: Any) -> None:
    server = serve(nothing)
    errors = mode.run(
        mode.client(server.url, **KEY),
        lambda api: api.update_company("c1", {"name": "B"}, if_match='"1"'),
        lambda api: api.login({"email": "a@example.com", "password": "p"}),
    )
    assert [type(error) for error in errors] == [NoAnswerError, NoAnswerError]
    assert len(server.requests) == 2
    assert server.requests[1].headers["Authorization"] is None


def test_a_refusal_of_429_is_repeated_always(mode: Any, serve: Any) -> None:
    server = serve(send_json(429, PROBLEM), send_json(200, COMPANY))
    (answer,) = mode.run(mode.client(server.url, **KEY), lambda api: api.update_company("c1", {"name": "B"}, if_match='"1"'))
    assert (answer, len(server.requests)) == (COMPANY, 2)


def test_a_server_that_answers_500_gives_its_message_and_the_next_call_works(mode: Any, serve: Any) -> None:
    server = serve(send_json(500, PROBLEM), send_json(500, PROBLEM), send_json(200, page()))
    error, answer = mode.run(mode.client(server.url, **KEY, retries=1), *[lambda api: api.list_companies()] * 2)
    assert re.fullmatch(r"GET http:.*companies was answered with 500: The service cannot answer now\.", str(error))
    assert answer["data"] == []


def test_nobody_and_silence_are_named(mode: Any, serve: Any) -> None:
    (closed,) = mode.run(mode.client("http://127.0.0.1:1", **KEY, retries=1), lambda api: api.list_companies())
    assert isinstance(closed, NoAnswerError)
    assert re.search(r"got no answer, tried 2 times: .+", str(closed))
    server = serve(lambda handler: handler.rfile.read())
    (silent,) = mode.run(mode.client(server.url, **KEY, retries=0, timeout_seconds=0.05), lambda api: api.list_companies())
    assert "got no answer, tried once: no answer in time" in str(silent)


def test_an_answer_that_breaks_off_is_none(mode: Any, serve: Any) -> None:
    def half(handler: Any) -> None:
        send(200, b'{"data"', {"Content-Type": "application/json", "Content-Length": "100"})(handler)
        handler.close_connection = True

    server = serve(half, send_json(200, page(COMPANY)))
    (answer,) = mode.run(mode.client(server.url, **KEY), lambda api: api.list_companies())
    assert answer["data"] == [COMPANY]


def test_a_refusal_tells_each_field(mode: Any, serve: Any) -> None:
    server = serve(send_json(400, {**PROBLEM, "status": 400, "errors": [{"field": "name", "message": "is missing"}]}))
    (error,) = mode.run(mode.client(server.url, **KEY), lambda api: api.create_company({"name": ""}))
    assert error.problem["errors"][0]["field"] == "name"
    assert "name is missing" in str(error)


def test_something_that_is_not_the_api_fails(mode: Any, serve: Any) -> None:
    kind = {"Content-Type": "application/json"}
    server = serve(send(200, b"<p>", {"Content-Type": "text/html"}), send(200, b"{", kind), send(404, b"<p>", {}))
    html, broken, missing = mode.run(mode.client(server.url, **KEY), *[lambda api: api.list_companies()] * 3)
    assert "text/html instead of JSON; is base_url right?" in str(html)
    assert "broken JSON" in str(broken)
    assert (missing.status, missing.problem) == (404, None)
    for address in ("example.com", "ftp://example.com", ""):
        with pytest.raises(ValueError, match="address of a deployment"):
            mode.client(address)
    with pytest.raises(TypeError, match="not both"):
        mode.client(server.url, api_key="k", login=Login("a@example.com", "p"))


def test_an_identifier_names_no_other_operation(mode: Any, serve: Any) -> None:
    server = serve(send_json(200, COMPANY))
    empty, dots, _ = mode.run(
        mode.client(server.url, **KEY),
        lambda api: api.get_company(""),
        lambda api: api.get_company(".."),
        lambda api: api.get_company("a/b?c"),
    )
    assert isinstance(empty, ValueError) and isinstance(dots, ValueError)
    assert [request.path.rsplit("/", 1)[1] for request in server.requests] == ["a%2Fb%3Fc"]


def test_numbers_keep_every_digit_and_files_every_byte(mode: Any, serve: Any) -> None:
    body = b'{"data":[{"amount":12345678901234567.89},{"amount":3}],"n":0.10}'
    server = serve(send(200, body, {"Content-Type": "application/json"}), send(200, b"a;\xff", {"Content-Type": "text/csv"}), send(204, b"", {}))
    answer, file, none = mode.run(
        mode.client(server.url, **KEY),
        lambda api: api.list_banking_transactions("c", "s"),
        lambda api: api.download_export("e"),
        lambda api: api.delete_company("c"),
    )
    assert [row["amount"] for row in answer["data"]] == [Decimal("12345678901234567.89"), 3]
    assert str(answer["n"]) == "0.10"
    assert (file, none) == (b"a;\xff", None)


def test_retry_after_may_be_a_date() -> None:
    at = lambda value: read_retry_after(httpx.Response(503, headers={"Retry-After": value}), datetime(2026, 11, 24, 2, 0, 0, tzinfo=timezone.utc))  # noqa: E731
    assert at("Tue, 24 Nov 2026 02:00:30 GMT") == 30
    assert at("Tue, 24 Nov 2026 01:00:00 GMT") == 0
    assert (at("soon"), at(""), at("-1")) == (None, None, None)


def test_a_coroutine_is_ended_while_it_waits(serve: Any) -> None:
    server = serve(send_json(503, PROBLEM, {"Retry-After": "50"}))

    async def stop() -> None:
        async with AsyncCountinghouse(server.url, **KEY) as api:
            call = asyncio.create_task(api.list_companies())
            while not server.requests:
                await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

    asyncio.run(stop())


def tokens(name: str, two_step: bool = False) -> Any:
    refresh = "" if two_step else f"r-{name}"
    return send_json(200, {"access_token": name, "refreshToken": refresh, "username": "", "redirect_url": "", "twoStepVerify": two_step})


def test_a_login_is_made_once_and_refreshed_when_its_token_has_run_out(mode: Any, serve: Any) -> None:
    valid = ["one"]

    def answer(handler: Any) -> None:
        if handler.path.endswith("/login"):
            return tokens("one")(handler)
        if handler.path.endswith("/refresh"):
            return tokens("two")(handler)
        is_valid = handler.headers["Authorization"] == f"Bearer {valid[0]}"
        return (send_json(200, page(COMPANY)) if is_valid else send_json(401, {**PROBLEM, "status": 401}))(handler)

    server: Scripted = serve(answer)
    client = mode.client(server.url, login=Login("a@example.com", "p"))
    mode.run_at_once(client, 3, lambda api: api.list_companies())
    valid[0] = "two"
    mode.run_at_once(client, 3, lambda api: api.list_companies())
    assert mode.run(client, lambda api: api.list_companies())[0]["data"] == [COMPANY]
    logins = [request.path for request in server.requests if "/auth/" in request.path]
    assert logins == ["/admin/api/v1/auth/login", "/admin/api/v1/auth/refresh"]


def test_a_refresh_that_is_refused_leads_to_a_new_login(mode: Any, serve: Any) -> None:
    refused = send_json(401, {**PROBLEM, "status": 401})
    server = serve(tokens("one"), refused, refused, tokens("two"), send_json(200, page()))
    (answer,) = mode.run(mode.client(server.url, login=Login("a@example.com", "p")), lambda api: api.list_companies())
    assert answer["data"] == []
    assert server.requests[-1].headers["Authorization"] == "Bearer two"


def test_a_login_that_fails_leaves_nothing_behind(mode: Any, serve: Any) -> None:
    refused = send_json(401, {**PROBLEM, "status": 401})
    server = serve(tokens("one"), refused, refused, refused, tokens("two"), send_json(200, page()))
    error, answer = mode.run(mode.client(server.url, login=Login("a@example.com", "p")), *[lambda api: api.list_companies()] * 2)
    assert (error.status, answer["data"]) == (401, [])
    kinds = [request.path.rpartition("/")[2] for request in server.requests]
    assert kinds == ["login", "companies", "refresh", "login", "login", "companies"]


def test_a_code_is_asked_for_where_the_account_has_two_steps(mode: Any, serve: Any) -> None:
    async def later() -> str:
        return "492039"

    code = later if mode.kind == "async" else lambda: "492039"
    server = serve(tokens("challenge", two_step=True), tokens("whole"), send_json(200, page()))
    mode.run(mode.client(server.url, login=Login("a@example.com", "p", code=code)), lambda api: api.list_companies())
    assert [request.headers["Authorization"] for request in server.requests] == [None, "Bearer challenge", "Bearer whole"]
    assert b"492039" in server.requests[1].content
    without = serve(tokens("challenge", two_step=True))
    (error,) = mode.run(mode.client(without.url, login=Login("a@example.com", "p")), lambda api: api.list_companies())
    assert "two-step" in str(error)
    assert "'p'" not in repr(Login("a@example.com", "p"))


def test_a_client_is_closed_at_the_end_of_its_block(serve: Any) -> None:
    server = serve(send_json(200, page(COMPANY)))
    with Countinghouse(server.url, **KEY) as api:
        assert api.list_companies()["data"][0]["name"] == "Boulangerie"
    with pytest.raises(RuntimeError, match="closed"):
        api.list_companies()
