import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { toTransactionId } from './map.ts'
import { listRows } from './paging.ts'
import { idOf, unwrap } from './wire.ts'

export const LIST = 'list'
export const MORE = 'more'
export const ABOUT = 'about'

const isAccountsPage = Compile(
  Type.Object({ provider: Type.String(), isFraction: Type.Boolean(), currency: Type.Union([Type.String(), Type.Null()]) }),
)

const isTransactionsPage = Compile(
  Type.Object({
    parts: Type.Array(Type.Object({ name: Type.String(), accountId: Type.String(), currency: Type.String() })),
    gone: Type.Array(Type.Tuple([Type.String(), Type.String()])),
  }),
)

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const about = answerJson(answers, ABOUT)
  if (!isAccountsPage.Check(about)) throw new SourceError('badData', 'the page lacks what its accounts are about')
  const more = new Map<string, { [key: string]: Json }>()
  const known = answers[MORE] ? listRows(answerJson(answers, MORE), 'accounts').map((row) => unwrap(row, 'accountId')?.inner) : []
  const detailed = Object.keys(answers).filter((name) => name.startsWith('details-'))
  for (const inner of [...known, ...detailed.map((name) => readDetails(answerJson(answers, name)))]) {
    const id = inner && idOf(inner, 'accountId')
    if (id && inner) more.set(id, inner)
  }
  for (const row of listRows(answerJson(answers, LIST), 'accounts')) yield readAccount(row, more, about)
}

function readAccount(row: Json, more: ReadonlyMap<string, { [key: string]: Json }>, about: object): SourceItem {
  const entry = unwrap(row, 'accountId')
  const id = entry && idOf(entry.inner, 'accountId')
  if (!entry || !id) return { entity: 'Accounts', origId: null, unreadable: 'an account without an accountId' }
  const account = { ...entry.inner, ...withoutNull(more.get(id) ?? {}) }
  // Account that the bank itself could not read.
  // Source: https://plaid.com/core-exchange/docs/reference/6.4/ (Error responses)
  if (isJsonObject(account.error ?? null) && Object.keys(account).length <= 3) {
    return { entity: 'Accounts', origId: id, unreadable: 'the bank gave an error in place of this account' }
  }
  return { entity: 'Accounts', origId: id, wire: { ...about, account, category: entry.category } }
}

function withoutNull(parts: { [key: string]: Json }): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null))
}

export function readDetails(body: Json): { [key: string]: Json } {
  const entry = unwrap(body, 'accountId')
  if (entry) return entry.inner
  throw new SourceError('badData', 'the details hold no account')
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const about = answerJson(answers, ABOUT)
  if (!isTransactionsPage.Check(about)) throw new SourceError('badData', 'the page lacks what its transactions are about')
  const currencies = new Map(about.parts.map(({ accountId, currency }) => [accountId, currency]))
  for (const { name, accountId } of about.parts) {
    for (const row of listRows(answerJson(answers, name), 'transactions')) yield readRow(row, accountId, currencies)
  }
  for (const [accountId, id] of about.gone) yield { entity: 'Transactions', origId: toTransactionId(accountId, id), removed: true }
}

function readRow(row: Json, asked: string, currencies: ReadonlyMap<string, string>): SourceItem {
  const inner = unwrap(row, 'transactionId')?.inner
  const id = transactionIdOf(row)
  if (!isJsonObject(inner) || id === null)
    return { entity: 'Transactions', origId: null, unreadable: 'a transaction without a transactionId' }
  const accountId = idOf(inner, 'accountId') ?? asked
  const currency = currencies.get(accountId)
  const origId = toTransactionId(accountId, id)
  if (currency === undefined) return { entity: 'Transactions', origId, unreadable: 'a transaction in the list of another account' }
  return { entity: 'Transactions', origId, wire: { transaction: inner, accountId, currency } }
}

export function transactionIdOf(row: Json): string | null {
  const inner = unwrap(row, 'transactionId')?.inner
  return inner ? idOf(inner, 'transactionId') : null
}
