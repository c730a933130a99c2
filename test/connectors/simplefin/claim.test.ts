import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Kit } from '../../../src/connectors/contract/contract.ts'
import { simplefinConnector } from '../../../src/connectors/simplefin/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, refusalOf, sessionOf } from '../../harness/connector-calls.ts'
import { submit } from '../../harness/form.ts'
import { openStrictKit } from '../core-bank/reading.ts'
import { CANARY, connect, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const newStrictKit = closedAfterEach(openStrictKit)
const [pullAccounts] = simplefinConnector.pulls
const encode = (text: string) => Buffer.from(text).toString('base64')

/** A server that answers the claim with this text only. */
function claiming(answer: string): { kit: Kit; asked: string[] } {
  const asked: string[] = []
  const http: Kit['http'] = async ({ url }) => {
    asked.push(url)
    return { status: 200, headers: {}, body: new TextEncoder().encode(answer) }
  }
  return { asked, kit: { http, app: {}, hosts: { bridge: 'https://bridge.simplefin.org' }, now: () => new Date(0) } }
}

describe('a pasted token', () => {
  test('is claimed once, by POST, and returns a grant for the banks behind it', async () => {
    const at = await newHarness()
    const grant = await connect(at)
    expect(grant).toMatchObject({
      credentials: { secret: { base: `${at.url}/simplefin`, user: 'ACCESS1' }, expiresAt: null },
      entity: { id: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'Caisse du Lac, First Harbor Bank, boreal-air.example' },
    })
    expect(grant.institution).toBeUndefined()
    const claims = at.simulator.listRequests().filter(({ path }) => path.includes('/claim/'))
    expect(claims.map(({ method, status }) => [method, status])).toEqual([['POST', 200]])
  })

  test('may contain line breaks from a mail', async () => {
    const at = await newHarness()
    const token = at.simulator.createToken('shop')
    expect(await submit(at, { token: ` ${token.slice(0, 20)}\n${token.slice(20)}\n` })).toMatchObject({
      entity: { name: 'First Harbor Bank' },
    })
  })

  test('that was used before warns the owner that someone else may have it, in both languages', async () => {
    const at = await newHarness()
    const token = at.simulator.createToken('cafe')
    await submit(at, { token })
    const refusal = await refusalOf(submit(at, { token }))
    expect(refusal.text.en).toMatch(/somebody else .* disable it/)
    expect(refusal.text['fr-CA']).toMatch(/quelqu’un d’autre .* désactivez-le/)
    expect(inspect(refusal, { depth: 10 })).not.toMatch(CANARY)
  })

  test.each([
    ['nothing', ''],
    ['a sentence', 'my token please'],
    ['Base64 of something else', encode('hello world, this is no address')],
    ['an access URL in place of a token', encode('https://user:pass@bridge.simplefin.org/simplefin')],
    ['another protocol', encode('ftp://bridge.simplefin.org/claim/1')],
  ])('that is %s is refused before any call', async (_what, token) => {
    const { kit, asked } = claiming('')
    expect(await refusalOf(submit({ connector: simplefinConnector, kit }, { token }))).toMatchObject({ field: 'token' })
    expect(asked).toEqual([])
  })

  test('that leads to http is refused before any call', async () => {
    const { kit, asked } = claiming('')
    expect(
      (await refusalOf(submit({ connector: simplefinConnector, kit }, { token: encode('http://bridge.simplefin.org/simplefin/claim/1') })))
        .text.en,
    ).toMatch(/not secure/)
    expect(asked).toEqual([])
  })

  test.each(['https://127.0.0.1/claim/1', 'https://10.1.2.3/claim/1', 'https://169.254.169.254/claim/1', 'https://[::1]/claim/1'])(
    'that leads into a private network is not followed: %s',
    async (address) => {
      const strict = await newStrictKit()
      expect(await refusalOf(submit({ connector: simplefinConnector, ...strict }, { token: encode(address) }))).toMatchObject({
        field: 'token',
      })
    },
  )

  test('whose access URL is not secure is refused', async () => {
    const at = await newHarness()
    at.simulator.fault('openClaim')
    expect((await refusalOf(connect(at))).text.en).toMatch(/not secure/)
  })

  test.each(['thank you', '<html>', 'https://bridge.simplefin.org/simplefin'])(
    'whose claim is answered with "%s" is refused',
    async (answer) => {
      const { kit } = claiming(answer)
      expect(
        (await refusalOf(submit({ connector: simplefinConnector, kit }, { token: encode('https://bridge.simplefin.org/claim/1') }))).text
          .en,
      ).toMatch(/did not answer as SimpleFIN/)
    },
  )

  test('is not lost if the server cannot return accounts at that moment', async () => {
    const at = await newHarness()
    const token = at.simulator.createToken('cafe')
    let calls = 0
    const http: Kit['http'] = async (request) => {
      calls += 1
      if (calls === 2) at.simulator.fault('outage')
      return await at.kit.http(request)
    }
    const grant = await submit({ ...at, kit: { ...at.kit, http } }, { token })
    expect(grant.credentials.secret).toMatchObject({ user: 'ACCESS1', marks: '' })
    expect(await pullAccounts?.fetch(sessionOf(at, grant), null)).toMatchObject({ listing: 'complete' })
  })

  test('is kept if the server did not answer the claim: it can be pasted again', async () => {
    const at = await newHarness()
    const token = at.simulator.createToken('cafe')
    at.simulator.fault('outage')
    expect((await refusalOf(submit(at, { token }))).text.en).toMatch(/try again/)
    expect(await submit(at, { token })).toMatchObject({ entity: { name: expect.stringContaining('Caisse du Lac') } })
  })

  test('whose owner has to pay first is explained', async () => {
    const at = await newHarness()
    at.simulator.fault('unpaid')
    expect((await refusalOf(connect(at))).text.en).toMatch(/subscription/)
  })
})

describe('a reconnect', () => {
  test('with another token of the same owner names the same entity', async () => {
    const at = await newHarness()
    const before = await connect(at)
    const after = await connect(at, 'cafe', before.credentials)
    expect(after.entity.id).toBe(before.entity.id)
    expect(after.credentials.secret).toMatchObject({ user: 'ACCESS2' })
  })

  test('after a bank was added again, under other ids, is recognized as the same owner’s by the numbers in the names', async () => {
    const at = await newHarness()
    const before = await connect(at)
    for (const account of at.simulator.state.users.cafe ?? []) account.id = `NEW-${account.id}`
    expect((await connect(at, 'cafe', before.credentials)).entity.id).toBe(before.entity.id)
  })

  test('with a token of another owner names another entity, which the engine refuses', async () => {
    const at = await newHarness()
    const before = await connect(at)
    expect((await connect(at, 'shop', before.credentials)).entity.id).not.toBe(before.entity.id)
  })
})

describe('the page of the simulator', () => {
  test.each([
    ['en-CA', 'Copy this token'],
    ['fr-CA', 'Copiez ce jeton'],
  ])('creates a token in %s that works', async (language, text) => {
    const at = await newHarness()
    const page = await at.kit.http({
      method: 'POST',
      url: `${at.url}/simplefin/create`,
      headers: { 'accept-language': language, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'user=shop',
    })
    const html = new TextDecoder().decode(page.body)
    expect(html).toContain(text)
    expect(await submit(at, { token: /id="token">([^<]+)</.exec(html)?.[1] ?? '' })).toMatchObject({
      entity: { name: 'First Harbor Bank' },
    })
  })

  test('has a demo token that works repeatedly', async () => {
    const at = await newHarness()
    const token = encode(`${at.url}/simplefin/claim/demo`)
    const before = await submit(at, { token })
    expect((await submit(at, { token }, before.credentials)).entity).toEqual(before.entity)
  })

  test('keeps claimed tokens over a restart', async () => {
    const { mkdtempSync } = await import('node:fs')
    const stateFile = `${mkdtempSync('/tmp/simplefin-')}/state.json`
    const before = await newHarness({ stateFile })
    const token = before.simulator.createToken('cafe')
    await submit(before, { token })
    const after = await newHarness({ stateFile })
    const moved = encode(Buffer.from(token, 'base64').toString('utf8').replace(before.url, after.url))
    expect((await refusalOf(submit(after, { token: moved }))).text.en).toMatch(/used before/)
  })
})

describe('an access', () => {
  test.each([
    ['revoked', 'reconnect'],
    ['unpaid', 'reconnect'],
    ['reauthenticate', 'reconnect'],
    ['quota', 'rateLimited'],
    ['outage', 'unavailable'],
    ['html', 'badData'],
  ])('at %s is %s, without text from the server', async (fault, kind) => {
    const at = await newHarness()
    const session = sessionOf(at, await connect(at))
    at.simulator.fault(fault)
    const failure = await failureOf(Promise.resolve(pullAccounts?.fetch(session, null)))
    expect(failure.kind).toBe(kind)
    expect(inspect(failure, { depth: 10 })).not.toMatch(/sandbox-(claim|access)|Caisse|<b>/)
  })

  test('stored with an insecure address is never called', async () => {
    const { kit, asked } = claiming('{}')
    const secret = { base: 'http://bridge.simplefin.org/simplefin', user: 'u', password: 'p', entityId: 'e', marks: '' }
    const grant = { credentials: { secret, expiresAt: null }, entity: { id: 'e', name: 'e' } }
    expect(await failureOf(Promise.resolve(pullAccounts?.fetch(sessionOf({ kit }, grant), null)))).toMatchObject({ kind: 'reconnect' })
    expect(asked).toEqual([])
  })
})
