import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { isJsonObject, jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { idOf, readAccounts } from './read.ts'
import { callStripe, StripeError } from './request.ts'
import { readSecret } from './secret.ts'
import { KnownAccount, ListAnswer } from './wire.ts'

export const ACCOUNTS = '/v1/financial_connections/accounts'
/** Maximum page size. */
export const PAGE_SIZE = '100'
const MAX_RESTARTS = 3

/** All accounts of the customer, including closed and disconnected ones. */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts({ kit, credentials }: Session, cursor: Json | null): Promise<Page> {
  const { customer, institutionName } = readSecret(credentials)
  const { after, isActive, restarts } = readProgress(cursor)
  const page = await unlessCursorGone(listPage(kit, customer, after), restarts)
  if (!page) return { answers: {}, next: { restarts: restarts + 1 }, listing: 'complete' }
  const { response, list, last } = page
  const accounts = list.data.filter((account) => Check(KnownAccount, account) && account.institution_name === institutionName)
  const isAnyActive = isActive || accounts.some((account) => isJsonObject(account) && account.status === 'active')
  const answers = { accounts: response.body, entity: jsonBytes({ institutionName }) }
  if (last !== null) return { answers, next: { after: last, isActive: isAnyActive, restarts }, listing: 'complete' }
  // Access ended by the bank or the owner: the list says nothing about the accounts' current balances.
  if (!isAnyActive) throw new SourceError('reconnect', 'no account of this bank is active at Stripe any more')
  return { answers, next: null, listing: 'complete' }
}

/** Reads a list from its beginning when its cursor is gone, up to a maximum number of restarts; null after that. */
export async function unlessCursorGone<T>(asking: Promise<T>, restarts: number): Promise<T | null> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof StripeError && error.isCursorGone && restarts < MAX_RESTARTS) return null
    throw error
  }
}

/** One page of the customer's accounts; `last` is the id after which the next page begins, null at the end. */
async function listPage(
  kit: Kit,
  customer: string,
  after: string | null,
): Promise<{ response: HttpResponse; list: ListAnswer; last: string | null }> {
  const parameters = { 'account_holder[customer]': customer, limit: PAGE_SIZE, starting_after: after ?? undefined }
  const response = await callStripe(kit, { path: ACCOUNTS, parameters })
  const list = checkEnvelope(ListAnswer, await responseJson(response, 'accounts'), 'accounts')
  return { response, list, last: lastOf(list, after, 'accounts') }
}

/** Id after which the next page begins; null for the last page. */
export function lastOf(list: ListAnswer, after: string | null, what: string): string | null {
  if (!list.has_more) return null
  const last = list.data.findLast((row) => idOf(row) !== null)
  const id = idOf(last)
  if (id === null || id === after) throw new SourceError('badData', `${what}: more pages are promised, but the list stands still`)
  return id
}

/** All accounts of this connection's bank. Unreadable ones are left out: their own pull reports them. */
export async function listKnown(session: Session): Promise<KnownAccount[]> {
  const known: KnownAccount[] = []
  let after: string | null = null
  do {
    const page: KnownPage = await listKnownPage(session, after)
    known.push(...page.accounts)
    after = page.last
  } while (after !== null)
  return known
}

interface KnownPage {
  accounts: KnownAccount[]
  last: string | null
}

/** One page of the bank's accounts, possibly empty; `last` as in `listPage`. */
export async function listKnownPage({ kit, credentials }: Session, after: string | null): Promise<KnownPage> {
  const { customer, institutionName } = readSecret(credentials)
  const { list, last } = await listPage(kit, customer, after)
  const readable = list.data.filter((account) => Check(KnownAccount, account))
  return { accounts: readable.filter((account) => account.institution_name === institutionName), last }
}

function readProgress(cursor: Json | null): { after: string | null; isActive: boolean; restarts: number } {
  if (!isJsonObject(cursor)) return { after: null, isActive: false, restarts: 0 }
  return {
    after: typeof cursor.after === 'string' ? cursor.after : null,
    isActive: cursor.isActive === true,
    restarts: readRestarts(cursor.restarts),
  }
}

export function readRestarts(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
