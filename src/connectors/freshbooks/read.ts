import type { Json } from '../../model/json.ts'
import { parseInstant } from '../../model/timestamps.ts'
import { answerJson } from '../answers.ts'
import { type Answers, SourceError, type SourceItem } from '../contract.ts'

/** Name of the answer in the one page of a run. */
export const ANSWER = 'accounts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  for (const row of listRows(answerJson(answers, ANSWER))) {
    const origId = property(row, 'uuid')
    if (typeof origId !== 'string' || origId === '') yield { entity: 'Accounts', origId: null, unreadable: 'an account without a uuid' }
    else yield { entity: 'Accounts', origId, wire: row, ...versionOf(row) }
  }
}

/**
 * The rows of the chart. Anything but `{"data":[…]}` throws `badData`, and so does an answer that calls itself one page of several: the route
 * is known to answer everything at once, and half a chart must never pass for all of it.
 */
export function listRows(body: Json): Json[] {
  const rows = property(body, 'data')
  if (!Array.isArray(rows)) throw new SourceError('badData', 'FreshBooks answered without a list of accounts')
  const pages = property(property(body, 'meta'), 'pages') ?? property(body, 'pages')
  if (Number(pages ?? 1) > 1) throw new SourceError('badData', 'FreshBooks answered only one page of the accounts')
  return rows
}

/** The row's last change as UTC, which orders as text. */
function versionOf(row: Json): { version?: string } {
  const updated = property(row, 'updated_at')
  if (typeof updated !== 'string') return {}
  try {
    const instant = parseInstant(updated)
    return instant ? { version: instant.toISOString() } : {}
  } catch (error) {
    if (error instanceof RangeError) return {}
    throw error
  }
}

function property(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined
}
