import { fetchWatched } from './availability.ts'
import { Problem, toProblem } from './problem.ts'
import { askForProof } from './proof.ts'
import { API, currentToken, renew } from './session.ts'

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
}

/** Page of a list, with the total from `X-Total-Count`; `hasMore`: there are more than were counted. */
export interface Page<Item> {
  pageNumber: number
  pageSize: number
  data: Item[]
  total: number
  hasMore?: boolean
}

/** Calls an operation; `path` is relative to `/admin/api/v1`. Throws a `Problem`. */
export async function call<Answer>(path: string, request: ApiRequest = {}): Promise<Answer> {
  const answered = await sendAgain(path, request)
  if (!answered.ok) throw await toProblem(answered)
  if (answered.status === 204) return null as Answer
  const body = await answered.json()
  const total = answered.headers.get('x-total-count')
  if (total === null || Array.isArray(body)) return body
  // Record lists have their page numbers in `pagination`, all others at the top level.
  const { pagination = {}, ...list } = body
  return { ...list, ...pagination, total: Number(total), hasMore: answered.headers.get('x-total-count-relation') === 'gte' }
}

/** Saves the response of an operation as a file in the browser. Throws a `Problem`. */
export async function download(path: string, name: string): Promise<void> {
  const response = await send(path, {}, await currentToken())
  const answered = response.status === 401 ? await send(path, {}, await renew()) : response
  if (!answered.ok) throw await toProblem(answered)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answered.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

const MAX_ON_A_PAGE = 500

/** Path of the first page of a whole list. */
export function wholePath(path: string, query: Query = {}): string {
  return withQuery(path, { ...query, PageSize: MAX_ON_A_PAGE })
}

/**
 * All pages of a list as one. NOTE an item inserted between two requests may put another on two pages: use an order in
 * which new items come last.
 */
export async function callWhole<Item>(path: string, query: Query = {}): Promise<Page<Item>> {
  const whole = await call<Page<Item>>(wholePath(path, query))
  while (whole.hasMore || whole.data.length < whole.total) {
    const next = await call<Page<Item>>(wholePath(path, { ...query, PageNumber: ++whole.pageNumber }))
    if (next.data.length === 0) break
    whole.data.push(...next.data)
  }
  return { ...whole, pageNumber: 1 }
}

/** Sends a request, once more with a new token, and once more after a proof of who the user is, where that is what it lacked. */
async function sendAgain(path: string, request: ApiRequest): Promise<Response> {
  const response = await send(path, request, await currentToken())
  const answered = response.status === 401 ? await send(path, request, await renew()) : response
  if (answered.status !== 403 || (await toProblem(answered.clone())).reason !== 'proof-required') return answered
  return (await askForProof()) ? await send(path, request, await currentToken()) : answered
}

async function send(path: string, { method = 'GET', body }: ApiRequest, token: string | null): Promise<Response> {
  if (token === null) throw new Problem(401, 'The session is over.')
  const headers: Record<string, string> = { accept: '*/*', authorization: `Bearer ${token}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  return await fetchWatched(`${API}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }).catch(
    (error) => {
      throw new Problem(0, String(error))
    },
  )
}

/** The request as a curl command. */
export function toCurl(path: string, { method = 'GET', body }: ApiRequest = {}): string {
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    quote(`${location.origin}${API}${path}`),
    '-H "authorization: Bearer $TOKEN"',
  ]
  if (body !== undefined) parts.push("-H 'content-type: application/json'", '-d', quote(JSON.stringify(body)))
  return parts.join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export type Query = Record<string, string | number | boolean | null | undefined>

/** Path with the query parameters that have a value. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
