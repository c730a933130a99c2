"""Verification of events."""

from __future__ import annotations

import base64
import hashlib
import hmac
from email.message import Message
from typing import Any

import pytest

from countinghouse import WebhookError, verify_event

OLD, NEW = b"\x01" * 32, b"\x02" * 32
BODY = '{"Class":"DataConnection","Data":{},"Identifier":"NormalizedData.1","MessageType":"NormalizedData","Signature":"é"}'
AT = 1_795_485_600


def written(secret: bytes) -> str:
    return f"whsec_{base64.b64encode(secret).decode()}"


def sign(body: str, *secrets: bytes, sent: str = "NormalizedData.1", at: int = AT) -> dict[str, str]:
    text = f"{sent}.{at}.{body}".encode()
    signatures = [f"v1,{base64.b64encode(hmac.new(secret, text, hashlib.sha256).digest()).decode()}" for secret in secrets]
    return {"webhook-id": sent, "webhook-timestamp": str(at), "webhook-signature": " ".join(signatures)}


HEADERS = sign(BODY, OLD, NEW)


def test_each_secret_of_a_rotation_verifies_in_any_letter_case() -> None:
    assert verify_event(HEADERS, BODY, written(OLD), now=AT)["MessageType"] == "NormalizedData"
    upper = {name.upper(): value for name, value in HEADERS.items()}
    assert verify_event(upper, BODY.encode(), written(NEW), now=AT)["Identifier"] == "NormalizedData.1"
    only = Message()
    for name, value in sign(BODY, NEW).items():
        only[name] = value
    assert verify_event(only, BODY, [written(OLD), written(NEW)], now=AT)["Data"] == {}
    assert verify_event(HEADERS, BODY, written(OLD), now=AT + 3_000, tolerance_seconds=4_000)


@pytest.mark.parametrize(
    ("secret", "body", "headers", "now", "message"),
    [
        pytest.param(b"\0" * 32, BODY, HEADERS, AT, "not right", id="another secret"),
        pytest.param(OLD, f"{BODY} ", HEADERS, AT, "not right", id="another body"),
        pytest.param(OLD, BODY, {**HEADERS, "webhook-id": "x"}, AT, "not right", id="another id"),
        pytest.param(OLD, BODY, {**HEADERS, "webhook-timestamp": str(AT + 1)}, AT, "not right", id="another time"),
        pytest.param(OLD, BODY, HEADERS, AT + 301, "too long ago", id="an older time"),
        pytest.param(OLD, BODY, HEADERS, AT - 301, "clock", id="a time of the future"),
        pytest.param(OLD, BODY, {**HEADERS, "webhook-timestamp": "now"}, AT, "not a number", id="a time that is none"),
        pytest.param(OLD, BODY, {**HEADERS, "webhook-timestamp": "²"}, AT, "not a number", id="a digit that is none"),
        pytest.param(OLD, BODY, {}, AT, "missing", id="no signature"),
        pytest.param(OLD, BODY, {**HEADERS, "webhook-signature": "v1,§ v2,x v1"}, AT, "not right", id="no base64"),
        *(
            pytest.param(OLD, body, sign(body, OLD), AT, "not an event", id=f"signed, but no event: {body}")
            for body in ("[]", "null", '{"MessageType":', "")
        ),
    ],
)
def test_is_refused(secret: bytes, body: str, headers: Any, now: int, message: str) -> None:
    with pytest.raises(WebhookError, match=message):
        verify_event(headers, body, written(secret), now=now)


@pytest.mark.parametrize("secret", ["whsec_", "", "whsec_§"])
def test_a_secret_that_is_none_is_named(secret: str) -> None:
    with pytest.raises(ValueError, match="begins with whsec_"):
        verify_event(HEADERS, BODY, secret, now=AT)
