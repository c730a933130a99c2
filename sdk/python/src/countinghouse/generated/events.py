# Written by `npm run sdk` from the OpenAPI document.

from __future__ import annotations

from typing import TypeAlias

from . import models

#: What a deployment sends; `MessageType` tells which.
WebhookEvent: TypeAlias = models.RawDataEvent | models.NormalizedDataEvent | models.ReadyToUseDataEvent | models.AccountsChangedEvent | models.TransactionsChangedEvent | models.ErrorEvent | models.SuspendedEvent | models.DisconnectedEvent | models.AuditEntryEvent
