import { createECDH, createHash } from 'node:crypto'

/**
 * A private key as a JWK, derived from a text; defaults to that of the sandbox's client. It only protects generated
 * accounts, and both sides can derive it without a file.
 */
export function sandboxSigningKey(words = 'the client of the sandbox'): {
  kty: string
  crv: string
  kid: string
  x: string
  y: string
  d: string
} {
  const curve = createECDH('prime256v1')
  const secret = createHash('sha256').update(words).digest()
  curve.setPrivateKey(secret)
  const point = curve.getPublicKey()
  return {
    kty: 'EC',
    crv: 'P-256',
    kid: 'sandbox',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: secret.toString('base64url'),
  }
}
