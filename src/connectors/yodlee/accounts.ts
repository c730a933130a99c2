import { type Kit, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { readAccounts } from './read.ts'
import { askYodlee, callYodlee, isGone } from './request.ts'
import { idText, readSecret, type YodleeSecret } from './secret.ts'
import { checkReadable } from './status.ts'
import { AccountsAnswer, type ProviderAccount, ProviderAccountsAnswer } from './wire.ts'

/**
 * All accounts of one provider account, of every container, in one page. Without the status filter, closed ones would
 * be left out.
 */
export const accountsPull: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  fetch: fetchAccounts,
  read: readAccounts,
}

async function fetchAccounts({ kit, credentials }: Session): Promise<Page> {
  const secret = readSecret(credentials)
  checkReadable(await getProviderAccount(kit, secret))
  const response = await callYodlee(kit, accountsCall(secret))
  checkEnvelope(AccountsAnswer, await responseJson(response, 'accounts'), 'accounts')
  return { answers: { accounts: response.body }, next: null, listing: 'complete' }
}

export function accountsCall({ providerAccountId, accessToken }: YodleeSecret) {
  const query = { providerAccountId, status: 'ACTIVE,INACTIVE,TO_BE_CLOSED,CLOSED' }
  return { path: '/accounts', query, token: accessToken }
}

/** Current state of the provider account; null when it was deleted. */
export async function findProviderAccount(
  kit: Kit,
  { providerAccountId, accessToken }: Pick<YodleeSecret, 'providerAccountId' | 'accessToken'>,
): Promise<ProviderAccount | null> {
  try {
    const { providerAccount = [] } = await askYodlee(
      kit,
      { path: `/providerAccounts/${providerAccountId}`, token: accessToken },
      ProviderAccountsAnswer,
    )
    return providerAccount.find(({ id }) => idText(id) === providerAccountId) ?? null
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

/** Like `findProviderAccount`; a deleted one throws `reconnect`. */
async function getProviderAccount(kit: Kit, secret: YodleeSecret): Promise<ProviderAccount> {
  const found = await findProviderAccount(kit, secret)
  if (!found) throw new SourceError('reconnect', 'the provider account is gone at Yodlee')
  return found
}
