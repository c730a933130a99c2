import { flatMapInSlices, slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import type { Kit, Page, Pull, Session } from '../contract/contract.ts'
import { isJsonObject, jsonBytes } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { isRecent, type Progress, readProgress, readResume, writeProgress, writeResume } from './cursor.ts'
import { idOf, readTransactions } from './read.ts'
import { readSecret } from './secret.ts'
import { askSlowly, openSession } from './session.ts'
import { AccountsAnswer } from './wire.ts'

/** Accounts per request: their transactions are in one response. */
const CHUNK = 20
const MAX_ANSWER = 64 * 1024 * 1024

/**
 * Transactions of the last year, later of the last 90 days each time. Flinks reports neither pending nor removed ones:
 * recent transactions that are no longer listed are removed, so that one that returns under another Id does not count
 * twice.
 */
export const transactionsPull: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  fetch: fetchTransactions,
  read: readTransactions,
}

async function fetchTransactions({ kit, credentials }: Session, cursor: Json | null): Promise<Page> {
  const { loginId } = readSecret(credentials)
  const progress = readProgress(cursor) ?? (await begin(kit, loginId, cursor))
  if (progress.left === null) {
    const body = { WithBalance: true, WithAccountIdentity: false }
    const answer = await askSlowly(kit, loginId, progress.slow, { path: '/GetAccountsSummary', body, maxBytes: MAX_ANSWER })
    if (answer === null) return { answers: {}, next: writeProgress(progress), listing: 'changes' }
    const { Accounts: accounts } = checkEnvelope(AccountsAnswer, answer.json, '/GetAccountsSummary')
    progress.left = await flatMapInSlices(accounts, (account) => idOf(account) ?? [])
  }
  const chunk = progress.left.slice(0, CHUNK)
  if (chunk.length === 0) return { answers: {}, next: null, resume: writeResume(progress), listing: 'changes' }
  const body = {
    WithAccountIdentity: false,
    WithTransactions: true,
    WithKYC: false,
    DaysOfTransactions: progress.days,
    AccountsFilter: chunk,
  }
  const answer = await askSlowly(kit, loginId, progress.slow, { path: '/GetAccountsDetail', body, maxBytes: MAX_ANSWER })
  if (answer === null) return { answers: {}, next: writeProgress(progress), listing: 'changes' }
  const gone = await take(progress, checkEnvelope(AccountsAnswer, answer.json, '/GetAccountsDetail').Accounts)
  const answers = { accounts: answer.response.body, ...(gone.length === 0 ? {} : { gone: jsonBytes(gone) }) }
  progress.left = progress.left.slice(CHUNK)
  if (progress.left.length > 0) return { answers, next: writeProgress(progress), listing: 'changes' }
  return { answers, next: null, resume: writeResume(progress), listing: 'changes' }
}

async function begin(kit: Kit, loginId: string, cursor: Json | null): Promise<Progress> {
  const now = kit.now().getTime()
  const before = readResume(cursor, now)
  const { RequestId: requestId } = await openSession(kit, loginId)
  return {
    slow: { requestId, since: null, sessions: 1 },
    at: now,
    days: before ? 'Days90' : 'Days365',
    left: null,
    before: before?.recent ?? new Map(),
    recent: new Map(),
  }
}

/** Records the transactions of a page; returns the Ids that were listed before and are no longer. */
async function take(progress: Progress, accounts: readonly unknown[]): Promise<string[]> {
  const listed = new Map<string, { missing: Set<string>; recent: string[] }>()
  for await (const rows of slicesOf(listRows(accounts))) {
    for (const { account, row } of rows) {
      const own = listed.get(account) ?? { missing: new Set(progress.before.get(account)), recent: [] }
      listed.set(account, own)
      const id = idOf(row)
      if (id === null || !isJsonObject(row)) continue
      own.missing.delete(id)
      if (isRecent(row.Date, progress.at)) own.recent.push(id)
    }
  }
  for (const [account, { recent }] of listed) progress.recent.set(account, recent)
  return [...listed.values()].flatMap(({ missing }) => [...missing])
}

/** Transactions, each with the account that lists it. An account without any may not have been read yet. */
function* listRows(accounts: readonly unknown[]): Generator<{ account: string; row: Json }, void> {
  for (const each of accounts) {
    const account = idOf(each)
    if (account === null || !isJsonObject(each) || !Array.isArray(each.Transactions)) continue
    for (const row of each.Transactions) yield { account, row }
  }
}
