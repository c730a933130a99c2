import type { Json } from '../../model/values/json.ts'
import { type Answers, type Kit, type Page, type Pull, type Session, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject, responseJson } from '../toolkit/answers.ts'
import { askYodlee, callYodlee, checkEnvelope, isGone } from './request.ts'
import { idText, readSecret, type YodleeSecret } from './secret.ts'
import { checkReadable } from './status.ts'
import { AccountsAnswer, type ProviderAccount, ProviderAccountsAnswer } from './wire.ts'

/** All accounts of one provider account, of every container, in one page. Without the statuses, closed ones would be left out. */
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
  checkEnvelope(AccountsAnswer, responseJson(response, 'accounts'), 'accounts')
  return { answers: { accounts: response.body }, next: null, listing: 'complete' }
}

export function accountsCall({ providerAccountId, accessToken }: YodleeSecret) {
  const query = { providerAccountId, status: 'ACTIVE,INACTIVE,TO_BE_CLOSED,CLOSED' }
  return { path: '/accounts', query, token: accessToken }
}

/** The provider account as it stands; null when it was deleted. */
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

/** As `findProviderAccount`; one that was deleted asks the owner. */
async function getProviderAccount(kit: Kit, secret: YodleeSecret): Promise<ProviderAccount> {
  const found = await findProviderAccount(kit, secret)
  if (!found) throw new SourceError('reconnect', 'the provider account is gone at Yodlee')
  return found
}

function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { account = [] } = checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts')
  for (const wire of account) {
    const origId = isJsonObject(wire) ? idText(wire.id) : null
    if (origId === null) yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
    else yield { entity: 'Accounts', origId, wire: withoutNumbers(wire) }
  }
}

/** Full numbers come where the operator's client may have them; no record carries them. */
function withoutNumbers(wire: unknown): unknown {
  if (!isJsonObject(wire)) return wire
  const { fullAccountNumber: _full, fullAccountNumberList: _list, ...rest }: { [key: string]: Json } = wire
  return rest
}
