import type { Grant, HttpRequest, Session, SourceError } from '../../src/connectors/contract/contract.ts'
import type { Entity } from '../../src/model/catalogue.ts'
import type { Json } from '../../src/model/values/json.ts'
import type { RedirectSubject } from './redirect-subject.ts'

/** Of `readFaults`: what the simulators of nearly all sources can do to a read. */
export const COMMON_READ_FAULTS = {
  throttle: 'rateLimited',
  unavailable: 'unavailable',
  html: 'badData',
  truncated: 'badData',
  empty: 'badData',
} as const

/**
 * What the suite has to know about one source. The promises stand in the tests beside it and are the same for all; a subject only tells
 * how this source is reached, where its records lie, and how its simulator is made to fail.
 */
export interface Subject {
  /** Connects an owner at a source of its own: its simulator, or a small imitation of it. */
  open(size: Size): Promise<Opened>
  /** Where records lie in the source's answers. */
  lists: readonly List[]
  /** Every way in which this source itself refuses a caller who asks too often, and how long is to be waited then. */
  throttles: readonly (readonly [fault: string, waitMs: number])[]
  /** Fault: the owner or an administrator has ended the authorization. */
  revoked: string | Inapplicable
  /** Fault: the tier, the scope or the role does not open the accounts. */
  forbidden: string | Inapplicable
  /** Fault: a cursor that was good is no longer taken; of the long list where the small one has one page. */
  expiredCursor: { fault: string; size: Size; pull: string } | Inapplicable
  /** Fault: pages beyond the first give the page before once more. */
  repeatedPage: string | Inapplicable
  /** Faults of the simulator at a read of any kind of record. */
  readFaults?: Readonly<Record<string, SourceError['kind']>>
  /** Further faults of a read, whose failures only have to keep the secrets. */
  secretFaults?: readonly string[]
  /** Left out where the source gives the same bytes for unchanged books. */
  volatile?: Inapplicable
  /** Faults of one answer of a list, after which the run still gives exactly the records of the books. */
  recovers?: readonly string[]
  /** Faults of a list of several pages that are bad data when they never stop. */
  endless?: readonly string[]
  /**
   * Fault: the first rows of the list have changed their shape. `fits`: which of them still fit the connector's schema of the source, in
   * their order; `unreadable` are those that cannot even be identified.
   */
  drifted?: { fault: string; pull: string; fits: readonly (boolean | 'unreadable')[] }
  /** The way of an owner whose login opens no books, up to the grants. */
  withoutBooks: (() => Promise<readonly Grant[]>) | Inapplicable
  /** The authorization code and its tokens, of a source that is connected by a redirect. */
  redirect?: RedirectSubject | Inapplicable
  /** Calls without the credentials that only find out what answers there: any failure of them will do. */
  isProbe?(request: Pick<HttpRequest, 'url'>): boolean
  /** Calls for one record that was listed before: 404 says that it is gone by now. */
  asksForOne?(request: Pick<HttpRequest, 'url'>): boolean
  /** Left out where some account of the small company is inactive. */
  inactive?: Inapplicable
  /** Parts of the credentials that are no secret and may stand in a message: addresses, names of databases and of books. */
  inTheOpen: readonly string[]
}

/** The subject of a source whose files are handed in. */
export interface UploadSubject {
  files: readonly Statement[]
}

export interface Statement {
  name: string
  bytes: Uint8Array
  /** Accounts and movements that the file shows. */
  shows: { Accounts: number; Transactions: number }
  /** Makes one movement unreadable and leaves the file what it is. */
  corrupt?: readonly [from: string, to: string]
}

/** `small`: some dozens of records, transactions too. `long`: a list of accounts of more than one page, where the source has pages. */
export type Size = 'small' | 'long'

/** Why a promise means nothing at this source. */
export interface Inapplicable {
  because: string
}

export interface Opened {
  session: Session
  grant: Grant
  /** Arms a fault of the simulator. */
  fault(name: string, times: number): void
  /** Moves the clock of both sides. */
  moveTime(ms: number): void
  close(): Promise<void>
}

export type Row = { [property: string]: Json }

export interface List {
  pull: string
  entity: Entity
  /** The rows of the list in an answer, the very array; null for an answer of another kind. */
  rows(body: Json, request: Pick<HttpRequest, 'url' | 'body'>): Json[] | null
  /** The ids under which a row comes out: of its record, or of the entry that it is or belongs to. `rows` are all that were shown. */
  names(row: Row, rows: readonly Row[]): string[]
  /** All that a row needs; every other property may be absent or null, and the record is delivered nevertheless. */
  required: readonly string[]
  /** Properties that hold a word, with dots between levels, and the field of the record that keeps it whatever it is. */
  words?: Readonly<Record<string, string>>
  /** These rows explain those of another list and are no records: headers of entries, kinds of accounts. */
  isBeside?: boolean
  /** The row is a heading, whose words mean nothing. */
  isHeading?(row: Row): boolean
  /** The row is no record of the books, and it is right that nothing comes of it: a draft, an entry of zero. */
  isLeftOut?(row: Row): boolean
}
