import { type Credentials, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'

/** Handles of one login at one bank. They give no access without the operator's keys. */
export interface MxSecret {
  userGuid: string
  memberGuid: string
  institutionCode: string | null
}

export function readSecret(credentials: Credentials): MxSecret {
  const { secret } = credentials
  if (isJsonObject(secret) && typeof secret.userGuid === 'string' && typeof secret.memberGuid === 'string') {
    const { userGuid, memberGuid, institutionCode } = secret
    return { userGuid, memberGuid, institutionCode: typeof institutionCode === 'string' ? institutionCode : null }
  }
  throw new SourceError('reconnect', 'the stored credentials are not those of an MX member')
}
