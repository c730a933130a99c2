import { Compile } from 'typebox/compile'
import { slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { hasErrors, toSourceError } from './errors.ts'
import { listRows, rowUrl } from './rows.ts'
import { CompanyWire, UserWire } from './wire.ts'

/** Maximum page size of FreeAgent. Source: https://dev.freeagent.com/docs/introduction#pagination */
const ROWS = 100

/** Maximum response size: all categories are in one response, 20,000 of them are about 6 MB. */
const MAX_BYTES = 32 * 1024 * 1024

/** Maximum readings of a list that changed during pagination before the run fails. */
const MAX_READINGS = 3

const isCompany = Compile(CompanyWire)
const isUser = Compile(UserWire)

export interface Call {
  accessToken: string
  /** Path below /v2/, with its query. */
  path: string
  what: string
}

export interface Answer {
  bytes: Uint8Array
  body: Json
  headers: Record<string, string>
}

/** Person who authorized and company of the token; null when there is none. */
interface Identity {
  email: string | null
  /** Permission level from 0, no access, to 8, full; null when FreeAgent sends none. */
  level: number | null
  company: { id: string; name: string } | null
}

export async function getAnswer(kit: Kit, call: Call): Promise<Answer> {
  return await read(kit, call, await send(kit, call))
}

/**
 * Identity of the signed-in person, and the company of the token.
 * Source: https://dev.freeagent.com/docs/company and …/users
 */
export async function readIdentity(kit: Kit, accessToken: string): Promise<Identity> {
  const call = { accessToken, path: 'company', what: 'the company' }
  const response = await send(kit, call)
  if (response.status === 404) return { email: null, level: null, company: null }
  const { company } = readCompany((await read(kit, call, response)).body)
  const id = String(company.id ?? company.subdomain ?? '')
  if (id === '') throw new SourceError('badData', 'FreeAgent answered a company without an id')
  const { body } = await getAnswer(kit, { accessToken, path: 'users/me', what: 'the user' })
  const user = isUser.Check(body) ? body.user : null
  return { email: user?.email ?? null, level: user?.permission_level ?? null, company: { id, name: company.name ?? '' } }
}

/** Company; any other value throws `badData`. */
export function readCompany(body: Json): CompanyWire {
  if (!isCompany.Check(body)) throw new SourceError('badData', 'FreeAgent answered without the company')
  return body
}

/**
 * All pages of a list, in order; null when it has more than `mostRows` rows. Pages are numbered, so an added or removed
 * row shifts all others: when fewer distinct rows were read than `X-Total-Count` announces, or a page before the last
 * is empty, the list is read again.
 */
export async function listPages(kit: Kit, call: Call, key: string, mostRows = Number.POSITIVE_INFINITY): Promise<Uint8Array[] | null> {
  for (let reading = 1; reading <= MAX_READINGS; reading++) {
    const pages = await readPages(kit, call, key, mostRows)
    if (pages === 'tooMany') return null
    if (pages !== 'moved') return pages
  }
  throw new SourceError('badData', `${call.what}: the list moved while it was read, ${MAX_READINGS} times`)
}

async function readPages(kit: Kit, call: Call, key: string, mostRows: number): Promise<Uint8Array[] | 'moved' | 'tooMany'> {
  const pages: Uint8Array[] = []
  const urls = new Set<string>()
  let unnamed = 0
  for (let page = 1; ; page++) {
    const separator = call.path.includes('?') ? '&' : '?'
    const { bytes, body, headers } = await getAnswer(kit, { ...call, path: `${call.path}${separator}page=${page}&per_page=${ROWS}` })
    const rows = listRows(body, key)
    const total = /^\d{1,9}$/.test(headers['x-total-count'] ?? '') ? Number(headers['x-total-count']) : null
    if (total !== null && total > mostRows) return 'tooMany'
    const known = urls.size
    for await (const slice of slicesOf(rows)) {
      for (const url of slice.map(rowUrl)) {
        if (url === null) unnamed += 1
        else urls.add(url)
      }
    }
    pages.push(bytes)
    const hasNext = headers.link === undefined ? rows.length === ROWS : /\brel=["']?next\b/.test(headers.link)
    if (!hasNext) return total !== null && urls.size + unnamed < total ? 'moved' : pages
    if (urls.size === known) return 'moved'
  }
}

/** FreeAgent requires a `User-Agent`, which the kit sends. */
async function send(kit: Kit, call: Call): Promise<HttpResponse> {
  return await kit.http({
    url: `${kit.hosts.api}/v2/${call.path}`,
    headers: { accept: 'application/json', authorization: `Bearer ${call.accessToken}` },
    maxBytes: MAX_BYTES,
  })
}

async function read(kit: Kit, call: Call, response: HttpResponse): Promise<Answer> {
  if (response.status !== 200) throw toSourceError(response, call.what, kit.now())
  const body = await responseJson(response, call.what)
  if (hasErrors(body)) throw toSourceError(response, call.what, kit.now())
  return { bytes: response.body, body, headers: response.headers }
}
