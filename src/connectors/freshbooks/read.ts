import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject, property } from '../toolkit/http/answers.ts'
import { versionAt } from '../toolkit/values/raw-values.ts'
import { currencyReader } from './currencies.ts'

/** Name of the response in the one page of a run. */
export const ANSWER = 'accounts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const currencyOf = currencyReader(answers)
  for (const row of listRows(answerJson(answers, ANSWER))) {
    const origId = property(row, 'uuid')
    if (typeof origId !== 'string' || origId === '') yield { entity: 'Accounts', origId: null, unreadable: 'an account without a uuid' }
    else yield { entity: 'Accounts', origId, wire: withCurrency(row, currencyOf(origId)), ...versionAt(property(row, 'updated_at')) }
  }
}

/** Row with the currency of the report. */
function withCurrency(row: Json, currencyCode: string | null): Json {
  return isJsonObject(row) ? { ...row, currencyCode } : row
}

/**
 * Rows of the chart. Any response other than `{"data":[…]}` throws `badData`, and so does one that describes itself as
 * one page of several: the route is known to return everything at once, and a partial chart must never be taken for all
 * of it.
 */
export function listRows(body: Json): Json[] {
  const rows = property(body, 'data')
  if (!Array.isArray(rows)) throw new SourceError('badData', 'FreshBooks answered without a list of accounts')
  const pages = property(property(body, 'meta'), 'pages') ?? property(body, 'pages')
  if (Number(pages ?? 1) > 1) throw new SourceError('badData', 'FreshBooks answered only one page of the accounts')
  return rows
}
