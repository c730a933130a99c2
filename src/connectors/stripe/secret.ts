import { type Credentials, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/answers.ts'

/**
 * Stripe customer that holds the accounts of one bank; created for this connection. The operator's key gives access.
 */
export interface StripeSecret {
  customer: string
  institutionName: string
}

export function readSecret({ secret }: Credentials): StripeSecret {
  if (isJsonObject(secret) && typeof secret.customer === 'string' && typeof secret.institutionName === 'string')
    return { customer: secret.customer, institutionName: secret.institutionName }
  throw new SourceError('reconnect', 'the stored credentials are not those of a Stripe customer')
}
