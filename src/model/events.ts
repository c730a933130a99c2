import { FAULT_MESSAGES, type FaultCode } from './texts/status-messages.ts'
import type { CanonicalJson } from './values/canonical-json.ts'
import { toPlainTimestamp } from './values/timestamps.ts'

/** Entry of the audit: for administrators only, and delivered in order. */
export const AUDIT_EVENT = 'AuditEntry'

/**
 * Events that a subscription can name. `AccountsChanged`, `TransactionsChanged` and `AuditEntry` are ours; the others
 * are the original API's.
 */
export const SUBSCRIBABLE_EVENTS = [
  'RawData',
  'NormalizedData',
  'ReadyToUseData',
  'AccountsChanged',
  'TransactionsChanged',
  AUDIT_EVENT,
] as const
export type SubscribableEvent = (typeof SUBSCRIBABLE_EVENTS)[number]

/** Events that every subscription gets, whatever it names. */
export const ALWAYS_DELIVERED_EVENTS = ['Error', 'Suspended', 'Disconnected'] as const
type AlwaysDeliveredEvent = (typeof ALWAYS_DELIVERED_EVENTS)[number]

export type EventKind = SubscribableEvent | AlwaysDeliveredEvent
/** Events about a connection. */
export type ConnectionEventKind = Exclude<EventKind, typeof AUDIT_EVENT>

/** Event names are case-sensitive. */
export function isSubscribableEvent(name: string): name is SubscribableEvent {
  return SUBSCRIBABLE_EVENTS.some((kind) => kind === name)
}

/** Fields of an account by their API names; amounts as exact text, overlong texts truncated with `…`. */
export type AccountFields = { [field: string]: string | boolean | null }

export const ACCOUNT_CHANGES = ['Created', 'Changed', 'Deleted', 'Restored'] as const

/** One account before and after a publication. */
export interface AccountChange {
  /** Normalized id. */
  AccountId: string
  /** As in the account lists. */
  OrigId: string
  Change: (typeof ACCOUNT_CHANGES)[number]
  /** All fields of a deleted account, only the differing ones of a changed account; null for a new account. */
  Before: AccountFields | null
  /**
   * All fields of a created or restored account, only the differing ones of a changed account; null for a deleted
   * account.
   */
  After: AccountFields | null
}

/** Changes of one publication, or a part of them: the body size is limited. */
interface AccountChanges {
  /** Total over all parts. */
  changeCount: number
  /** Counted from 1. */
  part: number
  isLastPart: boolean
  changes: readonly AccountChange[]
}

/** Number of transactions changed by a publication; the change feed lists them. */
export interface TransactionChanges {
  changeCount: number
  /** Of these, the deleted ones. */
  deletedCount: number
}

/**
 * Cause of an event: a person (or a program on their behalf), the schedule, or a webhook of the source. `Manual` is the
 * specification's word.
 */
export const ISSUED_AS = ['Manual', 'Scheduled', 'Webhook'] as const
export type IssuedAs = (typeof ISSUED_AS)[number]

/** Body fields about the connection, apart from ids. */
interface EventDetails {
  serviceName: string
  categoryName: string
  categoryId: string
  /** The customer's own id of the company. */
  externalId?: string | null
  /** E-mail address of the authorizing person; empty where the source does not report it. */
  email: string
  /** Application of the API key whose link authorized the connection; absent or null: a user’s. */
  applicationId?: string | null
  /**
   * With `Error`: code and fixed English name of the connection's status, never a source's own words, which could
   * contain secrets.
   */
  code?: number | string
  message?: string
  /** With `Error`: fault code. */
  fault?: FaultCode | null
  /** Default `Manual`. */
  issuedAs?: IssuedAs
  /** With `AccountsChanged`. */
  accounts?: AccountChanges
  /** With `TransactionsChanged`. */
  transactions?: TransactionChanges
}

/** Event of a connection. */
export interface EventFacts {
  /** A UUID. */
  id: string
  kind: ConnectionEventKind
  companyId: string
  serviceId: string
  /** Id of the connection. */
  sessionId: string
  data: EventDetails
}

/** Body as sent, except for its `Signature`. */
export type EventBody = {
  Class: 'DataConnection'
  MessageType: ConnectionEventKind
  /** `NormalizedData.6f1e…`: the receiver's deduplication key. */
  Identifier: string
  Data: { [field: string]: CanonicalJson }
}

/** Maximum size of a body, in bytes. */
export const MAX_BODY_BYTES = 20 * 1024
/** Maximum size of the account changes in it, in bytes. */
export const MAX_CHANGES_BYTES = 16 * 1024

/**
 * Body of one event: `Data` has the fields of the specification, for `Error` also `Code`, `Message`, `Reason` and
 * `ReasonText`, for `AccountsChanged` also `ChangeCount`, `Part`, `IsLastPart` and `Changes`, for
 * `TransactionsChanged` also `ChangeCount` and `DeletedCount`, for other kinds
 * nothing more. Throws `RangeError` when the body is too large.
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
      AccountExternalId: data.externalId ?? null,
      ApplicationId: data.applicationId ?? null,
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

/** Message id in the headers. Without the dot of `Identifier`: a dot separates the parts of what is signed. */
export function toMessageId(eventId: string): string {
  return `evt_${eventId}`
}

/** Account changes of a test event. */
const NO_CHANGES: AccountChanges = { changeCount: 0, part: 1, isLastPart: true, changes: [] }

function toAddition(kind: ConnectionEventKind, data: EventDetails): { [field: string]: CanonicalJson } {
  if (kind === 'Error') {
    const reason = data.fault ?? null
    return { Code: data.code ?? null, Message: data.message ?? null, Reason: reason, ReasonText: reason && FAULT_MESSAGES[reason] }
  }
  if (kind === 'AccountsChanged') {
    const { changeCount, part, isLastPart, changes } = data.accounts ?? NO_CHANGES
    return { ChangeCount: changeCount, Part: part, IsLastPart: isLastPart, Changes: changes.map((change) => ({ ...change })) }
  }
  if (kind === 'TransactionsChanged') {
    const { changeCount, deletedCount } = data.transactions ?? { changeCount: 0, deletedCount: 0 }
    return { ChangeCount: changeCount, DeletedCount: deletedCount }
  }
  return {}
}
