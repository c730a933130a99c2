import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { HOUR_MS } from '../contract/limits.ts'
import { isJsonObject, responseJson } from '../toolkit/http/answers.ts'
import { basicAuthorization, throwForStatus } from '../toolkit/http/status-failures.ts'
import { secretReader } from '../toolkit/values/wire-schemas.ts'
import { AccountSet } from './wire.ts'

const TIMEOUT_MS = 120_000
const MAX_BYTES = 64 * 1024 * 1024
/** Wait after a 429: requests are counted by the day. */
const WAIT_MS = 6 * HOUR_MS

const Secret = Type.Object({
  /** Access URL without its user and password; no trailing slash. */
  base: Type.String(),
  user: Type.String(),
  password: Type.String(),
  entityId: Type.String(),
  /** Account marks at the time of the claim: one text of lines, since each text is kept out of logs. */
  marks: Type.String(),
})
export type SimplefinSecret = Static<typeof Secret>

export const readSecret = secretReader(Secret, 'SimpleFIN')

/**
 * Whether an address may be requested: https only. A simulator, or a server that the operator runs, is listed in the
 * hosts and may use http; private addresses are refused by egress.
 */
export function isSecure(kit: Pick<Kit, 'hosts'>, url: URL): boolean {
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && url.origin === new URL(kit.hosts.bridge ?? 'https://bridge.invalid').origin)
  )
}

/** GET /accounts. The errors in the response are evaluated before any other field. */
export async function askAccounts(
  kit: Kit,
  secret: Pick<SimplefinSecret, 'base' | 'user' | 'password'>,
  query: Record<string, string>,
): Promise<{ body: Uint8Array; set: AccountSet; isWhole: boolean }> {
  if (!isSecure(kit, new URL(secret.base))) throw new SourceError('reconnect', 'SimpleFIN: the access URL is not secure')
  const response = await kit.http({
    url: `${secret.base}/accounts?${new URLSearchParams(query)}`,
    headers: { accept: 'application/json', authorization: basicAuthorization(secret.user, secret.password) },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  // Owner's subscription at the server has ended.
  if (response.status === 402) throw new SourceError('reconnect', 'SimpleFIN answered with 402: payment required')
  throwForStatus(kit, response, { source: 'SimpleFIN', what: 'the accounts', waitMs: WAIT_MS })
  const set = toAccountSet(await responseJson(response, 'SimpleFIN accounts'))
  const { errors, tooOften, forOwner } = await countErrors(set)
  if (tooOften > 0) throw new SourceError('rateLimited', 'SimpleFIN: too many requests today', { retryAfterMs: WAIT_MS })
  // Never the texts themselves: they are written for people and may contain anything.
  if (forOwner > 0) throw new SourceError('reconnect', `SimpleFIN: ${forOwner} of ${errors} errors ask the owner to act`)
  return { body: response.body, set, isWhole: errors === 0 }
}

export function toAccountSet(answer: Json): AccountSet {
  if (!Check(AccountSet, answer)) throw new SourceError('badData', 'SimpleFIN: the answer is no account set')
  return answer
}

/** Error sentences and codes of the Bridge that only the owner can resolve. */
const OWNER = /\bauth|re-?auth|attention|log ?in|sign ?in|credential|password|\bmfa\b|verif|expired|revoked|reconnect|consent/i
const TOO_OFTEN = /rate.?limit|too many requests|request limit|quota/i

async function countErrors(set: AccountSet): Promise<{ errors: number; tooOften: number; forOwner: number }> {
  const counts = { errors: 0, tooOften: 0, forOwner: 0 }
  for await (const texts of slicesOf(errorTexts(set))) {
    counts.errors += texts.length
    counts.tooOften += texts.filter((text) => TOO_OFTEN.test(text)).length
    counts.forOwner += texts.filter((text) => OWNER.test(text)).length
  }
  return counts
}

/** Error texts: version 1 has sentences, version 2 objects with a code and a sentence. */
function* errorTexts({ errors, errlist }: AccountSet): Generator<string, void> {
  for (const list of [errors ?? [], errlist ?? []]) {
    for (const error of list) yield isJsonObject(error) ? `${String(error.code ?? '')} ${String(error.msg ?? '')}` : String(error)
  }
}

/**
 * Account id, combined with its organization's domain since it is unique within the organization only. Null when there
 * is no id.
 */
export function toAccountId(account: unknown): string | null {
  if (!isJsonObject(account) || typeof account.id !== 'string' || account.id === '') return null
  const org = isJsonObject(account.org) ? account.org : {}
  const place = [org.domain, org.id, org.name, org['sfin-url']].find((word) => typeof word === 'string' && word !== '')
  return place === undefined ? account.id : `${String(place)}/${account.id}`
}

/**
 * Marks that distinguish this account from those of other owners: its id and, in case the bank is added again, its name
 * with the number's ending in it.
 */
export function marksOf(account: unknown): string[] {
  const id = toAccountId(account)
  if (id === null || !isJsonObject(account)) return []
  const place = id.slice(0, id.length - String(account.id).length)
  return typeof account.name === 'string' && /\d{4}/.test(account.name) ? [id, `${place} ${account.name}`] : [id]
}
