import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { waveConnector } from '../../../src/connectors/wave/client.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import { accountsPull, complete, connect, consent, DENTIST, type Harness, openHarness, refresh, SECRET, SHOP, start } from './harness.ts'

const HOUR_MS = 3_600_000
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
  test('the owner signs in, picks a business and comes back with a grant for it', async () => {
    const at = await newHarness()
    expect(await connect(at, { login: 'priya', businessId: DENTIST })).toMatchObject({
      entity: { id: DENTIST, name: 'Bow Valley Dental' },
      email: 'priya@raman-cpa.example',
      credentials: { expiresAt: '2026-07-01T13:58:00.000Z' },
    })
  })

  test('the state comes back as it was given', async () => {
    expect((await consent(await newHarness())).query).toMatchObject({ state: 'state-1' })
  })

  test('an owner who refuses gives no grant', async () => {
    const at = await newHarness()
    const back = await consent(at, { decision: 'deny' })
    expect(back.query).toEqual({ error: 'access_denied', state: 'state-1' })
    expect((await failureOf(complete(at, back))).kind).toBe('reconnect')
  })

  test('a code is good for one exchange only', async () => {
    const at = await newHarness()
    const back = await consent(at)
    await complete(at, back)
    expect(await failureOf(complete(at, back))).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
  })

  test('a code that another browser began is refused: its verifier is not ours', async () => {
    const at = await newHarness()
    const theirs = await consent(at)
    const { memo } = await consent(at)
    expect((await failureOf(complete(at, { ...theirs, memo }))).kind).toBe('reconnect')
  })

  test('a callback without a code is refused without a call', async () => {
    const at = await newHarness()
    const { memo } = await consent(at)
    const calls = at.simulator.listRequests().length
    expect((await failureOf(complete(at, { query: { state: 'state-1' }, memo }))).kind).toBe('badData')
    expect(at.simulator.listRequests()).toHaveLength(calls)
  })

  test('a sign-in without a business is told so, in both languages', async () => {
    const at = await newHarness()
    const refusal = await complete(at, await consent(at, { login: 'sam' })).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InputRefused)
    expect(refusal).toMatchObject({ text: { en: expect.stringContaining('Pro plan'), 'fr-CA': expect.stringContaining('forfait Pro') } })
  })

  test('a token that opens no business any more is told the same way', async () => {
    const at = await newHarness()
    const back = await consent(at)
    at.simulator.fault('noBusiness')
    expect(await complete(at, back).catch((error: unknown) => error)).toBeInstanceOf(InputRefused)
  })

  test('the business that was really shared is the one that is named', async () => {
    const at = await newHarness()
    at.simulator.fault('wrongEntity')
    expect((await connect(at, { login: 'priya', businessId: DENTIST })).entity.id).toBe(SHOP)
  })

  test('a token for all businesses gives a grant for each that is not archived', async () => {
    const at = await newHarness({ picksBusiness: false })
    const names = async (login: string) => (await complete(at, await consent(at, { login }))).map(({ entity }) => entity.name)
    expect([await names('priya'), await names('elodie')]).toEqual([
      ['Bow Valley Dental', 'Boutique Érable & Lin'],
      ['Boutique Érable & Lin'],
    ])
  })

  test('a repair asks Wave for the business of before, and names it among several', async () => {
    const at = await newHarness({ picksBusiness: false })
    const [, second] = await complete(at, await consent(at, { login: 'priya' }))
    if (!second) throw new Error('no second grant')
    expect(new URL((await start(at, second.credentials)).url).searchParams.get('businessId')).toBe(SHOP)
    const back = await consent(at, { login: 'priya', reconnect: second.credentials })
    expect((await complete(at, back, second.credentials)).map(({ entity }) => entity.id)).toEqual([SHOP])
  })
})

describe('refreshing', () => {
  test('an access token that has ended is replaced and the new one works', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.moveTime(2 * HOUR_MS + 1000)
    expect((await failureOf(accountsPull().fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect((await accountsPull().fetch(sessionOf(at, { ...grant, credentials }), null)).next).toBeNull()
  })

  test('each refresh gives a new pair, and the refresh token of before is dead', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const second = await refresh(at, credentials)
    await refresh(at, second)
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test.each([
    ['revoked', 'reconnect'],
    ['lapsed', 'reconnect'],
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

  test('after a rotated token was lost on the way only a reconnect helps', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    at.simulator.fault('lostRefresh')
    await failureOf(refresh(at, credentials))
    expect((await failureOf(refresh(at, credentials))).kind).toBe('reconnect')
  })

  test('a refused app key is told as the operator’s to mend', async () => {
    const at = await newHarness()
    const { credentials } = await connect(at)
    const kit = { ...at.kit, app: { clientId: 'app', clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, credentials))
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('clientSecret') })
  })

  test('what was authorized before the simulator’s restart still is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wave-'))
    const stateFile = join(folder, 'wave.json')
    const before = await openHarness({ stateFile })
    const grant = await connect(before)
    await before.close()
    const after = await newHarness({ stateFile })
    expect((await accountsPull().fetch(sessionOf(after, grant), null)).next).toBeNull()
    await rm(folder, { recursive: true })
  })
})

describe('leaving', () => {
  test('a disconnect ends the authorization at the source', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    await waveConnector.disconnect?.(at.kit, grant.credentials)
    expect((await failureOf(accountsPull().fetch(sessionOf(at, grant), null))).kind).toBe('reconnect')
  })

  test('a disconnect of what the owner has already ended is no failure', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    at.simulator.revoke('elodie')
    expect(await waveConnector.disconnect?.(at.kit, grant.credentials)).toBeUndefined()
  })
})

describe('secrets', () => {
  function leaksOf(shown: string, secret: unknown): string[] {
    const { accessToken, refreshToken } = { accessToken: 'none', refreshToken: 'none', ...Object(secret) }
    return [accessToken, refreshToken, SECRET].filter((each) => shown.includes(each))
  }

  test.each(['revoked', 'lapsed', 'invalidClient', 'tokenUnavailable', 'tokenHtml', 'lostRefresh'])(
    'no error of a refresh shows a token or key: %s',
    async (fault) => {
      const at = await newHarness()
      const { credentials } = await connect(at)
      at.simulator.fault(fault)
      expect(leaksOf(inspect(await failureOf(refresh(at, credentials)), { depth: 10 }), credentials.secret)).toEqual([])
    },
  )

  test.each(['unauthorized', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'partial'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at)
      at.simulator.fault(fault)
      const failure = await failureOf(accountsPull().fetch(sessionOf(at, grant), null))
      expect(leaksOf(inspect(failure, { depth: 10 }), grant.credentials.secret)).toEqual([])
    },
  )
})

test('the consent page speaks French to a French browser', async () => {
  const at = await newHarness()
  const page = await request((await start(at)).url, { headers: { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' } })
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*Boutique Érable &amp; Lin[\s\S]*>Autoriser<\/button>/)
})
