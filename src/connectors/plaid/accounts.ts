import type { Json } from '../../model/values/json.ts'
import type { Answers, Page, Pull, Session, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/answers.ts'
import { callPlaid, checkEnvelope, PlaidError } from './request.ts'
import { readSecret } from './secret.ts'
import { AccountsAnswer, ItemStatusAnswer, LiabilitiesAnswer } from './wire.ts'

/** A first call for a product may wait for the bank. Source: https://plaid.com/docs/api/products/liabilities/ */
const PATIENT_MS = 90_000

/** The item has no liabilities to tell of, which is no failure. */
const WITHOUT_LIABILITIES: ReadonlySet<string> = new Set(['NO_LIABILITY_ACCOUNTS', 'PRODUCTS_NOT_SUPPORTED', 'ADDITIONAL_CONSENT_REQUIRED'])

/** Everything that one item says about its accounts, in one page: closed accounts are simply no longer listed. */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts(session: Session): Promise<Page> {
  const body = { access_token: readSecret(session.credentials).accessToken }
  const accounts = await callPlaid(session.kit, '/accounts/get', body)
  const liabilities = await fetchLiabilities(session, body)
  const item = await callPlaid(session.kit, '/item/get', body)
  const answers = { accounts: accounts.body, item: item.body, ...(liabilities ? { liabilities } : {}) }
  return { answers, next: null, listing: 'complete' }
}

async function fetchLiabilities(session: Session, body: Json): Promise<Uint8Array | null> {
  try {
    return (await callPlaid(session.kit, '/liabilities/get', body, { timeoutMs: PATIENT_MS })).body
  } catch (error) {
    if (error instanceof PlaidError && error.code !== null && WITHOUT_LIABILITIES.has(error.code)) return null
    throw error
  }
}

function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { accounts } = checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts')
  const { item, status } = checkEnvelope(ItemStatusAnswer, answerJson(answers, 'item'), 'item')
  const parts = answers.liabilities ? readLiabilities(answers) : null
  for (const account of accounts) {
    const id = isJsonObject(account) ? account.account_id : null
    if (typeof id !== 'string' || id === '') {
      yield { entity: 'Accounts', origId: null, unreadable: 'an account without an account_id' }
      continue
    }
    const liability = { credit: parts?.credit.get(id), mortgage: parts?.mortgage.get(id), student: parts?.student.get(id) }
    yield { entity: 'Accounts', origId: id, wire: { account, ...withoutAbsent(liability), item, status: status ?? null } }
  }
}

type LiabilityIndex = Record<'credit' | 'mortgage' | 'student', Map<string, unknown>>

function readLiabilities(answers: Answers): LiabilityIndex {
  const { liabilities } = checkEnvelope(LiabilitiesAnswer, answerJson(answers, 'liabilities'), 'liabilities')
  return {
    credit: byAccount(liabilities.credit),
    mortgage: byAccount(liabilities.mortgage),
    student: byAccount(liabilities.student),
  }
}

function byAccount(list: readonly unknown[] | null | undefined): Map<string, unknown> {
  const index = new Map<string, unknown>()
  for (const entry of list ?? []) {
    if (isJsonObject(entry) && typeof entry.account_id === 'string') index.set(entry.account_id, withoutNumbers(entry))
  }
  return index
}

/** Loans come with their full numbers, which no record may carry; the account's mask is enough. */
function withoutNumbers(liability: Record<string, unknown>): Record<string, unknown> {
  const { account_number: _number, payment_reference_number: _reference, ...rest } = liability
  return rest
}

function withoutAbsent(parts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
}
