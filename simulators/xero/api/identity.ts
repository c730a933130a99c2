import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Grant } from '../../kit/oauth/grants.ts'
import { LOGINS } from '../data/companies.ts'

/** Issuer of Xero's tokens, wherever the simulator listens. */
export const ISSUER = 'https://identity.xero.com'

const ID_TOKEN_S = 300
const KEY_ID = 'simulator'

/**
 * OpenID Connect: the discovery document, the key, and tokens that identify the user.
 * Source: https://identity.xero.com/.well-known/openid-configuration
 */
export class Identity {
  readonly #now: () => Date
  #keys: { privateKey: KeyObject; publicKey: KeyObject } | null = null

  constructor(now: () => Date) {
    this.#now = now
  }

  /** `address` is the simulator's base URL. */
  discovery(address: string): object {
    return {
      issuer: ISSUER,
      jwks_uri: `${address}/.well-known/openid-configuration/jwks`,
      authorization_endpoint: `${address}/identity/connect/authorize`,
      token_endpoint: `${address}/connect/token`,
      revocation_endpoint: `${address}/connect/revocation`,
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: ['public'],
      code_challenge_methods_supported: ['S256'],
    }
  }

  keySet(): object {
    return { keys: [{ ...this.#openKeys().publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] }
  }

  /** Issued for the scope `openid`. */
  toIdToken(grant: Grant, accessToken: string): string {
    const login = LOGINS.find(({ key }) => key === grant.login) ?? LOGINS[0]
    const nowS = Math.floor(this.#now().getTime() / 1000)
    const subject = subjectOf(grant.login)
    const claims = {
      ...{ nbf: nowS, exp: nowS + ID_TOKEN_S, iss: ISSUER, aud: grant.clientId, iat: nowS },
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
      ...{ sid: randomBytes(16).toString('hex'), sub: subject, auth_time: nowS, xero_userid: subject },
      ...{ preferred_username: login.email, email: login.email, name: login.person },
    }
    return this.#sign({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' }, claims)
  }

  #sign(header: object, claims: object): string {
    const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${text}.${sign('sha256', Buffer.from(text), this.#openKeys().privateKey).toString('base64url')}`
  }

  /** Generated on first use, since it takes a while; its tokens are only validated immediately. */
  #openKeys(): { privateKey: KeyObject; publicKey: KeyObject } {
    this.#keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    return this.#keys
  }
}

/** Xero's id of a user. */
export function subjectOf(login: string): string {
  return createHash('md5').update(login).digest('hex')
}
