import type { Json } from '../../model/values/json.ts'
import { type Answers, type Session, SourceError } from '../contract/contract.ts'
import { answerJson, property, responseJson } from '../toolkit/http/answers.ts'
import { secretOf } from './authorization.ts'
import { hasErrors, toSourceError } from './errors.ts'
import { callApi } from './request.ts'

/** Names of the response with the currencies, and of a refusal in its place. */
export const REPORT = 'report'
const REFUSED = 'report refused'

/**
 * Report of the chart, whose accounts have the currency that the list of accounts leaves out. Its balances are of one
 * day and not used. A login that may not read reports is refused: then the
 * currency stays unknown.
 * Source: https://www.freshbooks.com/api/chart-of-accounts (Get Accounts/Sub-Accounts)
 */
export async function fetchReport({ kit, credentials, entityId }: Session, maxBytes: number): Promise<Answers> {
  const what = 'the report of the accounts'
  const day = kit.now().toISOString().slice(0, 10)
  const query = `start_date=${day}&end_date=${day}&use_ledger_entries=true`
  const path = `/accounting/businesses/${encodeURIComponent(entityId)}/reports/chart_of_accounts?${query}`
  const response = await callApi(kit, { accessToken: secretOf(credentials).accessToken, path, what, maxBytes })
  if (response.status === 403) return { [REFUSED]: response.body }
  if (response.status !== 200) throw toSourceError(response, what, kit.now())
  const body = await responseJson(response, what)
  if (hasErrors(body)) throw toSourceError(response, what, kit.now())
  listRows(body)
  return { [REPORT]: response.body }
}

/**
 * Currency of an account by its id. An account that the report leaves out has the one currency of all others; null:
 * unknown. Empty for a response that was stored without a report.
 */
export function currencyReader(answers: Answers): (uuid: string) => string | null {
  if (answers[REFUSED]) return () => null
  if (!answers[REPORT]) return () => ''
  const currencies = new Map<string, string>()
  for (const row of listRows(answerJson(answers, REPORT))) collect(row, currencies)
  const [only = null, ...others] = new Set(currencies.values())
  return (uuid) => currencies.get(uuid) ?? (others.length === 0 ? only : null)
}

/** Accounts of the report; sub-accounts are inside theirs. */
function listRows(body: Json): Json[] {
  const rows = property(property(property(body, 'response'), 'result'), 'journal_entry_accounts')
  if (!Array.isArray(rows)) throw new SourceError('badData', 'FreshBooks answered without a report of the accounts')
  return rows
}

function collect(row: Json, currencies: Map<string, string>): void {
  const [uuid, currency, inner] = ['account_uuid', 'currency_code', 'sub_accounts'].map((name) => property(row, name))
  if (typeof uuid === 'string' && typeof currency === 'string' && currency !== '') currencies.set(uuid, currency)
  if (Array.isArray(inner)) for (const each of inner) collect(each, currencies)
}
