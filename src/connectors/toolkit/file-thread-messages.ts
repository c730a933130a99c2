import type { LocalizedText } from '../../model/values/text.ts'
import type { Examined } from '../contract/authorization.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'

/** What a thread that reads a file is asked; each is answered once. */
export type ThreadRequest = { ask: 'examine'; bytes: Uint8Array } | { ask: 'read'; answers: Answers } | { ask: 'next' }

export type ThreadReply =
  | { told: 'examined'; examined: Examined }
  | { told: 'items'; items: SourceItem[]; isDone: boolean }
  | { told: 'refused'; text: LocalizedText; field: string | null }
  | { told: 'badData'; message: string }
  | { told: 'failed'; stack: string }
