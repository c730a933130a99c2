import { SourceError } from '../../contract/contract.ts'

/**
 * Compares the issuer in a callback with that of the server to which the owner was sent (mix-up defence). `isAlwaysSent`:
 * the server says in its metadata that each of its answers has one. Throws `SourceError`; without a known issuer it
 * compares nothing.
 * Source: https://www.rfc-editor.org/rfc/rfc9207#section-2.4
 */
export function checkIssuer(query: Readonly<Record<string, string>>, wanted: { issuer: string | null; isAlwaysSent: boolean }): void {
  if (wanted.issuer === null) return
  if (query.iss === undefined && !wanted.isAlwaysSent) return
  if (query.iss !== wanted.issuer) throw new SourceError('badData', 'the answer is that of another issuer')
}
