import { type Credentials, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'

/** Secret of one item: Plaid's credentials for it, and the bank to offer again should the item be deleted. */
export interface PlaidSecret {
  accessToken: string
  itemId: string
  institutionId: string | null
}

export function readSecret(credentials: Credentials): PlaidSecret {
  const { secret } = credentials
  if (isJsonObject(secret) && typeof secret.accessToken === 'string' && typeof secret.itemId === 'string') {
    const { accessToken, itemId, institutionId } = secret
    return { accessToken, itemId, institutionId: typeof institutionId === 'string' ? institutionId : null }
  }
  throw new SourceError('reconnect', 'the stored credentials are not those of a Plaid item')
}
