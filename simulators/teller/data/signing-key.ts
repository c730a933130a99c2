import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'

/** The same in every run, so that the sandbox can be configured with the public key; it protects nothing. */
const seed = createHash('sha256').update('Teller, simulated: token signing key').digest()

/** Key with which Teller Connect signs the enrollment. */
export const SIGNING_KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
  format: 'der',
  type: 'pkcs8',
})

/** In the format of Teller's dashboard: the 32 bytes in Base64. */
export const TOKEN_SIGNING_KEY = Buffer.from(createPublicKey(SIGNING_KEY).export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')
