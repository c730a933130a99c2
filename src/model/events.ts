import { FAULT_MESSAGES, type FaultCode } from './texts/status-messages.ts'
import type { CanonicalJson } from './values/canonical-json.ts'
import { toPlainTimestamp } from './values/timestamps.ts'

/** Kinds that a subscription can name. `AccountsChanged` is ours; the others are the original API's. */
export const SUBSCRIBABLE_EVENTS = ['RawData', 'NormalizedData', 'ReadyToUseData', 'AccountsChanged'] as const
export type SubscribableEvent = (typeof SUBSCRIBABLE_EVENTS)[number]

/** Kinds that come with every subscription, whatever it names. */
export const ALWAYS_DELIVERED_EVENTS = ['Error', 'Suspended', 'Disconnected'] as const
type AlwaysDeliveredEvent = (typeof ALWAYS_DELIVERED_EVENTS)[number]

export type EventKind = SubscribableEvent | AlwaysDeliveredEvent

/** Event names are case-sensitive. */
export function isSubscribableEvent(name: string): name is SubscribableEvent {
  return SUBSCRIBABLE_EVENTS.some((kind) => kind === name)
}

/** Fields of an account under the names of the API; amounts as exact text, overlong texts cut with `…`. */
export type AccountFields = { [field: string]: string | boolean | null }

export const ACCOUNT_CHANGES = ['Created', 'Changed', 'Deleted', 'Restored'] as const

/** One account before and after a publication. */
export interface AccountChange {
  /** The normalized id. */
  AccountId: string
  /** As in the account lists. */
  OrigId: string
  Change: (typeof ACCOUNT_CHANGES)[number]
  /** All fields when it was deleted, those that differ when it changed; null when the account was not there before. */
  Before: AccountFields | null
  /** All fields when it was created or restored, those that differ when it changed; null when the account is gone. */
  After: AccountFields | null
}

/** The changes of one publication, or a part of them: one body holds only so many. */
interface AccountChanges {
  /** In all parts together. */
  changeCount: number
  /** From 1. */
  part: number
  isLastPart: boolean
  changes: readonly AccountChange[]
}

/** What brought an event about: a person (or a program in its name), the schedule, or a hint of the source. `Manual` is the specification's word. */
export const ISSUED_AS = ['Manual', 'Scheduled', 'Webhook'] as const
export type IssuedAs = (typeof ISSUED_AS)[number]

/** What a body says of the connection besides ids. */
interface EventDetails {
  serviceName: string
  categoryName: string
  categoryId: string
  /** Who authorized; empty where the source does not tell. */
  email: string
  /** With `Error`: code and fixed English name of the connection's status, never a source's own words, which could hold secrets. */
  code?: number | string
  message?: string
  /** With `Error`: why, as a code. */
  fault?: FaultCode | null
  /** `Manual` when left out. */
  issuedAs?: IssuedAs
  /** With `AccountsChanged`. */
  accounts?: AccountChanges
}

/** Something that happened to a connection. */
export interface EventFacts {
  /** A UUID. */
  id: string
  kind: EventKind
  companyId: string
  serviceId: string
  /** Id of the connection. */
  sessionId: string
  data: EventDetails
}

/** A body as sent, but for its `Signature`. */
export type EventBody = {
  Class: 'DataConnection'
  MessageType: EventKind
  /** `NormalizedData.6f1e…`: the receiver's key against duplicates. */
  Identifier: string
  Data: { [field: string]: CanonicalJson }
}

/** Largest body that we send, in bytes. */
export const MAX_BODY_BYTES = 20 * 1024
/** Room in it for the changes of accounts. */
export const MAX_CHANGES_BYTES = 16 * 1024

/**
 * The body of one event: `Data` holds the fields of the specification, for `Error` also `Code`, `Message`, `Reason` and `ReasonText`, for `AccountsChanged`
 * also `ChangeCount`, `MailBlock`, `IsLastPart` and `Changes`, for the other kinds nothing more. Throws `RangeError` when that is larger than a body may be.
 */
export function toEventBody(facts: EventFacts, modifiedAt: Date): EventBody {
  const { data } = facts
  const body: EventBody = {
    Class: 'DataConnection',
    MessageType: facts.kind,
    Identifier: `${facts.kind}.${facts.id}`,
    Data: {
      SessionShareId: facts.sessionId,
      CompanyId: facts.companyId,
      // No company carries an id of the caller's, and no user has several applications: docs/decisions/0030-*.md.
      AccountExternalId: null,
      ApplicationId: null,
      ServiceId: facts.serviceId,
      ServiceName: data.serviceName,
      CategoryName: data.categoryName,
      CategoryId: data.categoryId,
      Email: data.email,
      IssuedAs: data.issuedAs ?? 'Manual',
      ModifiedOn: toPlainTimestamp(modifiedAt),
      ...toAddition(facts.kind, data),
    },
  }
  if (Buffer.byteLength(JSON.stringify(body)) > MAX_BODY_BYTES) throw new RangeError(`an event body is larger than ${MAX_BODY_BYTES} bytes`)
  return body
}

/** Id of the message in the headers. Without the dot of `Identifier`: a dot separates the parts of what is signed. */
export function toMessageId(eventId: string): string {
  return `evt_${eventId}`
}

/** What a test event tells of. */
const NO_CHANGES: AccountChanges = { changeCount: 0, part: 1, isLastPart: true, changes: [] }

function toAddition(kind: EventKind, data: EventDetails): { [field: string]: CanonicalJson } {
  if (kind === 'Error') {
    const reason = data.fault ?? null
    return { Code: data.code ?? null, Message: data.message ?? null, Reason: reason, ReasonText: reason && FAULT_MESSAGES[reason] }
  }
  if (kind === 'AccountsChanged') {
    const { changeCount, part, isLastPart, changes } = data.accounts ?? NO_CHANGES
    return { ChangeCount: changeCount, Part: part, IsLastPart: isLastPart, Changes: changes.map((change) => ({ ...change })) }
  }
  return {}
}
