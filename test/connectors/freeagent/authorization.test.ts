import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { freeagentConnector } from '../../../src/connectors/freeagent/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { complete, connect, consent, DESIGNER, type Harness, JOINER, openHarness, pullNamed, refresh, SECRET, start } from './harness.ts'

const HOUR_MS = 3_600_000
const accounts = pullNamed('accounts')
const harnesses: Harness[] = []

async function newHarness(options: Parameters<typeof openHarness>[0] = {}): Promise<Harness> {
  const made = await openHarness(options)
  harnesses.push(made)
  return made
}

afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((each) => each.close()))
})

describe('connecting', () => {
  test('the owner signs in, allows the access and comes back with a grant for the company', async () => {
    const at = await newHarness()
    expect(await connect(at)).toMatchObject({
      entity: { id: DESIGNER, name: 'Harbour Lane Design Ltd' },
      email: 'fiona@harbourlane.example',
      credentials: { expiresAt: '2026-07-01T12:58:00.000Z' },
    })
  })

  test('the state comes back as it was given', async () => {
    expect(await consent(await newHarness())).toMatchObject({ state: 'state-1' })
  })

  test('an owner who refuses gives no grant', async () => {
    const at = await newHarness()
    const query = await consent(at, 'fiona', 'deny')
    expect(query).toEqual({ error: 'access_denied', state: 'state-1' })
    expect((await failureOf(complete(at, query))).kind).toBe('reconnect')
  })

  test('a code is good for one exchange only, and for 15 minutes', async () => {
    const at = await newHarness()
    const query = await consent(at)
    await complete(at, query)
    expect(await failureOf(complete(at, query))).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
    const late = await consent(at)
    at.moveTime(HOUR_MS / 4 + 1000)
    expect((await failureOf(complete(at, late))).kind).toBe('reconnect')
  })

  test('a callback without a code is refused without a call', async () => {
    const at = await newHarness()
    expect((await failureOf(complete(at, { state: 'state-1' }))).kind).toBe('badData')
    expect(at.simulator.listRequests()).toEqual([])
  })

  test('a sign-in without a company is told so, in both languages', async () => {
    const at = await newHarness()
    const refusal = await complete(at, await consent(at, 'sam')).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InputRefused)
    expect(refusal).toMatchObject({
      text: { en: expect.stringContaining('no company'), 'fr-CA': expect.stringContaining('aucune entreprise') },
    })
  })

  test('a person who may not see the accounts is told which access level it takes', async () => {
    const at = await newHarness()
    const query = await consent(at)
    at.simulator.fault('lowLevel')
    expect(await complete(at, query).catch((error: unknown) => error)).toMatchObject({
      name: 'InputRefused',
      text: { en: expect.stringContaining('Tax, Accounting & Users') },
    })
  })

  test('the company that was really connected is the one that is named', async () => {
    const at = await newHarness()
    at.simulator.fault('wrongEntity')
    expect((await connect(at)).entity.id).toBe(JOINER)
  })
})

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.moveTime(HOUR_MS + 1000)
    expect((await failureOf(accounts.fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect((await accounts.fetch(sessionOf(at, { ...grant, credentials }), null)).next).toBeNull()
  })

  test('the new refresh token is kept', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    await refresh(at, await refresh(at, credentials))
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a refresh token is good for years', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.moveTime(5 * 365 * 24 * HOUR_MS)
    expect((await refresh(at, credentials)).expiresAt).toMatch(/^2031-/)
  })

  test.each([
    ['revoked', 'reconnect'],
    ['invalidClient', 'unavailable'],
    ['tokenUnavailable', 'unavailable'],
    ['lostRefresh', 'unavailable'],
    ['tokenThrottled', 'rateLimited'],
    ['tokenHtml', 'badData'],
  ])('%s during a refresh is %s', async (fault, kind) => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.simulator.fault(fault)
    expect((await failureOf(refresh(at, credentials))).kind).toBe(kind)
  })

  test('the sixteenth refresh within a minute waits for the next minute', async () => {
    const at = await newHarness()
    let { credentials } = await connect(at)
    for (let count = 1; count <= 15; count++) credentials = await refresh(at, credentials)
    expect(await failureOf(refresh(at, credentials))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 60_000 })
  })

  test('a refused app key is told as the operator’s to mend', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const kit = { ...at.kit, app: { clientId: 'app', clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, credentials))
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('clientSecret') })
  })

  test('what was authorized before the simulator’s restart still is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'freeagent-'))
    const stateFile = join(folder, 'freeagent.json')
    const before = await openHarness({ stateFile })
    const grant = await connect(before)
    await before.close()
    const after = await newHarness({ stateFile })
    expect((await accounts.fetch(sessionOf(after, grant), null)).next).toBeNull()
    await rm(folder, { recursive: true })
  })
})

test('FreeAgent has no call that ends an authorization, so there is none to make', () => {
  expect(freeagentConnector.disconnect).toBeUndefined()
})

describe('secrets', () => {
  function leaksOf(shown: string, secret: unknown): string[] {
    const { accessToken, refreshToken } = { accessToken: 'none', refreshToken: 'none', ...Object(secret) }
    return [accessToken, refreshToken, SECRET, Buffer.from(`app:${SECRET}`).toString('base64')].filter((each) => shown.includes(each))
  }

  test.each(['revoked', 'invalidClient', 'tokenUnavailable', 'tokenHtml', 'lostRefresh'])(
    'no error of a refresh shows a token or key: %s',
    async (fault) => {
      const at = await newHarness()
      const { credentials } = await connect(at)
      at.simulator.fault(fault)
      expect(leaksOf(inspect(await failureOf(refresh(at, credentials)), { depth: 10 }), credentials.secret)).toEqual([])
    },
  )

  test.each(['unauthorized', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'errorBody'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at)
      at.simulator.fault(fault)
      const failure = await failureOf(accounts.fetch(sessionOf(at, grant), null))
      expect(leaksOf(inspect(failure, { depth: 10 }), grant.credentials.secret)).toEqual([])
    },
  )
})

test('the consent page speaks French to a French browser', async () => {
  const at = await newHarness()
  const page = await request((await start(at)).url, { headers: { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' } })
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*>Autoriser<\/button>/)
})
