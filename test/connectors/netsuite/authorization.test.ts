import { inspect } from 'node:util'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { netsuite } from '../../../src/connectors/netsuite/index.ts'
import { failureOf, sessionOf } from '../../harness/connector-calls.ts'
import {
  CALLBACK,
  CASCADE,
  complete,
  connect,
  consent,
  type Harness,
  openHarness,
  pullNamed,
  RIDEAU,
  redirectStep,
  refresh,
  SECRET,
  STATE,
} from './harness.ts'

const harnesses: Harness[] = []

async function newHarness(options: Parameters<typeof openHarness>[0] = {}): Promise<Harness> {
  const made = await openHarness(options)
  harnesses.push(made)
  return made
}

afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((each) => each.close()))
})

function startRequest(more: object = {}) {
  return { callbackUrl: CALLBACK, state: STATE, locale: 'en', webhookUrl: CALLBACK, companyId: 'c', ...more } as const
}

describe('connecting', () => {
  test('the owner signs in, picks account and role and comes back with a grant for that account', async () => {
    expect(await connect(await newHarness())).toMatchObject({
      entity: { id: CASCADE, name: 'Cascade Outfitters, Inc.' },
      credentials: { expiresAt: '2026-07-01T12:58:00.000Z', secret: { accountId: CASCADE } },
    })
  })

  test('an account without subsidiaries is named by its id', async () => {
    expect((await connect(await newHarness(), 'noor', '2468013/controller')).entity).toEqual({ id: RIDEAU, name: `NetSuite ${RIDEAU}` })
  })

  test('a sandbox account keeps its own id', async () => {
    expect((await connect(await newHarness(), 'noor', '7654321_SB1/controller')).entity.id).toBe('7654321_SB1')
  })

  test('a client with a secret connects as well', async () => {
    expect((await connect(await newHarness({ hasSecret: true }))).entity.id).toBe(CASCADE)
  })

  test('an owner who is not known yet is sent where every account can sign in, a known one to the own account', async () => {
    const at = await newHarness()
    const kit = { ...at.kit, hosts: netsuite.hosts }
    const { credentials } = await connect(at, 'noor', '7654321_SB1/controller')
    const first = await redirectStep().start(kit, startRequest())
    const repair = await redirectStep().start(kit, startRequest({ reconnect: credentials }))
    expect([new URL(first.url).host, new URL(repair.url).host]).toEqual(['system.netsuite.com', '7654321-sb1.app.netsuite.com'])
  })

  test('the code goes to the host of the account that came back, and nowhere else', async () => {
    const at = await newHarness()
    const asked: string[] = []
    const kit = {
      ...at.kit,
      hosts: netsuite.hosts,
      http: async (call: { url: string }) => {
        asked.push(new URL(call.url).host)
        return { status: 400, headers: {}, body: Buffer.from('{"error":"invalid_grant"}') }
      },
    }
    const agreed = await consent(at)
    await failureOf(complete({ ...at, kit }, { ...agreed, query: { ...agreed.query, company: '7654321_SB1' } }))
    expect(asked).toEqual(['7654321-sb1.suitetalk.api.netsuite.com'])
  })

  test('a role that does not see the chart is told to the owner in both languages', async () => {
    const at = await newHarness()
    const outcome = await complete(at, await consent(at, 'sam', '2468013/employee')).catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(InputRefused)
    expect(outcome).toMatchObject({ text: { en: expect.stringMatching(/role/), 'fr-CA': expect.stringMatching(/rôle/) } })
  })

  test('an owner who denies gives no grant', async () => {
    const at = await newHarness()
    const denied = await consent(at, 'harper', '7654321/reader', 'cancel')
    expect(denied.query).toEqual({ error: 'access_denied', state: STATE })
    expect((await failureOf(complete(at, denied))).kind).toBe('reconnect')
  })

  test('a code is good for one exchange only', async () => {
    const at = await newHarness()
    const agreed = await consent(at)
    await complete(at, agreed)
    expect(await failureOf(complete(at, agreed))).toMatchObject({ kind: 'reconnect', message: expect.stringContaining('invalid_grant') })
  })

  test('a code is worth nothing with the verifier of another authorization', async () => {
    const at = await newHarness()
    const [one, other] = [await consent(at), await consent(at)]
    expect((await failureOf(complete(at, { query: one.query, memo: other.memo }))).kind).toBe('reconnect')
  })

  test('an account that was written into the callback by hand is not believed', async () => {
    const at = await newHarness()
    const agreed = await consent(at)
    expect((await failureOf(complete(at, { ...agreed, query: { ...agreed.query, company: RIDEAU } }))).kind).toBe('reconnect')
  })

  test('an account that the source itself names wrongly is not believed', async () => {
    const at = await newHarness()
    at.simulator.fault('wrongEntity')
    expect((await failureOf(complete(at, await consent(at)))).kind).toBe('reconnect')
  })

  test.each([{ company: 'evil.example/x?' }, { company: 'a.b' }, { company: '' }, { code: '' }])(
    'a callback with %j is refused without a call',
    async (wrong) => {
      const at = await newHarness()
      const agreed = await consent(at)
      const calls = at.simulator.listRequests().length
      expect((await failureOf(complete(at, { ...agreed, query: { ...agreed.query, ...wrong } }))).kind).toBe('badData')
      expect(at.simulator.listRequests()).toHaveLength(calls)
    },
  )
})

describe('secrets', () => {
  test.each(['revoked', 'invalidClient', 'tokenUnavailable', 'tokenHtml', 'lostRefresh'])(
    'no error of a refresh shows a token or key: %s',
    async (fault) => {
      const at = await newHarness({ hasSecret: true })
      const { credentials } = await connect(at)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(refresh(at, credentials)), { depth: 10 })
      const { accessToken, refreshToken } = { accessToken: '', refreshToken: '', ...Object(credentials.secret) }
      const basic = Buffer.from(`confidential:${SECRET}`).toString('base64')
      expect([accessToken, refreshToken, SECRET, basic].filter((secret) => shown.includes(secret))).toEqual([])
    },
  )

  test.each(['unauthorized', 'throttle', 'unavailable', 'html', 'truncated', 'empty', 'badQuery'])(
    'no error of a pull shows a token: %s',
    async (fault) => {
      const at = await newHarness()
      const grant = await connect(at)
      at.simulator.fault(fault)
      const shown = inspect(await failureOf(pullNamed('accounts').fetch(sessionOf(at, grant), null)), { depth: 10 })
      expect(shown.includes(Object(grant.credentials.secret).accessToken)).toBe(false)
    },
  )
})

test('the consent page speaks French to a French browser', async () => {
  const at = await newHarness()
  const { url } = await redirectStep().start(at.kit, startRequest({ locale: 'fr-CA' }))
  const page = await request(url, { headers: { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' } })
  expect(await page.body.text()).toMatch(/<html lang="fr-CA">[\s\S]*>Autoriser<\/button>/)
})
