import { createPublicKey, randomBytes, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Faults } from '../kit/faults.ts'
import { jsonReply, type Reply, textReply } from '../kit/http/response.ts'
import { KEYS } from './data/keys.ts'
import type { FaultName } from './faults.ts'

const LIFE_S = 900

/**
 * Client credentials grant with Basic, form or signed assertion. Tokens are kept in memory, so clients need new ones
 * after a restart.
 */
export class Tokens {
  readonly #issued = new Map<string, number>()
  readonly #faults: Faults<FaultName>
  readonly #now: () => Date

  constructor(faults: Faults<FaultName>, now: () => Date) {
    this.#faults = faults
    this.#now = now
  }

  answer(request: IncomingMessage, form: URLSearchParams, address: string): Reply {
    if (this.#faults.take('tokenUnavailable')) return jsonReply(503, { error: 'temporarily_unavailable' })
    if (this.#faults.take('tokenThrottled')) return textReply(429, 'slow down', { 'retry-after': '45' })
    if (this.#faults.take('invalidClient') || !this.#isClient(request, form, address)) return jsonReply(401, { error: 'invalid_client' })
    if (form.get('grant_type') !== 'client_credentials') return jsonReply(400, { error: 'unsupported_grant_type' })
    const token = randomBytes(24).toString('base64url')
    this.#issued.set(token, this.#now().getTime() + LIFE_S * 1000)
    return jsonReply(200, { access_token: token, token_type: 'Bearer', expires_in: LIFE_S })
  }

  isGood(token: string): boolean {
    return (this.#issued.get(token) ?? 0) > this.#now().getTime()
  }

  #isClient(request: IncomingMessage, form: URLSearchParams, address: string): boolean {
    const assertion = form.get('client_assertion')
    if (assertion !== null) return this.#isSigned(assertion, address)
    const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(request.headers.authorization ?? '')?.[1]
    const [id, secret] = encoded ? Buffer.from(encoded, 'base64').toString().split(':') : [form.get('client_id'), form.get('client_secret')]
    return id === KEYS.clientId && secret === KEYS.clientSecret
  }

  #isSigned(assertion: string, address: string): boolean {
    const [head = '', claims = '', signature = ''] = assertion.split('.')
    const key = createPublicKey(KEYS.privateKey)
    const isTrue = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    const { iss, aud, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: string; aud?: string; exp?: number }
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid?: string }
    return isTrue && iss === KEYS.clientId && aud === address && kid === KEYS.keyId && (exp ?? 0) > this.#now().getTime() / 1000
  }
}
