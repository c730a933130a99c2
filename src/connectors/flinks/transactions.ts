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
    progress.left = checkEnvelope(AccountsAnswer, answer.json, '/GetAccountsSummary').Accounts.flatMap((account) => idOf(account) ?? [])
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
  const gone = take(progress, checkEnvelope(AccountsAnswer, answer.json, '/GetAccountsDetail').Accounts)
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
function take(progress: Progress, accounts: readonly unknown[]): string[] {
  return accounts.flatMap((account) => {
    const id = idOf(account)
    // An account without any transaction may not have been read yet.
    if (id === null || !isJsonObject(account) || !Array.isArray(account.Transactions) || account.Transactions.length === 0) return []
    const shown = new Set<string>()
    const recent: string[] = []
    for (const row of account.Transactions) {
      const rowId = idOf(row)
      if (rowId === null || !isJsonObject(row)) continue
      shown.add(rowId)
      if (isRecent(row.Date, progress.at)) recent.push(rowId)
    }
    progress.recent.set(id, recent)
    return (progress.before.get(id) ?? []).filter((each) => !shown.has(each))
  })
}
