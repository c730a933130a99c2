import type { Page, Pull, Session } from '../contract/contract.ts'
import { jsonBytes } from '../toolkit/http/answers.ts'
import { nameOf } from './authorization.ts'
import { fetchLogin, requireHeads } from './login-accounts.ts'
import { readAccounts } from './read.ts'
import { readSecret } from './secret.ts'
import { refuseBroken } from './status.ts'

/** Every account of the login in one page: accounts no longer listed were removed. */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts({ kit, credentials }: Session): Promise<Page> {
  const secret = readSecret(credentials)
  const accounts = await fetchLogin(kit, secret)
  refuseBroken(await requireHeads(accounts))
  const name = await nameOf(kit, secret)
  const institution = jsonBytes({ name })
  return { answers: { accounts: accounts.body, institution }, next: null, listing: 'complete' }
}
