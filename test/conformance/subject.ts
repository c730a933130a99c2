import type { Grant, HttpRequest, Session, SourceError } from '../../src/connectors/contract/contract.ts'
import type { Entity } from '../../src/model/catalogue.ts'
import type { Json } from '../../src/model/values/json.ts'
import type { RedirectSubject } from './redirect-subject.ts'

/** For `readFaults`: faults at a read that the simulators of nearly all sources support. */
export const COMMON_READ_FAULTS = {
  throttle: 'rateLimited',
  unavailable: 'unavailable',
  html: 'badData',
  truncated: 'badData',
  empty: 'badData',
} as const

/**
 * What the suite needs to know about one source. The promises are in the tests beside it and are the same for all; a
 * subject only states how this source is reached, where its records are in the answers, and which faults its simulator
 * has.
 */
export interface Subject {
  /** Connects an owner at a separate source: its simulator, or a small imitation of it. */
  open(size: Size): Promise<Opened>
  /** Location of records in the source's answers. */
  lists: readonly List[]
  /** Every way in which this source refuses a caller over its rate limit, and the required wait. */
  throttles: readonly (readonly [fault: string, waitMs: number])[]
  /** Fault: the owner or an administrator has revoked the authorization. */
  revoked: string | Inapplicable
  /** Fault: the tier, the scope or the role gives no access to the accounts. */
  forbidden: string | Inapplicable
  /** Fault: a valid cursor has expired. Uses the long list if the small one has one page. */
  expiredCursor: { fault: string; size: Size; pull: string } | Inapplicable
  /** Fault: pages after the first repeat the previous page. */
  repeatedPage: string | Inapplicable
  /** Faults of the simulator at a read of any kind of record. */
  readFaults?: Readonly<Record<string, SourceError['kind']>>
  /** Further faults at a read, whose failures only have to keep the secrets. */
  secretFaults?: readonly string[]
  /** Omitted if the source returns the same bytes for unchanged books. */
  volatile?: Inapplicable
  /** Faults of one answer of a list, after which the run still delivers exactly the records of the books. */
  recovers?: readonly string[]
  /** Faults of a list of several pages that are bad data if they never stop. */
  endless?: readonly string[]
  /**
   * Fault: the first rows of the list have changed their shape. `fits`: whether each of them still matches the
   * connector's schema of the source, in order; `unreadable` rows cannot even be identified.
   */
  drifted?: { fault: string; pull: string; fits: readonly (boolean | 'unreadable')[] }
  /** Authorizes an owner whose login has no books; returns the grants. Omitted if `redirect` describes that owner. */
  withoutBooks?: (() => Promise<readonly Grant[]>) | Inapplicable
  /** Authorization codes and tokens of a source that is connected by a redirect. */
  redirect?: RedirectSubject | Inapplicable
  /** Calls without credentials that only probe the address: any failure is accepted. */
  isProbe?(request: Pick<HttpRequest, 'url'>): boolean
  /** Calls for one record that was listed before: 404 means that it no longer exists. */
  requestsSingleRecord?(request: Pick<HttpRequest, 'url'>): boolean
  /** Whether the source documents 206, for a list that is not complete; nothing is removed then. */
  hasParts?: boolean
  /** Omitted if some account of the small company is inactive. */
  inactive?: Inapplicable
  /**
   * Parts of the credentials that are not secret and may appear in messages: addresses, names of databases and of
   * books.
   */
  publicParts: readonly string[]
}

/** The subject of a source with uploaded files. */
export interface UploadSubject {
  files: readonly Statement[]
}

export interface Statement {
  name: string
  bytes: Uint8Array
  /** Numbers of accounts and transactions in the file. */
  shows: { Accounts: number; Transactions: number }
  /** Makes one transaction unreadable while the file stays valid. */
  corrupt?: readonly [from: string, to: string]
}

/**
 * `small`: dozens of records, transactions included. `long`: a list of accounts with more than one page, if the source
 * has pages.
 */
export type Size = 'small' | 'long'

/** Why a promise does not apply to this source. */
export interface Inapplicable {
  because: string
}

export interface Opened {
  session: Session
  grant: Grant
  /** Arms a fault of the simulator. */
  fault(name: string, times: number): void
  /** Moves the clocks of both sides. */
  moveTime(ms: number): void
  close(): Promise<void>
}

export type Row = { [property: string]: Json }

export interface List {
  pull: string
  entity: Entity
  /** The array itself with the list's rows in an answer; null for another kind of answer. */
  rows(body: Json, request: Pick<HttpRequest, 'url' | 'body'>): Json[] | null
  /**
   * The ids of a row's record: its own, or that of the entry that it is or belongs to. `rows` are all rows of the
   * list.
   */
  names(row: Row, rows: readonly Row[]): string[]
  /** Required properties of a row; if every other property is absent or null, the record is still delivered. */
  required: readonly string[]
  /** Properties that hold enum values, with dots between levels, and the record field that keeps the raw value. */
  words?: Readonly<Record<string, string>>
  /** True for rows that belong to those of another list and are not records: headers of entries, types of accounts. */
  isAuxiliary?: boolean
  /** Whether the row is a heading, whose enum values have no meaning. */
  isHeading?(row: Row): boolean
  /** Whether the row correctly yields no record: a draft, a zero entry. */
  isLeftOut?(row: Row): boolean
}
