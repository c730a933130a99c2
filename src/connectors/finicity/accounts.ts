import type { Answers, Page, Pull, Session, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/answers.ts'
import { nameOf } from './authorization.ts'
import { fetchLogin, requireHeads } from './login-accounts.ts'
import { toMask } from './mask.ts'
import { checkEnvelope } from './request.ts'
import { readSecret } from './secret.ts'
import { refuseBroken } from './status.ts'
import { AccountsAnswer } from './wire.ts'

/** The sum of the student loans below it, which are accounts themselves: with it they would count twice. */
export const LOAN_GROUP = 'studentLoanGroup'

/** Every account of the login in one page: what is no longer listed was taken away. */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts({ kit, credentials }: Session): Promise<Page> {
  const secret = readSecret(credentials)
  const accounts = await fetchLogin(kit, secret)
  refuseBroken(requireHeads(accounts))
  const name = await nameOf(kit, secret)
  const institution = new TextEncoder().encode(JSON.stringify({ name }))
  return { answers: { accounts: accounts.body, institution }, next: null, listing: 'complete' }
}

function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { accounts } = checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts')
  const institution = answerJson(answers, 'institution')
  for (const account of accounts) {
    const id = isJsonObject(account) && (typeof account.id === 'string' || typeof account.id === 'number') ? String(account.id) : ''
    if (!isJsonObject(account) || id === '') yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
    else if (account.type === LOAN_GROUP)
      yield { entity: 'Accounts', origId: id, unreadable: 'a group of student loans: the sum of its loans, each of which is an account' }
    else yield { entity: 'Accounts', origId: id, wire: { account: withMask(account), institution } }
  }
}

/** Numbers of accounts may come whole: no record carries them. */
function withMask(account: Record<string, unknown>): Record<string, unknown> {
  const { number, accountNumberDisplay, realAccountNumberLast4, position: _holdings, ...rest } = account
  return { ...rest, mask: toMask(accountNumberDisplay, realAccountNumberLast4, number) }
}
