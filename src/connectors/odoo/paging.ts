import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'

type Row = { [field: string]: Json }

/** Maximum repetitions of a page that was already read before the run fails. */
const MAX_REPEATS = 3

/** Page cursor: the page begins after this id. Ids only grow, so that a change during pagination skips no record. */
export interface PageCursor {
  after: number
  repeats: number
}

/**
 * Cursor of the page after these rows; null when they were the last. A page with only earlier rows is outdated and is
 * requested again.
 */
export function nextCursor({ after, repeats }: PageCursor, rows: readonly Row[], pageSize: number): PageCursor | null {
  const last = rows.reduce((most, { id }) => (typeof id === 'number' && id > most ? id : most), after)
  if (rows.length > 0 && last === after) {
    if (repeats >= MAX_REPEATS) throw new SourceError('badData', `Odoo gave the same page ${repeats + 1} times`)
    return { after, repeats: repeats + 1 }
  }
  return rows.length < pageSize ? null : { after: last, repeats: 0 }
}

/** Records of a stored response of either protocol; `badData` when it holds none. */
export function readRows(answers: Answers, name: string): Row[] {
  const answer = answerJson(answers, name)
  return toRows(isJsonObject(answer) ? answer.result : answer, name)
}

export function toRows(result: Json | undefined, what: string): Row[] {
  if (!Array.isArray(result) || !result.every(isJsonObject)) throw new SourceError('badData', `Odoo: the ${what} are no list of records`)
  return result
}
