import { Compile } from 'typebox/compile'
import { type Credentials, SourceError } from '../contract/contract.ts'
import { type DataCentre, isDataCentre } from './data-centres.ts'
import { SecretWire } from './wire.ts'

const isSecret = Compile(SecretWire)

/** Data centres in which the tokens are valid: that of the sign-in and that of the API. */
export type ZohoSecret = SecretWire & { accountsAt: DataCentre; apiAt: DataCentre }

/** Sealed secret, validated; a mismatch is a fault of ours. */
export function secretOf(credentials: Credentials): ZohoSecret {
  const { secret } = credentials
  if (isSecret.Check(secret) && isDataCentre(secret.accountsAt) && isDataCentre(secret.apiAt)) {
    return { ...secret, accountsAt: secret.accountsAt, apiAt: secret.apiAt }
  }
  throw new SourceError('reconnect', 'the stored credentials are not those of Zoho')
}
