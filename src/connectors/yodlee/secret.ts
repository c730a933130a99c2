import type { Json } from '../../model/values/json.ts'
import { type Credentials, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/answers.ts'

/** Secret of one login at one bank. The token gives access to all logins of the user for half an hour. */
export interface YodleeSecret {
  /** User name at Yodlee: our id of the company. */
  loginName: string
  providerAccountId: string
  providerId: string
  accessToken: string
}

export function readSecret(credentials: Credentials): YodleeSecret {
  const { secret } = credentials
  if (isJsonObject(secret)) {
    const { loginName, providerAccountId, providerId, accessToken } = secret
    if (isText(loginName) && isText(providerAccountId) && isText(providerId) && isText(accessToken)) {
      return { loginName, providerAccountId, providerId, accessToken }
    }
  }
  throw new SourceError('reconnect', 'the stored credentials are not those of a Yodlee provider account')
}

/** Id as text. Ids are integers; long ones come as text. Null for anything else. */
export function idText(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : null
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
