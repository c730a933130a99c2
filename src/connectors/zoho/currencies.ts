import type { Json } from '../../model/values/json.ts'
import { type Answers, type HttpResponse, type Session, SourceError } from '../contract/contract.ts'
import { answerJson, property, responseJson } from '../toolkit/http/answers.ts'
import { hasFault, isRefusal, toSourceError } from './errors.ts'
import { callOrganization } from './request.ts'
import { listRows, textAt } from './rows.ts'

/** Names of the responses besides a list of accounts. */
const ORGANIZATION = 'organization'
const BANKS = 'bank accounts '
const BANKS_REFUSED = 'bank accounts refused'

/** Types whose accounts may be kept in another currency than the organization's. */
const OWN_CURRENCY: ReadonlySet<string | null> = new Set(['bank', 'credit_card'])

/** Maximum pages: more than any organization has; an endless listing is an error. */
const MAX_PAGES = 50

/**
 * Currencies missing in the account list: the base currency of the organization, and, where the page holds bank
 * accounts or cards, the currency of each. An older token may lack access to the bank accounts: then theirs remain
 * unknown.
 * Source: https://www.zoho.com/books/api/v3/organizations/#get-organization and
 * https://www.zoho.com/books/api/v3/bank-accounts/#list-view-of-accounts
 */
export async function fetchCurrencies(session: Session, rows: readonly Json[]): Promise<Answers> {
  const what = 'the organization'
  const organization = await callOrganization(session, `organizations/${session.entityId}`)
  if (hasFault(organization)) throw toSourceError(organization, what, session.kit.now())
  readOrganization(await responseJson(organization, what))
  const answers: Answers = { [ORGANIZATION]: organization.body }
  if (!rows.some(hasOwnCurrency)) return answers
  for (let page = 1; page <= MAX_PAGES; page++) {
    const response = await callOrganization(session, 'bankaccounts', { page: String(page), per_page: '200', filter_by: 'Status.All' })
    if (isRefusal(response)) return { ...answers, [BANKS_REFUSED]: response.body }
    answers[`${BANKS}${page}`] = response.body
    if (!(await hasMore(session, response))) return answers
  }
  throw new SourceError('badData', 'Zoho goes on listing bank accounts')
}

/**
 * Currency of an account by its row; null when Zoho has none, empty for an old response that was stored without any.
 */
export function currencyReader(answers: Answers): (row: Json) => string | null {
  if (!answers[ORGANIZATION]) return () => ''
  const base = textAt(readOrganization(answerJson(answers, ORGANIZATION)), 'currency_code')
  const banks = new Map(
    Object.keys(answers)
      .filter((name) => name.startsWith(BANKS) && name !== BANKS_REFUSED)
      .flatMap((name) => listRows(answerJson(answers, name), 'bankaccounts'))
      .map((row) => [textAt(row, 'account_id'), textAt(row, 'currency_code')]),
  )
  return (row) => {
    if (!hasOwnCurrency(row)) return base
    return banks.get(textAt(row, 'account_id')) ?? null
  }
}

function hasOwnCurrency(row: Json): boolean {
  return OWN_CURRENCY.has(textAt(row, 'account_type'))
}

function readOrganization(body: Json): Json {
  const organization = property(body, 'organization')
  if (typeof organization !== 'object' || organization === null) throw new SourceError('badData', 'Zoho answered no organization')
  return organization
}

async function hasMore(session: Session, response: HttpResponse): Promise<boolean> {
  const what = 'the list of bank accounts'
  if (hasFault(response)) throw toSourceError(response, what, session.kit.now())
  const body = await responseJson(response, what)
  listRows(body, 'bankaccounts')
  return property(property(body, 'page_context'), 'has_more_page') === true
}
