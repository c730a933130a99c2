import { type Credentials, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/answers.ts'

/** Secret of one bank login. The token is the partner's own, used by this connection only. */
export interface FinicitySecret {
  token: string
  customerId: string
  institutionLoginId: string
  institutionId: string
}

/**
 * Token lifetime in use: valid for two hours; renewed after ninety minutes.
 * Source: POST /aggregation/v2/partners/authentication
 */
const TOKEN_USE_MS = 90 * 60_000

export function toCredentials(secret: FinicitySecret, now: Date): Credentials {
  return { secret: { ...secret }, expiresAt: new Date(now.getTime() + TOKEN_USE_MS).toISOString() }
}

export function readSecret({ secret }: Credentials): FinicitySecret {
  if (isJsonObject(secret)) {
    const { token, customerId, institutionLoginId, institutionId } = secret
    if (isText(token) && isText(customerId) && isText(institutionLoginId) && isText(institutionId))
      return { token, customerId, institutionLoginId, institutionId }
  }
  throw new SourceError('reconnect', 'the stored credentials are not those of a Finicity login')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
