import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'

/** Undefined leaves a claim out. */
type Claims = Record<string, unknown>

export const CLIENT = { id: 'countinghouse', secret: 'client-secret-canary-4711' }

/** A person who signs in, and how the tokens about them are falsified. */
export interface Script {
  claims: Claims
  /** Replaces claims of the ID token just before it is signed. */
  forgedClaims: Claims
  /** How the ID token is signed. */
  signature: 'own key' | 'no algorithm' | 'HMAC with the public key' | 'unpublished key'
  /** Parameters of the callback that are replaced, or left out (null). */
  forgedCallback: Record<string, string | null>
  userInfo: Record<string, unknown> | null
  /** Groups and the like of an ID token of a refresh; null: a refresh gives none. */
  refreshedClaims: Claims | null
  givesRefreshToken: boolean
  /** Whether the provider's own session goes on. */
  isAlive: boolean
  /** Status of every answer; null: as usual. `hang`: none. `huge`: megabytes. */
  failure: number | 'hang' | 'huge' | null
}

/** An OpenID provider that does whatever a test wants. Clock: `now`. */
export class ScriptedProvider {
  script: Script
  readonly calls: string[] = []
  /** Replaces members of the provider's description. */
  metadata: Record<string, unknown> = {}
  readonly #usual: Script
  readonly #now: () => Date
  readonly #codes = new Map<string, { nonce: string; challenge: string }>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  #keys: { kid: string; algorithm: string; privateKey: CryptoKey; publicKey: CryptoKey }[] = []
  /** Each works once. */
  readonly #refreshTokens = new Set<string>()
  url = ''

  constructor(now: () => Date, claims: Claims) {
    this.#now = now
    this.#usual = {
      ...{ claims, forgedClaims: {}, signature: 'own key', forgedCallback: {}, userInfo: null, refreshedClaims: null },
      ...{ givesRefreshToken: true, isAlive: true, failure: null },
    }
    this.script = { ...this.#usual }
  }

  /** Behaves as at the beginning. */
  reset(): void {
    this.script = { ...this.#usual }
    this.metadata = {}
    this.calls.length = 0
  }

  async open(): Promise<void> {
    await this.rotateKeys()
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    this.url = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Publishes a new key, for tokens of this algorithm, in place of all others. */
  async rotateKeys(algorithm = 'ES256'): Promise<void> {
    this.#keys = [{ kid: randomUUID(), algorithm, ...(await generateKeyPair(algorithm)) }]
  }

  /** The browser at the authorization endpoint: signs in at once, and returns the address of the callback. */
  authorize(address: string): URL {
    const asked = new URL(address).searchParams
    const code = randomUUID()
    this.#codes.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '' })
    const callback = new URL(asked.get('redirect_uri') ?? '')
    const parameters = { code, state: asked.get('state'), iss: this.url, ...this.script.forgedCallback }
    for (const [name, value] of Object.entries(parameters)) if (value !== null) callback.searchParams.set(name, value)
    return callback
  }

  /** Token signed with the published key, or as `signature` says. */
  async sign(claims: Claims, header: Record<string, unknown> = {}, signature: Script['signature'] = 'own key'): Promise<string> {
    const [key] = this.#keys
    if (!key) throw new Error('the provider is closed')
    const { kid, algorithm } = key
    if (signature === 'no algorithm') return `${toPart({ alg: 'none', ...header })}.${toPart(claims)}.`
    if (signature === 'HMAC with the public key') {
      const secret = Buffer.from(JSON.stringify(await exportJWK(key.publicKey)))
      return await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid, ...header }).sign(secret)
    }
    const { privateKey } = signature === 'own key' ? key : await generateKeyPair(algorithm)
    return await new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid, ...header }).sign(privateKey)
  }

  /** Seconds since the epoch. */
  get seconds(): number {
    return Math.floor(this.#now().getTime() / 1000)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', this.url)
    this.calls.push(pathname)
    const { failure } = this.script
    if (failure === 'hang') return
    if (failure !== null)
      return void response
        .writeHead(failure === 'huge' ? 200 : failure, JSON_TYPE)
        .end(failure === 'huge' ? `"${'a'.repeat(3_000_000)}"` : '{}')
    const [status, body] = await this.#bodyOf(pathname, request)
    response.writeHead(status, JSON_TYPE).end(JSON.stringify(body))
  }

  async #bodyOf(path: string, request: IncomingMessage): Promise<[number, object]> {
    if (path === '/.well-known/openid-configuration') return [200, this.#description()]
    if (path === '/keys')
      return [
        200,
        {
          keys: await Promise.all(
            this.#keys.map(async ({ kid, algorithm, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, use: 'sig', alg: algorithm })),
          ),
        },
      ]
    if (path === '/userinfo') return [200, this.script.userInfo ?? {}]
    if (path !== '/token') return [404, {}]
    return await this.#exchange(request.headers.authorization ?? '', new URLSearchParams(await readText(request)))
  }

  #description(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/keys`,
      ...(this.script.userInfo ? { userinfo_endpoint: `${this.url}/userinfo` } : {}),
      id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
      authorization_response_iss_parameter_supported: true,
      grant_types_supported: ['authorization_code', 'refresh_token'],
      ...this.metadata,
    }
  }

  async #exchange(authorization: string, form: URLSearchParams): Promise<[number, object]> {
    const given = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
    if (decodeURIComponent(given) !== `${CLIENT.id}:${CLIENT.secret}`) return [401, { error: 'invalid_client' }]
    const { script } = this
    if (form.get('grant_type') === 'refresh_token') {
      if (!script.isAlive || !this.#refreshTokens.delete(form.get('refresh_token') ?? '')) return [400, { error: 'invalid_grant' }]
      const { refreshedClaims } = script
      const token = refreshedClaims && { id_token: await this.sign({ ...this.#basics(), ...script.claims, ...refreshedClaims }) }
      return [200, { access_token: 'access', token_type: 'bearer', expires_in: 300, refresh_token: this.#newRefreshToken(), ...token }]
    }
    const code = this.#codes.get(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!code || code.challenge !== challenge) return [400, { error: 'invalid_grant' }]
    this.#codes.delete(form.get('code') ?? '')
    const claims = { ...this.#basics(), nonce: code.nonce, auth_time: this.seconds, ...script.claims, ...script.forgedClaims }
    return [
      200,
      {
        ...{ access_token: 'access', token_type: 'bearer', expires_in: 300, id_token: await this.sign(claims, {}, script.signature) },
        ...(script.givesRefreshToken ? { refresh_token: this.#newRefreshToken() } : {}),
      },
    ]
  }

  #newRefreshToken(): string {
    const token = randomUUID()
    this.#refreshTokens.add(token)
    return token
  }

  #basics(): Claims {
    return { iss: this.url, aud: CLIENT.id, iat: this.seconds, exp: this.seconds + 300 }
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
