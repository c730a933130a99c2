import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type Credentials, type Kit, SourceError } from '../../contract/contract.ts'
import { UnexplainedRefusal } from './token-requests.ts'

/** Value that no source has ever issued. */
export const MADE_UP = 'countinghouse-key-check'

/** Statuses of a rejected grant; some sources report it in a response that looks successful. */
const REFUSED_GRANT: readonly number[] = [200, 400, 401]

/**
 * Key check for OAuth sources: refreshes invented credentials in the connector's own format. A server that knows the
 * client rejects the grant (`invalid_grant`), one that does not rejects the client (`invalid_client`), because it has
 * to authenticate the client first. Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 Another status, or no
 * response, proves nothing: it may come from a proxy in front.
 */
export function checkByRefusedGrant(
  refresh: (kit: Kit, credentials: Credentials) => Promise<unknown>,
  shape: Readonly<Record<string, string>> = {},
): (kit: Kit) => Promise<void> {
  const credentials: Credentials = { secret: { accessToken: MADE_UP, refreshToken: MADE_UP, ...shape }, expiresAt: null }
  return async (kit) => {
    let status = 0
    const http: Kit['http'] = async (request) => {
      const response = await kit.http(request)
      status = response.status
      return response
    }
    try {
      await refresh({ ...kit, http }, credentials)
    } catch (error) {
      if (error instanceof UnexplainedRefusal)
        throw new SourceError('badData', `${error.message}: it does not tell whether the keys are right`)
      const isGrantRefused = error instanceof SourceError && error.kind === 'reconnect' && !error.isClientRefused
      if (isGrantRefused && REFUSED_GRANT.includes(status)) return
      throw error
    }
  }
}

/** Throws a rejection for a certificate and key (PEM) that do not match, are invalid or have expired. */
export function checkCertificate(certificate: string, privateKey: string, now: Date): void {
  const parts = readPair(certificate, privateKey)
  if (!parts) throw refusal('the certificate or its private key is no PEM')
  if (!parts.certificate.checkPrivateKey(parts.key)) throw refusal('the private key is not that of the certificate')
  if (parts.certificate.validToDate < now) throw refusal('the certificate has run out')
}

function readPair(certificate: string, privateKey: string) {
  try {
    return { certificate: new X509Certificate(certificate), key: createPrivateKey(privateKey) }
  } catch {
    // Without the cause: it may quote the key.
    return null
  }
}

function refusal(message: string): SourceError {
  return new SourceError('unavailable', message, { isClientRefused: true })
}
