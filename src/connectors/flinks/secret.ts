import { type Credentials, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/answers.ts'

/** One login. Its id opens the owner's data to whoever has the operator's keys. */
export interface FlinksSecret {
  loginId: string
  institutionId: string
  /** Logins of the same bank that this one took the place of; they are deleted with it. */
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
