import type { Json } from '../../model/values/json.ts'
import type { Answers, Page, Pull, Session } from '../contract/contract.ts'
import { isJsonObject, jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { idOf, readAccounts, readAfter } from './read.ts'
import { callTeller, TellerError } from './request.ts'
import { readSecret } from './secret.ts'
import { ListAnswer } from './wire.ts'

/** Small page size: each account costs a call for its balances, which Teller requests from the bank in real time. */
const ACCOUNTS_A_PAGE = 25

/**
 * Accounts of an enrollment, including closed ones. A page is a slice of the list in id order, so that an account added
 * or removed between two pages shifts no other; a page ends where the next one begins.
 */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts({ kit, credentials }: Session, cursor: Json | null): Promise<Page> {
  const token = readSecret(credentials).accessToken
  const call = async (path: string) => (await callTeller(kit, token, path)).body
  const listing = await callTeller(kit, token, '/accounts')
  const accounts = checkEnvelope(ListAnswer, await responseJson(listing, '/accounts'), '/accounts')
  const after = readAfter(cursor)
  const ids = accounts.flatMap((each) => idOf(each) ?? []).sort()
  const slice = ids.filter((id) => id > after).slice(0, ACCOUNTS_A_PAGE)
  const isLast = slice.length === 0 || slice.at(-1) === ids.at(-1)
  const upTo = isLast ? null : (slice.at(-1) ?? null)
  const answers: Answers = { accounts: listing.body, slice: jsonBytes({ after, upTo }) }
  for (const account of accounts) {
    const id = idOf(account)
    if (id === null || !slice.includes(id) || !isJsonObject(account)) continue
    const place = `/accounts/${encodeURIComponent(id)}`
    if (account.status !== 'closed') Object.assign(answers, await answerOf(call, `balances:${id}`, `${place}/balances`))
    // Account details hold full account numbers, and some banks require a verification for them: requested only where
    // no other field distinguishes the accounts.
    if (!account.last_four && account.status !== 'closed') Object.assign(answers, await answerOf(call, `details:${id}`, `${place}/details`))
  }
  return { answers, next: upTo === null ? null : { after: upTo }, listing: 'complete' }
}

/** Null for an account that was closed in the meantime, and for details that this enrollment has no access to. */
async function answerOf(call: (path: string) => Promise<Uint8Array>, name: string, path: string): Promise<Answers> {
  try {
    return { [name]: await call(path) }
  } catch (error) {
    const isOptional = name.startsWith('details:') && error instanceof TellerError && (error.status === 403 || error.status === 404)
    if (isOptional || (error instanceof TellerError && error.isAccountGone)) return {}
    throw error
  }
}
