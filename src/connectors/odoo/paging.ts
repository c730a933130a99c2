import { slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError } from '../contract/contract.ts'
import { answerJson, isJsonObject, objectsInSlices, objectsOf } from '../toolkit/http/answers.ts'

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
export async function nextCursor({ after, repeats }: PageCursor, rows: readonly Row[], pageSize: number): Promise<PageCursor | null> {
  let last = after
  for await (const slice of slicesOf(rows)) for (const { id } of slice) if (typeof id === 'number' && id > last) last = id
  if (rows.length > 0 && last === after) {
    if (repeats >= MAX_REPEATS) throw new SourceError('badData', `Odoo gave the same page ${repeats + 1} times`)
    return { after, repeats: repeats + 1 }
  }
  return rows.length < pageSize ? null : { after: last, repeats: 0 }
}

/** Records of a stored response of either protocol; `badData` when it holds none. */
export function readRows(answers: Answers, name: string): Row[] {
  const answer = answerJson(answers, name)
  return objectsOf(isJsonObject(answer) ? answer.result : answer, noList(name))
}

/** Records of a result, looked at in slices. */
export async function toRows(result: Json, what: string): Promise<Row[]> {
  return await objectsInSlices(result, noList(what))
}

function noList(what: string): string {
  return `Odoo: the ${what} are no list of records`
}
