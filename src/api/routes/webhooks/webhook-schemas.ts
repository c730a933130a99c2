import { Type } from 'typebox'
import { ALWAYS_DELIVERED_EVENTS, SUBSCRIBABLE_EVENTS } from '../../../model/events.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Delivery } from '../../../store/webhooks/delivery-log.ts'
import type { Subscription } from '../../../store/webhooks/subscriptions.ts'
import { MAX_GRACE_HOURS, type SecretState } from '../../../webhooks/secrets.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

export const EventName = Type.String({ title: 'SubscribableEvent', enum: [...SUBSCRIBABLE_EVENTS], description: 'Case-sensitive' })
export const CallbackUrl = Type.String({ minLength: 1, maxLength: 2048, examples: ['https://example.com/events'] })
export const Secret = Type.String({ description: 'Shown this once', examples: ['whsec_…'] })

/** NOTE not empty: a caller who misspells both names, or sends nothing, must not believe that something was changed. */
export const SubscriptionChange = strict(
  { event: Type.Optional(EventName), callbackUrl: Type.Optional(CallbackUrl) },
  { minProperties: 1, description: 'What is left out stays', examples: [{ callbackUrl: 'https://example.com/events' }] },
)

export const NewSubscription = strict(
  { id: Uuid, event: EventName, callbackUrl: Type.String(), secret: Secret },
  { title: 'NewSubscription' },
)

export const SecretShape = strict(
  {
    id: Uuid,
    signs: Type.String({ enum: ['bodyAndHeaders', 'headers'] }),
    signsBodiesFrom: PlainTimestamp,
    endsOn: orNull(PlainTimestamp),
  },
  { title: 'SubscriptionSecret' },
)

export const SubscriptionShape = strict(
  {
    id: Uuid,
    event: EventName,
    callbackUrl: Type.String(),
    status: Type.String({ enum: ['active', 'disabled'] }),
    disabledReason: orNull(Type.String({ enum: ['gone', 'failing'] })),
    disabledOn: orNull(PlainTimestamp),
    failingSince: orNull(PlainTimestamp),
    createdOn: PlainTimestamp,
  },
  { title: 'Subscription' },
)

export const DeliveryShape = strict(
  {
    id: Uuid,
    eventId: Uuid,
    kind: Type.String(),
    subscriptionId: Uuid,
    status: Type.String({ enum: ['pending', 'delivered', 'failed'] }),
    attemptCount: Type.Integer(),
    createdOn: PlainTimestamp,
    deliveredOn: orNull(PlainTimestamp),
    nextAttemptOn: orNull(PlainTimestamp),
    attempts: Type.Array(
      strict({
        number: Type.Integer(),
        startedAt: Type.String(),
        durationMs: Type.Integer(),
        httpStatus: orNull(Type.Integer()),
        error: orNull(Type.String()),
        response: Type.String(),
      }),
    ),
  },
  { title: 'Delivery' },
)

export const EventShape = strict(
  {
    Class: Type.String({ enum: ['DataConnection', 'Audit'] }),
    MessageType: Type.String({ enum: [...SUBSCRIBABLE_EVENTS, ...ALWAYS_DELIVERED_EVENTS] }),
    Identifier: Type.String(),
    Data: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'By kind, as the events of this document have it',
        $comment: 'open: each kind of event has fields of its own',
      },
    ),
  },
  { title: 'Event', description: 'As delivered, without Signature' },
)

export const Replayed = strict({ deliveries: Type.Integer({ description: 'How many deliveries are due now' }) }, { title: 'Replayed' })

export const ReplayCount = strict({ deliveries: Type.Integer({ description: 'How many deliveries a replay would make due' }) })

const replaySelection = {
  eventId: Type.Optional(Uuid),
  from: Type.Optional(Type.String({ maxLength: 40 })),
  to: Type.Optional(Type.String({ maxLength: 40 })),
  undeliveredSince: Type.Optional(Type.String({ maxLength: 40 })),
}

export const ReplayQuery = strict(replaySelection)

export const ReplayBody = strict(replaySelection, {
  description: 'One of: `eventId`; `from` and `to`; `undeliveredSince`',
  examples: [{ undeliveredSince: '2026-11-20T00:00:00' }],
})

export function presentSubscription(subscription: Subscription) {
  const { id, event, callbackUrl, status, disabledReason } = subscription
  return {
    id,
    event,
    callbackUrl,
    status,
    disabledReason,
    disabledOn: orNullOn(subscription.disabledAt),
    failingSince: orNullOn(subscription.failingSince),
    createdOn: toPlainTimestamp(subscription.createdAt),
  }
}

export function presentSecret({ id, signs, activeFrom, expiresAt }: SecretState) {
  return { id, signs, signsBodiesFrom: toPlainTimestamp(activeFrom), endsOn: orNullOn(expiresAt) }
}

export function presentDelivery(delivery: Delivery) {
  const { createdAt, deliveredAt, dueAt, ...rest } = delivery
  return { ...rest, createdOn: toPlainTimestamp(createdAt), deliveredOn: orNullOn(deliveredAt), nextAttemptOn: orNullOn(dueAt) }
}

function orNullOn(at: Date | null): string | null {
  return at === null ? null : toPlainTimestamp(at)
}

export const GracePeriod = strict({
  graceHours: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_GRACE_HOURS, description: 'How long the old secret lives on' })),
})
