import type { Static } from 'typebox'
import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { checkAnswer } from './request.ts'
import { isMovement } from './type-table.ts'
import { AccountsAnswer, DetailsAnswer, SearchAnswer } from './wire.ts'

/** One line of the client's overview. */
export interface Listed extends Position {
  /** `loan/12`, `savings/7`: the two have separate number ranges. */
  origId: string
  resource: 'loans' | 'savingsaccounts' | 'fixeddepositaccounts' | 'recurringdepositaccounts'
}

/** Position of an account in the order of them: by kind, then by number. */
export interface Position {
  kind: string
  id: number
}

type Line = { account: Listed; unreadable?: undefined } | { account?: undefined; unreadable: string }

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const client = answerJson(answers, 'client')
  const page = answerJson(answers, 'page')
  const wanted = new Set(Array.isArray(page) ? page : [])
  for (const { account, unreadable } of listAccounts(answerJson(answers, 'accounts'))) {
    if (unreadable !== undefined) yield { entity: 'Accounts', origId: null, unreadable }
    else if (wanted.has(account.origId)) yield toAccountItem(answers, account, client)
  }
}

/** Lines of the overview; a repeated one is left out. */
export function* listAccounts(overview: Json): Generator<Line, void> {
  const seen = new Set<string>()
  for (const line of listLines(checkAnswer(AccountsAnswer, overview, 'the accounts'))) {
    const { account } = line
    if (account !== undefined && seen.has(account.origId)) continue
    if (account !== undefined) seen.add(account.origId)
    yield line
  }
}

function* listLines({ loanAccounts, savingsAccounts }: Static<typeof AccountsAnswer>): Generator<Line, void> {
  for (const row of loanAccounts ?? []) yield toLine(row, 'loan', () => 'loans')
  for (const row of savingsAccounts ?? []) yield toLine(row, 'savings', depositResource)
}

function toLine(row: unknown, kind: string, resourceOf: (row: { [key: string]: Json }) => Listed['resource']): Line {
  if (!isJsonObject(row) || typeof row.id !== 'number' || !Number.isSafeInteger(row.id)) {
    return { unreadable: `a ${kind} account without a number in the overview` }
  }
  return { account: { origId: `${kind}/${row.id}`, kind, id: row.id, resource: resourceOf(row) } }
}

/**
 * Fixed and recurring deposits are savings accounts with details resources of their own.
 * Source: org.apache.fineract…DepositAccountType
 */
function depositResource({ depositType }: { [key: string]: Json }): Listed['resource'] {
  const code = isJsonObject(depositType) ? String(depositType.code ?? '') : ''
  if (/fixed/i.test(code)) return 'fixeddepositaccounts'
  return /recurring/i.test(code) ? 'recurringdepositaccounts' : 'savingsaccounts'
}

function toAccountItem(answers: Answers, { origId, resource }: Listed, client: Json): SourceItem {
  if (!answers[origId]) return { entity: 'Accounts', origId, unreadable: 'the overview lists it, but it is not there' }
  const record = answerJson(answers, origId)
  return { entity: 'Accounts', origId, wire: { id: origId, resource, client, [resource === 'loans' ? 'loan' : 'deposit']: record } }
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  for (const name of Object.keys(answers)) {
    const [, account, kind] = /^((loan|savings)\/\d+)@\d+$/.exec(name) ?? []
    if (account === undefined || kind === undefined) continue
    for (const row of toRows(answerJson(answers, name))) yield* toItem(row, account, kind)
  }
}

/** Rows of a search or of the details of one account; `badData` when the response has no list. */
export function toRows(answer: Json): unknown[] {
  const found: Static<typeof SearchAnswer> | null = Check(SearchAnswer, answer) ? answer : null
  if (found !== null) return 'content' in found ? found.content : found.pageItems
  if (!Check(DetailsAnswer, answer)) throw new SourceError('badData', 'Fineract: the movements are no list')
  return answer.transactions ?? []
}

function* toItem(row: unknown, listedOf: string, kind: string): Iterable<SourceItem> {
  const id = isJsonObject(row) && typeof row.id === 'number' ? `${kind}/${row.id}` : null
  if (!isJsonObject(row) || id === null) {
    yield { entity: 'Transactions', origId: null, unreadable: `a movement of a ${kind} account without a number` }
    return
  }
  if (!isMovement(kind, row)) return
  // Most versions include the account in the row.
  const own = kind === 'loan' ? row.loanId : row.accountId
  const account = typeof own === 'number' ? `${kind}/${own}` : listedOf
  yield { entity: 'Transactions', origId: id, wire: { id, account, [kind]: row } }
}
