import { beforeEach, describe, expect, it } from 'vitest'
import { getOwnerPages, saveOwnerPages } from '../../src/store/owners/owner-pages.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { type LoadedPage, Owner } from './kit/owner.ts'

const PUBLIC_URL = 'https://connect.example.com'
const ORIGINS = ['https://app.example.com', 'https://admin.example.com:8443']

const harness = openForTests(() => openConnectHarness({ publicUrl: PUBLIC_URL }))

beforeEach(async () => await allow(ORIGINS))

async function allow(frameOrigins: string[]): Promise<void> {
  const { database } = harness.deps
  const { logo: _logo, ...pages } = await getOwnerPages(database, harness.instanceId)
  await saveOwnerPages(database, harness.instanceId, { ...pages, frameOrigins })
}

/** Opens a link as a browser does in a frame, and returns the cookies that it would keep there. */
async function openFramed(address?: string): Promise<{ cookies: string[]; cookie: string; next: string }> {
  const { pathname, search } = new URL(address ?? (await harness.link('plaid')))
  const response = await fetch(`${harness.origin}${pathname}${search}`, { redirect: 'manual', headers: { 'sec-fetch-dest': 'iframe' } })
  const cookies = response.headers.getSetCookie()
  const cookie = cookies.map((each) => each.split(';', 1)[0]).join('; ')
  return { cookies, cookie, next: response.headers.get('location') ?? '' }
}

async function ask(
  path: string,
  cookie: string,
  dest: string,
): Promise<{ policy: string; options: string | null; status: number; text: string }> {
  const response = await fetch(`${harness.origin}${path}`, { redirect: 'manual', headers: { cookie, 'sec-fetch-dest': dest } })
  const { headers, status } = response
  return {
    policy: headers.get('content-security-policy') ?? '',
    options: headers.get('x-frame-options'),
    status,
    text: await response.text(),
  }
}

describe('the pages of a link in a frame', () => {
  it('name the instance’s origins, and nobody else’s', async () => {
    const { cookie, next } = await openFramed()
    expect(await ask(next, cookie, 'iframe')).toMatchObject({
      status: 200,
      policy: expect.stringContaining(`frame-ancestors ${ORIGINS.join(' ')};`),
      options: null,
    })
  })

  it('are for no frame while the instance lists no origin', async () => {
    await allow([])
    const { cookie, next } = await openFramed()
    expect(await ask(next, cookie, 'iframe')).toMatchObject({
      status: 200,
      policy: expect.stringContaining("frame-ancestors 'none';"),
      options: 'DENY',
    })
  })

  it('keep the headers of before at top level', async () => {
    const { cookie, next } = await openFramed()
    expect(await ask(next, cookie, 'document')).toMatchObject({
      policy: expect.stringContaining("frame-ancestors 'none';"),
      options: 'DENY',
    })
  })

  it('let nothing that is stored end the directive', async () => {
    await allow(['*', "'self'", 'https://a.example; script-src *', 'https://*.example.com', 'null'])
    const { cookie, next } = await openFramed()
    expect((await ask(next, cookie, 'iframe')).policy).toContain("frame-ancestors 'none';")
  })

  it('have cookies of their own, kept for this site within the other alone', async () => {
    const { cookies } = await openFramed()
    expect(cookies.map((each) => each.split('=', 1)[0])).toEqual(['__Host-frame'])
    expect(cookies[0]?.toLowerCase()).toMatch(
      /^(?=.*; path=\/)(?=.*; httponly)(?=.*; secure)(?=.*; samesite=none)(?=.*; partitioned)(?!.*domain)/,
    )
  })
})

describe('pages that are not the link’s', () => {
  it.each(['/connect', '/connect/nothing-here', '/connect/mine', '/connect/problem?kind=session', '/connect/accessibility'])(
    'are for no frame: %s',
    async (path) => {
      expect(await ask(path, '', 'iframe')).toMatchObject({ policy: expect.stringContaining("frame-ancestors 'none';"), options: 'DENY' })
    },
  )

  it('are those of a helper too', async () => {
    const { cookie, next } = await openFramed()
    const { database } = harness.deps
    const ids = (await database.query<{ id: string }>('select id from links order by created_at desc limit 1')).rows
    await database.query(
      `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at)
       select instance_id, gen_random_uuid(), '\\x00', company_id, service_id, issued_by, expires_at from links where id = $1`,
      [ids[0]?.id],
    )
    await database.query(`update links set parent_id = (select id from links where token_hash = '\\x00') where id = $1`, [ids[0]?.id])
    expect((await ask(next.replace('/consent', '/helping'), cookie, 'iframe')).policy).toContain("frame-ancestors 'none';")
  })
})

describe('the way out of a frame', () => {
  const IFRAME = { 'sec-fetch-dest': 'iframe' }

  /** The page of a frame whose form opens the source in a window. */
  async function framedStep(): Promise<LoadedPage> {
    const owner = new Owner(harness.origin, { publicUrl: PUBLIC_URL })
    const next = await owner.submit(await owner.get(await harness.link('quickbooks'), IFRAME), { choice: 'agree' }, IFRAME)
    return await owner.get(next.address, IFRAME)
  }

  /** Sends the form as a window does that has none of the frame's cookies. */
  async function leave(step: LoadedPage, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const window = new Owner(harness.origin, { publicUrl: PUBLIC_URL })
    const body = new URLSearchParams({ ...step.hiddenFields(), ...fields })
    const given = { origin: 'null', 'sec-fetch-site': 'same-origin', ...headers }
    const { status } = await window.ask(step.formAction(), { method: 'POST', body, headers: given })
    return { status, cookies: [...window.cookies.keys()], back: decodeURIComponent(window.cookies.get('__Host-return')?.value ?? '') }
  }

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin', { origin: 'https://app.example.com' }],
    ['a browser that does not say from where', { 'sec-fetch-site': '' }],
    ['nobody’s page', { 'sec-fetch-site': 'none' }],
    ['a frame', IFRAME],
  ])('is closed to a form sent by %s', async (_who, headers) => {
    expect(await leave(await framedStep(), {}, headers)).toEqual({ status: 403, cookies: [], back: '' })
  })

  it('is closed to the token of another link', async () => {
    const [one, other] = [await framedStep(), await framedStep()]
    expect(await leave(one, { token: other.hiddenFields().token ?? '' })).toMatchObject({ status: 403, cookies: [] })
  })

  it.each(['window', 'https://app.example.com/step?two=2#three'])('leads back to %s', async (back) => {
    expect(await leave(await framedStep(), { back })).toMatchObject({ back, cookies: expect.arrayContaining(['__Host-connect']) })
  })

  it.each([
    'https://evil.example/',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https://app.example.com:8443/',
    'http://app.example.com/',
    'blob:https://app.example.com/1',
    'javascript:1',
    `https://app.example.com/?${'/'.repeat(1_200)}`,
  ])('leads back to no other address: %s', async (back) => {
    expect((await leave(await framedStep(), { back })).back).toBe('')
  })
})
