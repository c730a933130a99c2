import { timingSafeEqual } from 'node:crypto'
import { type Access, hashesOfSecret, hashSecret } from '../access.ts'

/**
 * What a browser carries from the beginning of a sign-in to its end, in a signed cookie: nothing is stored, and an answer
 * counts only in the browser that asked for it.
 */
export interface SignInState {
  instanceId: string
  /** Version of the settings at the beginning. */
  version: string
  state: string
  nonce: string
  /** PKCE verifier. */
  verifier: string
  /** Path of the portal to return to. */
  returnTo: string
  /** Whether the provider has to ask the person again, however recently it did. */
  isFresh: boolean
  begunAtMs: number
  /** Hashes (base64url) of the refresh token of the session that the browser has; empty: it has none. */
  replaces: string[]
}

const MAX_AGE_MS = 600_000
const MAX_COOKIE = 3_500
const PURPOSE = 'sign-in state'

export function signState(access: Pick<Access, 'hashes'>, state: SignInState): string {
  const text = Buffer.from(JSON.stringify(state)).toString('base64url')
  return `${text}.${Buffer.from(hashSecret(access, PURPOSE, text)).toString('base64url')}`
}

/** Null for a cookie that is missing, changed, or older than ten minutes. */
export function readState(access: Pick<Access, 'hashes' | 'now'>, cookie: string | undefined): SignInState | null {
  const [text = '', signature = ''] = cookie === undefined || cookie.length > MAX_COOKIE ? [] : cookie.split('.')
  const given = Buffer.from(signature, 'base64url')
  const isOurs = hashesOfSecret(access, PURPOSE, text).some((hash) => hash.length === given.length && timingSafeEqual(hash, given))
  if (!isOurs) return null
  const state: SignInState = JSON.parse(Buffer.from(text, 'base64url').toString())
  const ageMs = access.now().getTime() - state.begunAtMs
  return ageMs >= 0 && ageMs <= MAX_AGE_MS ? state : null
}

const PATH = /^\/portal(\/[\w\-./?=&%~:+,]*)?$/

/** A path of the portal from a request, or the portal's first page. */
export function toReturnPath(given: string | undefined): string {
  return given !== undefined && given.length <= 1_000 && PATH.test(given) ? given : '/portal/'
}
