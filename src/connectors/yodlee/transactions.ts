import type { Json } from '../../model/values/json.ts'
import { type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { isJsonObject, jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { accountsCall } from './accounts.ts'
import { dayOf, type Known, type Progress, readProgress, recentOf, START, startOf } from './cursor.ts'
import { idOf, readTransactions } from './read.ts'
import { askYodlee, callYodlee } from './request.ts'
import { idText, readSecret, type YodleeSecret } from './secret.ts'
import { AccountsAnswer, CountAnswer, TransactionsAnswer } from './wire.ts'

/** Maximum page size. */
const PAGE_SIZE = 500
/** Accounts per request. */
const GROUP_SIZE = 50

/**
 * Transactions of the accounts of one provider account. Yodlee deletes a pending transaction and assigns another id to
 * the booked one, without notice: so each run lists the last weeks, and known transactions that are no longer listed
 * are removed.
 */
export const transactionsPull: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  fetch: fetchTransactions,
  read: readTransactions,
}

async function fetchTransactions(session: Session, cursor: Json | null): Promise<Page> {
  const { kit } = session
  const secret = readSecret(session.credentials)
  const progress = readProgress(cursor, kit.now(), secret.providerAccountId)
  progress.groups ??= await listGroups(session, secret)
  const [group, ...others] = progress.groups
  if (group === undefined) return { answers: {}, next: null, resume: toResume(progress), listing: 'changes' }
  const query = { accountId: group, fromDate: progress.from, toDate: dayOf(progress.at) }
  const { place } = progress
  const total = place.total ?? (await countAll(session, secret, query))
  const page = { ...query, skip: String(place.skip), top: String(PAGE_SIZE) }
  const response = await callYodlee(kit, { path: '/transactions', query: page, token: secret.accessToken })
  const { transaction = [] } = checkEnvelope(TransactionsAnswer, await responseJson(response, 'transactions'), 'transactions')
  const met = recentOf(transaction, progress.from)
  const ids = new Set(transaction.flatMap((row) => idOf(row) ?? []))
  const missing = progress.missing.filter(([id]) => !ids.has(id))
  const recent = [...progress.recent, ...met]
  const count = place.count + transaction.length
  const first = idOf(transaction[0])
  if (place.skip > 0 && first !== null && first === place.first) throw new SourceError('badData', 'transactions: a page came twice')
  // Only a page that is not full is the last one: transactions added during pagination shift others beyond the total.
  if (transaction.length >= PAGE_SIZE) {
    const next = { ...progress, place: { skip: place.skip + PAGE_SIZE, total, count, first }, missing, recent }
    return { answers: { transactions: response.body }, next, listing: 'changes' }
  }
  if (count < total) throw new SourceError('badData', `transactions: ${count} came of ${total}`)
  const next = { ...progress, groups: others, place: START, missing, recent }
  if (others.length > 0) return { answers: { transactions: response.body }, next, listing: 'changes' }
  const gone = missing.length === 0 ? {} : { gone: jsonBytes(missing.map(([id]) => id)) }
  return { answers: { transactions: response.body, ...gone }, next: null, resume: toResume(next), listing: 'changes' }
}

/**
 * Accounts in groups of the size of one request. Transactions are requested by account: the user may have other banks.
 */
async function listGroups({ kit }: Session, secret: YodleeSecret): Promise<string[]> {
  const { account = [] } = await askYodlee(kit, accountsCall(secret), AccountsAnswer)
  const ids = account.flatMap((row) => (isJsonObject(row) ? (idText(row.id) ?? []) : []))
  return Array.from({ length: Math.ceil(ids.length / GROUP_SIZE) }, (_, n) => ids.slice(n * GROUP_SIZE, (n + 1) * GROUP_SIZE).join(','))
}

async function countAll({ kit }: Session, secret: YodleeSecret, query: Record<string, string>): Promise<number> {
  const { transaction } = await askYodlee(kit, { path: '/transactions/count', query, token: secret.accessToken }, CountAnswer)
  return transaction?.TOTAL.count ?? 0
}

/** Resume cursor of the next run. */
function toResume({ at, wholeAt, recent, providerAccountId }: Progress): Json {
  const from = startOf(at, false)
  // The first days are left out: a transaction whose date moved slightly earlier is not deleted.
  const kept: Known[] = recent.filter(([, day, isPending]) => isPending || day >= dayOf(Date.parse(from) / 1_000 + 3 * 86_400))
  return { at, wholeAt, providerAccountId, recent: kept }
}
