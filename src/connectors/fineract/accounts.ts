import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { flatMapInSlices, sortInSlices } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Kit, type Pull, SourceError } from '../contract/contract.ts'
import { jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { fetchAhead } from '../toolkit/http/fetch-ahead.ts'
import { toEntityId } from './authorization.ts'
import { type Listed, listAccounts, type Position, readAccounts } from './read.ts'
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
    const left = await listAfter(overview.accounts, Check(Cursor, cursor) ? cursor.after : '')
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
  const accounts = await flatMapInSlices(listAccounts(answer as Json), ({ account }) => account ?? [])
  return { body, accounts: await sortInSlices(accounts, byPosition) }
}

/** Accounts after the one with this `origId`; all for an empty one. */
export async function listAfter(accounts: readonly Listed[], origId: string): Promise<Listed[]> {
  const [kind = '', id = ''] = origId.split('/')
  const position = { kind, id: Number(id) }
  return await flatMapInSlices(accounts, (account) => (byPosition(account, position) > 0 ? account : []))
}

function byPosition(a: Position, b: Position): number {
  return a.kind === b.kind ? a.id - b.id : a.kind < b.kind ? -1 : 1
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
