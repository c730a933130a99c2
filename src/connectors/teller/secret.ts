import { type Credentials, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/answers.ts'

/** The secret of one enrollment: a login at one bank. */
export interface TellerSecret {
  accessToken: string
  enrollmentId: string
  institutionId: string
}

export function readSecret({ secret }: Credentials): TellerSecret {
  if (isJsonObject(secret)) {
    const { accessToken, enrollmentId, institutionId } = secret
    if (typeof accessToken === 'string' && typeof enrollmentId === 'string' && typeof institutionId === 'string')
      return { accessToken, enrollmentId, institutionId }
  }
  throw new SourceError('reconnect', 'the stored credentials are not those of a Teller enrollment')
}
