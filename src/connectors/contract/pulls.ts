import type { Entity } from '../../model/catalogue.ts'
import type { Json } from '../../model/values/json.ts'
import type { Credentials } from './grant.ts'
import type { Kit } from './kit.ts'

export interface Pull {
  name: string
  delivers: readonly Entity[]
  /**
   * Network only: fetches the page at `cursor` (null for the first page of a first run; otherwise the last `resume`).
   */
  fetch(session: Session, cursor: Json | null): Promise<Page>
  /** Pure: stored answers to records. A malformed envelope throws `SourceError('badData')`: it is no empty list. */
  read(answers: Answers): Iterable<SourceItem>
}

export interface Session {
  kit: Kit
  credentials: Credentials
  /** Entity id of the grant. */
  entityId: string
  /** Next uploaded file after `after`, oldest first, for `upload` sources; null at the end. */
  nextFile(after: string | null): Promise<SourceFile | null>
}

export interface Page {
  answers: Answers
  /** Cursor of the next page of this run; null on the last. */
  next: Json | null
  /** On the last page: start cursor of the next run. Absent: the next run starts from the beginning. */
  resume?: Json
  /** Whether the pages of this run list everything (then missing records were deleted) or only changes. */
  listing: 'complete' | 'changes'
}

/** Named responses of the source that make up one page, bytes as received. Stored, sealed, and read again on replay. */
export type Answers = Record<string, Uint8Array>

export type SourceItem =
  | {
      entity: Entity
      origId: string
      /** Validated by the engine against the entity's `wire` schema; an invalid record is quarantined. */
      wire: unknown
      /** Orders versions of a record (ISO instant or zero-padded number): an older one never wins. */
      version?: string
      /**
       * Full numbers of a bank account, also as an IBAN: compared in memory with those of other sources, never stored or
       * logged. Nothing else of an item may contain one. With the number of the branch in front, where the source gives it.
       */
      numbers?: readonly string[]
    }
  | { entity: Entity; origId: string; removed: true }
  /** Item that is not even a record: quarantined with the reason, in plain English without secrets. */
  | { entity: Entity; origId: string | null; unreadable: string }

export interface SourceFile {
  id: string
  name: string
  bytes: Uint8Array
}
