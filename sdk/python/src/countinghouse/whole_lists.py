"""Whole lists, each in one answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypedDict

import httpx

from .calls import Call
from .errors import ApiError, BrokenOffError, media_type
from .lines import Lines, broken_off, parse_json
from .retries import NO_ANSWER

#: Lists that are given whole, by the names of their methods.
WholeList = Literal["list_accounting_accounts", "list_accounting_transactions", "list_banking_accounts", "list_banking_transactions"]

_PATHS: dict[WholeList, str] = {
    "list_accounting_accounts": "accountancy/accounts",
    "list_accounting_transactions": "accountancy/transactions",
    "list_banking_accounts": "banking/accounts",
    "list_banking_transactions": "banking/transactions",
}
_NDJSON = "application/x-ndjson"
#: What to do with a list of which a part was read.
_ADVICE = "What was read is not the whole list: drop it, and read the list again."


class ListQuery(TypedDict, total=False):
    filter_query: str
    as_of: str
    modified_since: str
    include_deleted: bool


def whole_list(name: WholeList, company_id: str, service_id: str, query: ListQuery) -> Call:
    given: dict[str, str | int | bool | None] = {
        "FilterQuery": query.get("filter_query"),
        "asOf": query.get("as_of"),
        "modifiedSince": query.get("modified_since"),
        "includeDeleted": query.get("include_deleted"),
    }
    template = f"/admin/api/v1/normalized-data/{{companyId}}/{_PATHS[name]}/{{serviceId}}"
    path = {"companyId": company_id, "serviceId": service_id}
    return Call("GET", template, path=path, query=given, headers={"Accept": _NDJSON}, streams=True)


class ListReading:
    """A whole list as it comes.

    One that breaks off before its first record is asked for again. Later it is a `BrokenOffError`: the next answer may be
    another publication, of which no part goes with what was read.
    """

    def __init__(self, call: Call, attempts: int) -> None:
        self._call = call
        self._left = attempts
        self._count = 0
        self._expected: str | None = None
        self._lines = Lines()
        #: Told in the last line, after which the connection breaks.
        self._failure: BrokenOffError | None = None

    def call(self) -> Call:
        """The next attempt."""
        return self._call

    def begin(self, response: httpx.Response) -> None:
        if media_type(response) != _NDJSON:
            said = "The list was answered as a page: the deployment, or something before it, does not stream lists."
            raise ApiError(said, response)
        self._lines = Lines()
        self._failure = None
        self._expected = response.headers.get("x-total-count")

    def take(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        for line in map(parse_json, self._lines.take(chunk)):
            # The last line of a list that could not be given whole. No record has this property.
            if "error" in line:
                self._failure = BrokenOffError(f"The list ended with an error: {line['error']['Message']}", line["error"])
                return
            self._count += 1
            yield line

    def end(self) -> None:
        if self._failure:
            raise self._failure
        self._lines.end()
        if self._expected is not None and int(self._expected) != self._count:
            raise BrokenOffError(f"The list ended after {self._count} of {self._expected} records.")

    def goes_on_after(self, error: Exception) -> bool:
        """Whether another attempt helps. Raises what cannot be mended."""
        if not isinstance(error, (BrokenOffError, *NO_ANSWER)):
            raise error
        self._left -= 1
        if self._count == 0 and self._left > 0:
            return True
        broken = self._failure or (error if isinstance(error, BrokenOffError) else broken_off(error))
        raise BrokenOffError(f"{broken} {_ADVICE}", broken.problem) from error
