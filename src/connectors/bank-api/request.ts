import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { throwForStatus } from '../toolkit/http/status-failures.ts'
import { fill, partsOf, valueAt } from './pointers.ts'
import type { Profile } from './profile.ts'
import { authorizationOf, valuesOf } from './tokens.ts'
import type { SecretWire } from './wire.ts'

/** Wait after a 429 without Retry-After. */
const THROTTLE_WAIT_MS = 60_000
const PAGE_BYTES = 25 * 1024 * 1024

export interface Caller {
  profile: Profile
  kit: Kit
  secret: SecretWire
}

/** Parsed response of the API. `missing` returns null for 404. Throws `SourceError` with statuses and codes only. */
export async function ask(caller: Caller, url: string, what: string): Promise<{ response: HttpResponse; body: Json }> {
  const response = await get(caller, url)
  refuse(caller, response, what)
  return { response, body: await responseJson(response, what) }
}

export async function askForOne(caller: Caller, url: string, what: string): Promise<{ response: HttpResponse; body: Json } | null> {
  const response = await get(caller, url)
  if (response.status === 404) return null
  refuse(caller, response, what)
  return { response, body: await responseJson(response, what) }
}

async function get({ profile, kit, secret }: Caller, url: string): Promise<HttpResponse> {
  const values = valuesOf(kit, secret)
  const more = Object.entries(profile.headers ?? {}).map(([name, template]) => [name.toLowerCase(), fill(template, values)])
  return await kit.http({
    url,
    headers: { accept: 'application/json', ...Object.fromEntries(more), ...authorizationOf(profile, kit, secret) },
    maxBytes: PAGE_BYTES,
  })
}

function refuse({ profile, kit }: Caller, response: HttpResponse, what: string): void {
  const { failures } = profile
  const code = failures ? codeOf(response, failures.code) : ''
  if (code !== '' && failures) {
    const told = `${profile.name} answered ${what} with ${response.status} (${code})`
    if (failures.rateLimited?.includes(code)) throw new SourceError('rateLimited', told, { retryAfterMs: THROTTLE_WAIT_MS })
    if (failures.reconnect?.includes(code)) throw new SourceError('reconnect', told)
    if (failures.unavailable?.includes(code)) throw new SourceError('unavailable', told)
  }
  throwForStatus(kit, response, { source: profile.name, what, code, waitMs: THROTTLE_WAIT_MS })
}

/** Error code, if short: never a sentence, which could quote names and numbers. */
function codeOf(response: HttpResponse, pointer: string): string {
  if (response.body.length > 64 * 1024) return ''
  try {
    const value = valueAt(JSON.parse(new TextDecoder().decode(response.body)), partsOf(pointer))
    return /^[A-Za-z][A-Za-z0-9_.-]{0,39}$/.exec(String(value ?? ''))?.[0] ?? ''
  } catch (error) {
    if (error instanceof SyntaxError) return ''
    throw error
  }
}
