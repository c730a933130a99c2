import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getOwnerPages, saveOwnerPages } from '../../src/store/owners/owner-pages.ts'
import { type ConnectHarness, openConnectHarness } from './kit/harness.ts'

const PUBLIC_URL = 'https://connect.example.com'
const ORIGINS = ['https://app.example.com', 'https://admin.example.com:8443']

let harness: ConnectHarness

beforeAll(async () => {
  harness = await openConnectHarness({ publicUrl: PUBLIC_URL })
})
afterAll(async () => await harness.close())
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
