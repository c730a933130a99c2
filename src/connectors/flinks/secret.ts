import { type Credentials, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'

/** Secret of one login. With the operator's keys, its id gives access to the owner's data. */
export interface FlinksSecret {
  loginId: string
  institutionId: string
  /** Former logins of the same bank that this one replaced; they are deleted with it. */
  replaced: string[]
}

export function toCredentials(secret: FlinksSecret): Credentials {
  return { secret: { ...secret }, expiresAt: null }
}

export function readSecret({ secret }: Credentials): FlinksSecret {
  if (isJsonObject(secret) && typeof secret.loginId === 'string' && typeof secret.institutionId === 'string') {
    const { loginId, institutionId, replaced } = secret
    return { loginId, institutionId, replaced: Array.isArray(replaced) ? replaced.filter((id) => typeof id === 'string') : [] }
  }
  throw new SourceError('reconnect', 'the stored credentials are not those of a Flinks login')
}
