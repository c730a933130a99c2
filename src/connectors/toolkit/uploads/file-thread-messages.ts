import type { LocalizedText } from '../../../model/values/text.ts'
import type { Examined } from '../../contract/authorization.ts'
import type { Answers, SourceItem } from '../../contract/contract.ts'

/** Data with which a file reader thread starts. */
export interface ThreadData {
  /** Address of the reader's module. */
  reader: string
  /** What that module takes from here besides. */
  input: unknown
}

/** Requests to a file reader thread; each gets one response. */
export type ThreadRequest = { ask: 'examine'; bytes: Uint8Array } | { ask: 'read'; answers: Answers } | { ask: 'next' }

export type ThreadReply =
  | { told: 'examined'; examined: Examined }
  | { told: 'items'; items: SourceItem[]; isDone: boolean }
  | { told: 'refused'; text: LocalizedText; field: string | null }
  | { told: 'badData'; message: string }
  | { told: 'failed'; stack: string }
