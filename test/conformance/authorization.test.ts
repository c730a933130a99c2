import { describe, expect, test } from 'vitest'
import { InputRefused } from '../../src/connectors/contract/authorization.ts'
import { type Credentials, type Kit, type Session, SourceError } from '../../src/connectors/contract/contract.ts'
import { closedAfterEach } from '../harness/connector.ts'
import { type FetchedPage, failureOf, kindOf, normalize, resumeOf, runPull } from './run.ts'
import { leaks, secretsOf } from './secrets.ts'
import { listSourceRows, missingRows } from './source-rows.ts'
import type { Opened, Size } from './subject.ts'
import { httpSubjects, isInapplicable } from './subjects.ts'

const DAY_MS = 86_400_000
/** More calls than any run here makes. */
const ALWAYS = 10_000

describe.each(httpSubjects.map((each) => [each.description.key, each] as const))('%s', (_key, source) => {
  const { connector, description, subject } = source
  const [first] = connector.pulls
  const open = closedAfterEach((size: Size = 'small') => subject.open(size))

  const read = async (session: Session) => first && (await first.fetch(session, null))

  async function refresh({ session }: Opened): Promise<Credentials> {
    const credentials = await connector.refreshCredentials?.(session.kit, session.credentials)
    if (!credentials) throw new Error('these credentials do not expire')
    return credentials
  }

  const canRefresh = connector.refreshCredentials !== undefined

  test('a grant names the books, and credentials that need a refresh have an expiry', async () => {
    const { grant } = await open()
    expect(grant.entity.id).not.toBe('')
    expect(grant.entity.name).not.toBe('')
    expect(grant.credentials.expiresAt !== null).toBe(canRefresh)
  })

  if (canRefresh)
    test('after 401, one refresh returns credentials that work and expire later', async () => {
      const opened = await open()
      const { credentials } = opened.session
      opened.moveTime(Date.parse(credentials.expiresAt ?? '') - opened.session.kit.now().getTime() + 3_600_000)
      const fresh = await refresh(opened)
      expect(Date.parse(fresh.expiresAt ?? '')).toBeGreaterThan(Date.parse(credentials.expiresAt ?? ''))
      expect(await read({ ...opened.session, credentials: fresh })).toMatchObject({ answers: expect.anything() })
    })

  if (!isInapplicable(subject.revoked))
    test('a revoked grant requires a reconnect, at a read and at a refresh, and reveals no secret', async () => {
      const opened = await open()
      const secrets = secretsOf(source, opened)
      opened.fault(String(subject.revoked), ALWAYS)
      const failures = [await failureOf(() => read(opened.session))]
      if (canRefresh) failures.push(await failureOf(() => refresh(opened)))
      expect(failures.map(kindOf)).toEqual(failures.map(() => 'reconnect'))
      expect(failures.flatMap((failure) => (failure ? leaks(failure, secrets) : []))).toEqual([])
    })

  if (canRefresh && description.link === 'redirect' && description.appKeys.includes('clientId'))
    test.each(['invalid_client', 'unauthorized_client'])(
      'a client refused as %s is reported to the operator, not to the owner',
      async (word) => {
        const { session } = await open()
        const { http } = session.kit
        const body = new TextEncoder().encode(JSON.stringify({ error: word }))
        const kit: Kit = {
          ...session.kit,
          http: async (request) => (request.method === 'POST' ? { status: 400, headers: {}, body } : await http(request)),
        }
        const failure = await failureOf(async () => await connector.refreshCredentials?.(kit, session.credentials))
        expect(failure).toMatchObject({ kind: 'unavailable', isClientRefused: true })
      },
    )

  if (canRefresh && description.link === 'redirect')
    describe('a refresh refused without a reason', () => {
      async function refusedWith(status: number, text: string) {
        const opened = await open()
        const { session } = opened
        const { http } = session.kit
        let asked = 0
        const kit: Kit = {
          ...session.kit,
          http: async (request) => {
            if (request.method !== 'POST') return await http(request)
            asked += 1
            return { status, headers: { 'content-type': 'text/plain' }, body: new TextEncoder().encode(text) }
          },
        }
        const failure = await failureOf(async () => await connector.refreshCredentials?.(kit, session.credentials))
        expect(failure ? leaks(failure, secretsOf(source, opened)) : []).toEqual([])
        return asked > 0 && failure instanceof SourceError ? [failure.kind, failure.isClientRefused] : kindOf(failure)
      }

      const hasGrant = async () => JSON.stringify((await open()).session.credentials.secret).includes('"refreshToken":"')

      test.each([
        ['nothing', ''],
        ['an empty object', '{}'],
        ['a sentence of its own', '{"message":"Token has been revoked"}'],
        ['a code of its own', '{"code":602,"debugMessage":"not authorized"}'],
      ])('with 400 and %s requires a reconnect', async (_name, text) => {
        if (await hasGrant()) expect(await refusedWith(400, text)).toEqual(['reconnect', false])
      })

      test.each([
        [400, '<!doctype html><title>400 Bad Request</title>'],
        [400, 'upstream request failed'],
        [503, ''],
      ])('with %i and "%s" is temporary', async (status, text) => {
        if (await hasGrant()) expect(await refusedWith(status, text)).toEqual(['unavailable', false])
      })

      test.each([
        [400, '{"message":"Unknown client_id"}'],
        [400, '{"error":"INVALID_CLIENT"}'],
        [401, ''],
        [401, '<html>Unauthorized</html>'],
      ])('with %i and "%s" is never reported to the owner', async (status, text) => {
        if (await hasGrant()) expect(await refusedWith(status, text)).toEqual(['unavailable', true])
      })
    })

  if (!isInapplicable(subject.forbidden))
    test('a tier or role without access to the accounts is reported to the owner, never as an empty list', async () => {
      const opened = await open()
      opened.fault(String(subject.forbidden), ALWAYS)
      const failure = await failureOf(() => read(opened.session))
      expect(kindOf(failure)).toBe('reconnect')
    })

  test.each(subject.throttles)('after a refusal by %s, it waits %i ms', async (fault, waitMs) => {
    const opened = await open()
    opened.fault(fault, ALWAYS)
    const failure = await failureOf(() => read(opened.session))
    expect(kindOf(failure)).toBe('rateLimited')
    expect(failure instanceof SourceError ? failure.retryAfterMs : null).toBe(waitMs)
  })

  const { withoutBooks } = subject
  if (typeof withoutBooks === 'function')
    test('a login without books gets an explanation and no connection', async () => {
      const failure = await failureOf(withoutBooks)
      expect(failure).toBeInstanceOf(InputRefused)
      expect(failure instanceof InputRefused ? [failure.text.en, failure.text['fr-CA']].every((text) => text.length > 10) : false).toBe(
        true,
      )
    })

  test('credentials of another shape require a reconnect', async () => {
    const { session } = await open()
    for (const pull of connector.pulls)
      for (const secret of ['nonsense', null, {}, []]) {
        const failure = await failureOf(() => pull.fetch({ ...session, credentials: { secret, expiresAt: null } }, null))
        expect(kindOf(failure), pull.name).toBe('reconnect')
      }
  })

  test.each(connector.pulls.map((pull) => [pull.name, pull] as const))(
    'a cursor that %s never issued fails or starts over',
    async (_name, pull) => {
      const { session } = await open()
      for (const cursor of [{}, [], 'nonsense', 12, { page: -1 }, { after: 'x', phase: 'look' }]) {
        const failure = await failureOf(() => runPull(session, pull, cursor))
        if (failure !== null) expect(kindOf(failure)).toBe('badData')
      }
    },
  )

  test.each(connector.pulls.map((pull) => [pull.name, pull] as const))(
    'a cursor of some days ago is valid at %s or leads to a full read',
    async (_name, pull) => {
      const opened = await open()
      const before = await runPull(opened.session, pull)
      opened.moveTime(5 * DAY_MS)
      const credentials = canRefresh ? await refresh(opened) : opened.session.credentials
      const after = await runPull({ ...opened.session, credentials }, pull, resumeOf(before))
      expect(missingRows(listSourceRows(subject, after), normalize(source, after))).toEqual([])
    },
  )

  if (!isInapplicable(subject.expiredCursor))
    test('an expired cursor loses nothing: that run or the next one reads everything', async () => {
      if (isInapplicable(subject.expiredCursor)) return
      const { fault, size, pull: name } = subject.expiredCursor
      const pull = connector.pulls.find((each) => each.name === name)
      if (!pull) throw new Error(`unknown pull ${name}`)
      const opened = await open(size)
      opened.fault(fault, 1)
      const pages: FetchedPage[] = []
      const failure = await failureOf(async () => pages.push(...(await runPull(opened.session, pull))))
      if (failure !== null) {
        expect(failure).toBeInstanceOf(SourceError)
        pages.push(...(await runPull(opened.session, pull)))
      }
      expect(missingRows(listSourceRows(subject, pages), normalize(source, pages))).toEqual([])
      expect(normalize(source, pages).delivered.size).toBeGreaterThan(0)
    })
})
