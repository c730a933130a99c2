"""One call of an operation, as the generated methods describe it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx


@dataclass(frozen=True)
class Call:
    method: str
    template: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str | int | bool | None] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: object = None
    # Sent without the key or token of the client.
    public: bool = False
    # The body of an answer is left to be read as it comes.
    streams: bool = False

    def __post_init__(self) -> None:
        # A POST of a caller takes a key; those without a caller (`login`) are not kept.
        if self.method == "POST" and not self.public and self.headers.get("Idempotency-Key") is None:
            object.__setattr__(self, "headers", {**self.headers, "Idempotency-Key": str(uuid.uuid4())})

    @property
    def is_repeatable(self) -> bool:
        """Reads and replacements have the same effect twice; a POST has with its key, by which the API knows it again."""
        if self.method == "POST":
            return self.headers.get("Idempotency-Key") is not None
        return self.method == "GET" or self.headers.get("If-Match") is None

    def to_request(self, client: httpx.Client | httpx.AsyncClient, token: str | None) -> httpx.Request:
        headers = {name: value for name, value in self.headers.items() if value is not None}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        content = None
        if self.body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(self.body, ensure_ascii=False, allow_nan=False).encode()
        path = self.template.format_map({name: _quote_segment(name, value) for name, value in self.path.items()})
        query = {name: value for name, value in self.query.items() if value is not None}
        return client.build_request(self.method, path, params=query, headers=headers, content=content)


def _quote_segment(name: str, value: str) -> str:
    """Empty or made of dots it would name another operation."""
    if value in ("", ".", ".."):
        raise ValueError(f"{name} is an identifier, not {value!r}.")
    return quote(value, safe="")
