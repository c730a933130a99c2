import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

interface Portal {
  call(path: string, request?: { method: 'DELETE' }): Promise<unknown>
  paginate(
    all: readonly number[],
    wanted: number,
    pageSize: number,
  ): { pageNumber: number; pageSize: number; total: number; data: number[] }
  isSignedIn(): boolean
  signIn(email: string, password: string): Promise<string | null>
  signOut(): Promise<void>
  isProofRequested(): boolean
  settleProof(isProven: boolean): void
}

/** Imported dynamically, since the portal uses browser types. */
const FILES = ['api/client.ts', 'parts/tables/paginate.ts', 'api/session.ts', 'api/proof.ts']
const loaded = await Promise.all(FILES.map((name) => import(new URL(`../../src/portal/${name}`, import.meta.url).href)))
const { call, paginate, isSignedIn, signIn, signOut, isProofRequested, settleProof }: Portal = Object.assign({}, ...loaded)

/** Requests of the browser: the path below the API's address, and the token. */
let asked: string[]
/** What the requests say about the browser's cache. */
let caching: unknown[]
/** Tokens that the server accepts. */
let good: string[]
/** Response to a token refresh: a token, or the status of a refusal. */
let renewal: string | number

const token = (name: string) => `${name}.${Buffer.from(JSON.stringify({ exp: Date.now() / 1_000 + 3_600 })).toString('base64url')}.x`
const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
const refusal = (status: number, more = {}) => json({ status, title: 'Refused', detail: 'Refused.', ...more }, status)

/** A server in place of the network. */
async function answer(url: string, init: RequestInit = {}): Promise<Response> {
  const path = url.replace('/admin/api/v1', '')
  const bearer = new Headers(init.headers).get('authorization')?.replace(/^Bearer (\w+).*/, '$1') ?? 'nobody'
  asked.push(`${path} ${bearer}`)
  caching.push(init.cache)
  if (path === '/auth/login') return json({ access_token: token('first'), twoStepVerify: false })
  if (path === '/auth/logout') return new Response(null, { status: 204 })
  if (path === '/auth/refresh') return typeof renewal === 'number' ? refusal(renewal) : json({ access_token: token(renewal) })
  if (init.method === 'DELETE') return refusal(403, { reason: 'proof-required' })
  return good.includes(bearer) ? json({ name: path }) : refusal(401)
}

beforeEach(async () => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
    get length() {
      return kept.size
    },
  })
  vi.stubGlobal('fetch', answer)
  asked = []
  caching = []
  good = ['first']
  renewal = 'second'
  await signIn('dev@example.com', 'violet-harbour-teapot-91')
  asked = []
})
afterEach(async () => {
  await signOut()
  vi.unstubAllGlobals()
})

describe('a call whose token the server no longer accepts', () => {
  it('is repeated once with a new one', async () => {
    good = ['second']
    expect(await call('/companies')).toEqual({ name: '/companies' })
    expect(asked).toEqual(['/companies first', '/auth/refresh nobody', '/companies second'])
  })

  it('is not repeated twice', async () => {
    good = []
    await expect(call('/companies')).rejects.toMatchObject({ status: 401 })
    expect(asked).toHaveLength(3)
  })

  it('shares the refresh with concurrent calls', async () => {
    good = ['second']
    await Promise.all(['/a', '/b', '/c'].map((path) => call(path)))
    expect(asked.filter((line) => line.startsWith('/auth/refresh'))).toHaveLength(1)
  })

  it('ends the session if there is no new one', async () => {
    good = []
    renewal = 401
    await expect(call('/companies')).rejects.toMatchObject({ status: 401 })
    expect(isSignedIn()).toBe(false)
  })

  it('keeps the session if the server cannot be reached for one', async () => {
    good = []
    renewal = 503
    await expect(call('/companies')).rejects.toMatchObject({ status: 503 })
    expect(isSignedIn()).toBe(true)
  })
})

it('stores no answer in the cache of the browser, a refreshed session included', async () => {
  good = ['second']
  caching = []
  await call('/companies')
  expect(caching).toEqual(['no-store', 'no-store', 'no-store'])
})

describe('a sign-out', () => {
  it('forgets the session here, also when the service cannot be told', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')))
    await expect(signOut()).rejects.toThrow()
    expect([isSignedIn(), localStorage.length]).toEqual([false, 0])
  })
})

describe('a change that waits for a proof', () => {
  it.each([
    ['is signed out', async () => await signOut()],
    [
      'has run out',
      async () => {
        good = []
        renewal = 401
        await call('/companies').catch(() => undefined)
      },
    ],
  ])('ends with the session that %s, and whoever signs in next does not confirm it', async (_what, end) => {
    const change = call('/users/1', { method: 'DELETE' }).catch((error: unknown) => error)
    await vi.waitFor(() => expect(isProofRequested()).toBe(true))
    await end()
    expect(isProofRequested()).toBe(false)
    await signIn('other@example.com', 'violet-harbour-teapot-91')
    settleProof(true)
    expect(await change).toMatchObject({ status: 403 })
    expect(asked.filter((line) => line.startsWith('/users/1'))).toEqual(['/users/1 first'])
  })
})

describe('a page of an unpaged list', () => {
  const all = Array.from({ length: 23 }, (_, index) => index)

  it.each([
    [1, 1, 0, 10],
    [3, 3, 20, 3],
    [4, 3, 20, 3],
    [0, 1, 0, 10],
    [-5, 1, 0, 10],
    [Number.NaN, 1, 0, 10],
    [2.9, 2, 10, 10],
  ])('number %s is page %s: a valid page is always shown', (wanted, pageNumber, first, count) => {
    const page = paginate(all, wanted, 10)
    expect([page.pageNumber, page.data[0], page.data.length, page.total]).toEqual([pageNumber, first, count, 23])
  })

  it('of an empty list is the first', () => {
    expect(paginate([], 7, 10)).toEqual({ pageNumber: 1, pageSize: 10, total: 0, data: [] })
  })
})
