import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { Credentials, Grant, SourceError } from '../../src/connectors/contract/contract.ts'
import type { ConnectorHarness } from '../harness/connector.ts'
import { failureOf, sessionOf } from '../harness/connector-calls.ts'
import { connect, disconnect, refresh, tokensOf } from '../harness/redirect.ts'
import type { OpenedRedirect } from './redirect-subject.ts'
import { isInapplicable, redirectSubjects } from './subjects.ts'

/** Faults at a refresh that all these simulators support. */
const REFRESH_FAULTS: Readonly<Record<string, SourceError['kind']>> = {
  revoked: 'reconnect',
  invalidClient: 'unavailable',
  tokenUnavailable: 'unavailable',
  lostRefresh: 'unavailable',
  tokenThrottled: 'rateLimited',
  tokenHtml: 'badData',
}

/** Lifetime of the tokens from a consent: refresh, rotation, revocation, and that no error reveals them. */
describe.each(redirectSubjects.map((each) => [each.description.key, each] as const))('%s', (_key, { connector, subject, readFaults }) => {
  const harnesses: ConnectorHarness[] = []
  const [first] = connector.pulls
  const faults = { ...REFRESH_FAULTS, ...subject.refreshFaults }
  afterEach(async () => {
    await Promise.all(harnesses.splice(0).map((each) => each.close()))
  })

  async function open(opening: Promise<OpenedRedirect> = subject.open()) {
    const { harness, revoke } = await opening
    harnesses.push(harness)
    return { at: harness, grant: await connect(harness), revoke }
  }

  const withSecret = () => open(subject.openWithSecret?.())
  const read = async (at: ConnectorHarness, grant: Grant) => await first?.fetch(sessionOf(at, grant), null)

  function shownSecrets(failure: SourceError, { app }: ConnectorHarness['kit'], credentials: Credentials): string[] {
    const shown = inspect(failure, { depth: 12, maxStringLength: null })
    const { clientId = '', clientSecret = 'none' } = app
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    return [...tokensOf(credentials), clientSecret, basic].filter((secret) => secret === '' || shown.includes(secret))
  }

  test('an expired access token is replaced and the new one works', async () => {
    const { at, grant } = await open()
    at.moveTime(subject.accessTokenMs + 1000)
    expect((await failureOf(read(at, grant))).kind).toBe('reconnect')
    const credentials = await refresh(at, grant.credentials)
    expect(await read(at, { ...grant, credentials })).toMatchObject({ answers: expect.anything() })
  })

  test('a refreshed connection keeps its books', async () => {
    const { at, grant } = await open()
    const [before, after] = [grant.credentials, await refresh(at, grant.credentials)]
    const { accessToken: _old, refreshToken: _oldRefresh, ...place } = Object(before.secret)
    expect(after.secret).toMatchObject(place)
    expect(tokensOf(after)[0]).not.toBe(tokensOf(before)[0])
  })

  if (!isInapplicable(subject.usedRefreshToken))
    test('each refresh token can be used once, and the new one is stored', async () => {
      const { at, grant } = await open()
      const next = await refresh(at, grant.credentials)
      expect(tokensOf(next).filter((token) => tokensOf(grant.credentials).includes(token))).toEqual([])
      await refresh(at, next)
      expect((await failureOf(refresh(at, grant.credentials))).kind).toBe('reconnect')
    })

  test.each(Object.entries(faults))('%s during a refresh is %s', async (fault, kind) => {
    const { at, grant } = await open()
    at.simulator.fault(fault)
    expect((await failureOf(refresh(at, grant.credentials))).kind).toBe(kind)
  })

  test(`after a lost answer, the next refresh yields ${subject.lostAnswer}`, async () => {
    const { at, grant } = await open()
    at.simulator.fault('lostRefresh')
    expect((await failureOf(refresh(at, grant.credentials))).kind).toBe('unavailable')
    const next = refresh(at, grant.credentials)
    if (subject.lostAnswer === 'reconnect') expect((await failureOf(next)).kind).toBe('reconnect')
    else expect(await read(at, { ...grant, credentials: await next })).toMatchObject({ answers: expect.anything() })
  })

  test('a refused app key is reported to the operator', async () => {
    const { at, grant } = await withSecret()
    const kit = { ...at.kit, app: { ...at.kit.app, clientSecret: 'wrong' } }
    const failure = await failureOf(refresh({ ...at, kit }, grant.credentials))
    const message = expect.stringMatching(subject.refusedKey ?? /clientSecret/)
    expect(failure).toMatchObject({ kind: 'unavailable', isClientRefused: true, message })
  })

  test('authorizations survive a restart of the source', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'redirect-'))
    const stateFile = join(folder, 'state.json')
    const { harness } = await subject.open({ stateFile })
    const grant = await connect(harness)
    await harness.close()
    const { harness: after } = await subject.open({ stateFile })
    harnesses.push(after)
    expect(await read(after, grant)).toMatchObject({ answers: expect.anything() })
    await rm(folder, { recursive: true })
  })

  if (isInapplicable(subject.disconnect))
    test('the source has no revocation call, so none is made', () => {
      expect(connector.disconnect).toBeUndefined()
    })
  else {
    test(`a disconnect ends the authorization at the source: ${subject.disconnect}`, async () => {
      const { at, grant } = await open()
      await disconnect(at, grant.credentials)
      expect((await failureOf(refresh(at, grant.credentials))).kind).toBe('reconnect')
      if (subject.disconnect === 'refresh token') at.moveTime(subject.accessTokenMs + 1000)
      expect((await failureOf(read(at, grant))).kind).toBe('reconnect')
    })

    test('a disconnect of an authorization that the owner has ended succeeds, also twice', async () => {
      const { at, grant, revoke } = await open()
      revoke()
      await disconnect(at, grant.credentials)
      await disconnect(at, grant.credentials)
      expect((await failureOf(refresh(at, grant.credentials))).kind).toBe('reconnect')
    })
  }

  test.each(Object.keys(faults))('no error of a refresh reveals a token or key: %s', async (fault) => {
    const { at, grant } = await withSecret()
    at.simulator.fault(fault)
    expect(shownSecrets(await failureOf(refresh(at, grant.credentials)), at.kit, grant.credentials)).toEqual([])
  })

  if (subject.openWithSecret)
    test.each(Object.keys(readFaults))('no error of a read reveals the app’s secret: %s', async (fault) => {
      const { at, grant } = await withSecret()
      at.simulator.fault(fault)
      expect(shownSecrets(await failureOf(read(at, grant)), at.kit, grant.credentials)).toEqual([])
    })

  if (subject.callLimit) {
    const { settings, windowMs } = subject.callLimit
    test('reaching the rate limit is rateLimited and passes with its window', async () => {
      const { at, grant } = await open(subject.open(settings))
      await read(at, grant)
      expect((await failureOf(read(at, grant))).kind).toBe('rateLimited')
      at.moveTime(windowMs)
      expect(await read(at, grant)).toMatchObject({ next: null })
    })
  }
})
