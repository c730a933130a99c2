import { describe, expect, it } from 'vitest'
import { type Connector, type Page, type Pull, type Session, SourceError } from '../../src/connectors/contract/contract.ts'
import { SourcePaused } from '../../src/connectors/contract/rate-limiter.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { type FetchContext, fetchPage, GoneAtSource } from '../../src/sync/runs/fetch-page.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const PAGE: Page = { answers: {}, next: null, listing: 'complete' }
const failing = (...args: ConstructorParameters<typeof SourceError>) => new SourceError(...args)

/** A source whose HTTP answers with a status, and the credentials of a run. */
function stand(status = 200, { refreshes = true } = {}) {
  const paused: number[] = []
  const renewed: number[] = []
  const http = async () => ({ status, headers: {}, body: Buffer.alloc(0) })
  const books = new ScriptedSource('books')
  const [plain] = createSources([books.description], {
    settings: {},
    simulators: {},
    createKit: (app, hosts) => ({ http, app, hosts, now: () => new Date(0) }) as never,
  }).values()
  if (!plain) throw new Error('no source')
  const { refreshCredentials, ...without } = books.connector
  const connector: Connector = refreshes ? books.connector : without
  const source = { ...plain, pause: async (waitMs: number) => void paused.push(waitMs) }
  const credentials = {
    get current() {
      return { credentials: { secret: renewed.length, expiresAt: null }, generation: renewed.length }
    },
    renew: async () => void renewed.push(1),
  }
  const work = { source, connector, connection: { entityId: null }, credentials } as unknown as FetchContext
  const seen: Pick<Session, 'credentials' | 'entityId'>[] = []
  const fetchWith = (...answers: (Error | Page)[]) => {
    const pull: Pick<Pull, 'fetch'> = {
      fetch: async (session) => {
        seen.push({ credentials: session.credentials, entityId: session.entityId })
        await session.kit.http({ method: 'GET', url: 'https://a.example' } as never)
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        return answer ?? PAGE
      },
    }
    return fetchPage(work, pull as Pull, null)
  }
  return { fetchWith, paused, renewed, seen, work, refreshCredentials }
}

describe('a page of a source', () => {
  it('is fetched with the credentials of the run', async () => {
    const { fetchWith, seen, renewed } = stand()
    expect(await fetchWith(PAGE)).toBe(PAGE)
    expect([seen, renewed]).toEqual([[{ credentials: { secret: 0, expiresAt: null }, entityId: '' }], []])
  })

  it('whose credentials are refused is fetched once more with new ones', async () => {
    const { fetchWith, seen } = stand()
    expect(await fetchWith(failing('reconnect', 'no'), PAGE)).toBe(PAGE)
    expect(seen.map(({ credentials }) => credentials.secret)).toEqual([0, 1])
  })

  it('is given up when the new credentials are refused too', async () => {
    const { fetchWith, seen } = stand()
    await expect(fetchWith(failing('reconnect', 'no'), failing('reconnect', 'again'))).rejects.toThrow('again')
    expect(seen.length).toBe(2)
  })

  it.each([
    ['credentials that are never refreshed', failing('reconnect', 'no'), { refreshes: false }],
    ['an outage', failing('unavailable', 'no'), {}],
    ['an error of ours', new Error('no'), {}],
  ])('is fetched once with %s', async (_what, error, options) => {
    const { fetchWith, seen, renewed } = stand(200, options)
    await expect(fetchWith(error)).rejects.toBe(error)
    expect([seen.length, renewed]).toEqual([1, []])
  })
})

describe('what a source says no longer exists', () => {
  it.each([
    [404, 'unavailable', true],
    [410, 'badData', true],
    [404, 'rateLimited', false],
    [403, 'unavailable', false],
    [500, 'badData', false],
  ] as const)('HTTP %i with %s: %s', async (status, kind, isGone) => {
    const { fetchWith } = stand(status)
    const error = failing(kind, 'words', { isClientRefused: true })
    const thrown = await fetchWith(error).catch((one: unknown) => one)
    expect(thrown instanceof GoneAtSource).toBe(isGone)
    expect(thrown).toMatchObject({ kind, message: 'words', isClientRefused: true })
    if (isGone) expect(thrown).toMatchObject({ cause: error })
  })

  it('is no matter where the page could be read, or the error is ours', async () => {
    expect(await stand(404).fetchWith(PAGE)).toBe(PAGE)
    const error = new Error('ours')
    await expect(stand(404).fetchWith(error)).rejects.toBe(error)
  })
})

describe('a source that asks for a wait', () => {
  it.each<[string, SourceError, number[]]>([
    ['is left alone by everybody for so long', failing('rateLimited', '429', { retryAfterMs: 5_000 }), [5_000]],
    ['and does not say for how long is not paused', failing('rateLimited', '429'), []],
    ['and is paused already is not paused again', new SourcePaused('paused', 5_000, false), []],
    ['because it is down is not paused', failing('unavailable', '503', { retryAfterMs: 5_000 }), []],
  ])('%s', async (_what, error, expected) => {
    const { fetchWith, paused } = stand()
    await expect(fetchWith(error)).rejects.toBe(error)
    expect(paused).toEqual(expected)
  })
})
