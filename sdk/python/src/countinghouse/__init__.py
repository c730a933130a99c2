"""The API of a Countinghouse deployment as methods with types."""

from .async_client import AsyncCountinghouse
from .client import Countinghouse
from .errors import ApiError, BrokenOffError, NoAnswerError
from .generated import models
from .generated.events import WebhookEvent
from .lines import read_lines, read_lines_async
from .pages import PageQuery, each_item, each_item_async, each_page, each_page_async
from .session import Login
from .webhooks import WebhookError, WebhookHeaders, verify_event

__all__ = [
    "ApiError",
    "AsyncCountinghouse",
    "BrokenOffError",
    "Countinghouse",
    "Login",
    "NoAnswerError",
    "PageQuery",
    "WebhookError",
    "WebhookEvent",
    "WebhookHeaders",
    "each_item",
    "each_item_async",
    "each_page",
    "each_page_async",
    "models",
    "read_lines",
    "read_lines_async",
    "verify_event",
]
