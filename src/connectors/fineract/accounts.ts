import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Kit, type Pull, SourceError } from '../contract/contract.ts'
import { jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { fetchAhead } from '../toolkit/http/fetch-ahead.ts'
import { toEntityId } from './authorization.ts'
import { type Listed, listAccounts, readAccounts } from './read.ts'
import { ask, checkAnswer, type FineractSecret, get, readSecret, refuse } from './request.ts'
import { AccountsAnswer, ClientAnswer, RecordAnswer } from './wire.ts'

/** Accounts per page: each needs a separate call. */
const PAGE_SIZE = 100
const Cursor = Type.Object({ after: Type.String({ pattern: '^(loan|savings)/\\d+$' }) })

/**
 * All present and former accounts of the client, in pages of details: the overview lists the accounts in all versions,
 * but with few fields.
 */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials, entityId }, cursor) {
    const secret = readSecret(credentials)
    const client = await readClient(kit, secret, entityId)
    const overview = await readOverview(kit, secret)
    const after = Check(Cursor, cursor) ? sortKey(cursor.after) : ''
    const left = overview.accounts.filter(({ origId }) => sortKey(origId) > after)
    const page = left.slice(0, PAGE_SIZE)
    const answers: Answers = { client, accounts: overview.body, page: jsonBytes(page.map(({ origId }) => origId)) }
    const details = fetchAhead(page, async (account) => ({ account, detail: await readDetail(kit, secret, account) }))
    for await (const { account, detail } of details) if (detail !== null) answers[account.origId] = detail
    const last = page.at(-1)
    return { answers, next: last && left.length > page.length ? { after: last.origId } : null, listing: 'complete' }
  },
  read: readAccounts,
}

/** Current record of the connected client, as received. Throws `reconnect` when another client replaced it. */
export async function readClient(kit: Kit, secret: FineractSecret, entityId: string): Promise<Uint8Array> {
  const { body, answer } = await ask(kit, secret, `clients/${secret.clientId}`, ClientAnswer, 'the client')
  let found: string
  try {
    found = toEntityId(secret, answer)
  } catch (error) {
    if (error instanceof RangeError) throw new SourceError('badData', 'Fineract: the client was activated on no possible day')
    throw error
  }
  if (found !== entityId)
    throw new SourceError('reconnect', 'Fineract: the server holds another client than the one that was connected', {
      reason: 'otherEntity',
    })
  return body
}

export async function readOverview(kit: Kit, secret: FineractSecret): Promise<{ body: Uint8Array; accounts: Listed[] }> {
  const { body, answer } = await ask(kit, secret, `clients/${secret.clientId}/accounts`, AccountsAnswer, 'the accounts')
  const accounts = listAccounts(answer as Json).flatMap(({ account }) => account ?? [])
  return { body, accounts: accounts.sort((a, b) => (sortKey(a.origId) < sortKey(b.origId) ? -1 : 1)) }
}

/** Sort key: `savings/7` as `savings/0000…7`, which sorts by number. */
export function sortKey(origId: string): string {
  const [kind = '', id = ''] = origId.split('/')
  return `${kind}/${id.padStart(20, '0')}`
}

/** Details of an account; null when it no longer exists. */
async function readDetail(kit: Kit, secret: FineractSecret, { resource, id }: Listed): Promise<Uint8Array | null> {
  const query = resource === 'loans' ? '?associations=repaymentSchedule' : ''
  const response = await get(kit, secret, `${resource}/${id}${query}`)
  if (response.status === 404) return null
  refuse(kit, response, resource)
  checkAnswer(RecordAnswer, await responseJson(response, `Fineract ${resource}`), resource)
  return response.body
}
