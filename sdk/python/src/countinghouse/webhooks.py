"""Verification of events that a deployment sends."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeGuard

from .generated.events import WebhookEvent
from .lines import parse_json


class WebhookError(Exception):
    """Not from the deployment, changed on its way, or sent too long ago. Answer 401 and do nothing."""


class WebhookHeaders(Protocol):
    """Headers of a request: a mapping, or what frameworks give."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_event(
    headers: WebhookHeaders,
    body: str | bytes,
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """The event in a request, once its signature is found to be right.

    `body` is exactly as received; `secrets` the subscription’s, or several while one replaces another. Events may come
    twice: keep each `Identifier`. `tolerance_seconds` is how far the time of sending may be from `now` (a Unix time),
    before or after.
    """
    sent, timestamp, signatures = (_read_header(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not sent or not timestamp or not signatures:
        raise WebhookError("The request is not signed: a webhook header is missing.")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookError("The time of sending is not a number.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise WebhookError("The event was sent too long ago, or the clock of this machine is wrong.")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{sent}.{timestamp}.".encode() + content
    keys = [_read_secret(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    given = [value for word in signatures.split(" ") if (value := _read_signature(word)) is not None]
    is_right = False
    for key in keys:
        expected = hmac.digest(key, signed, "sha256")
        for value in given:
            is_right = hmac.compare_digest(expected, value) or is_right
    if not is_right:
        raise WebhookError("The signature is not right: it is another secret’s, or the body was changed.")
    try:
        event = parse_json(content)
    except ValueError:
        event = None
    if not _is_event(event):
        raise WebhookError("The body is not an event.")
    return event


def _read_header(headers: WebhookHeaders, name: str) -> str:
    return " ".join(value for key, value in headers.items() if key.lower() == name)


def _read_secret(secret: str) -> bytes:
    key = _from_base64(secret.removeprefix("whsec_"))
    if not key:
        raise ValueError("The secret of a subscription begins with whsec_; this is none.")
    return key


def _read_signature(word: str) -> bytes | None:
    version, _, value = word.partition(",")
    return _from_base64(value) if version == "v1" else None


def _from_base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_event(value: Any) -> TypeGuard[WebhookEvent]:
    return isinstance(value, dict) and {"MessageType", "Identifier", "Data"} <= value.keys()
