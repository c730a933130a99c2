import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { InstanceShares } from '../../src/api/http/instance-shares.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { beforePiece as beforePieceOf, readStream } from './streams.ts'

/** More than two pieces. */
const ACCOUNTS = 1_201
/** More than a double can hold. */
const LONG = '12345678901234567.89'
const NDJSON = { accept: 'application/x-ndjson' }

const api = openForTests(openApiHarness)
let origin = ''
let bankConnection = ''
beforeAll(async () => {
  origin = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>(`select id from connections where category = 'Banking'`)
  bankConnection = rows[0]?.id ?? ''
  await publish(() => 'Account')
}, 60_000)
afterEach(() => void vi.restoreAllMocks())

async function publish(nameOf: (n: number) => string, count = ACCOUNTS): Promise<void> {
  api.bank.accounts = Array.from({ length: count }, (_, n) => ({
    id: `a${n}`,
    name: `${nameOf(n)} ${n}`,
    balance: n === 7 ? LONG : `${n}.50`,
  }))
  await api.syncHarness.sync(bankConnection)
}

const list = (query = '') => `/normalized-data/${api.syncHarness.companyId}/banking/accounts/${api.syncHarness.serviceId(api.bank)}${query}`
const filtered = (FilterQuery: string) => `?${new URLSearchParams({ FilterQuery })}`

async function linesOf(query = ''): Promise<string[]> {
  const answer = await api.call('GET', list(query), { headers: NDJSON })
  expect([answer.statusCode, answer.body.slice(0, 200)]).toEqual([200, expect.anything()])
  return answer.body.split('\n').slice(0, -1)
}

/** Texts of all records of the list, page by page. */
async function pagesOf(query = ''): Promise<string> {
  let text = ''
  for (let page = 1; page <= 3; page += 1) {
    const more = `${query === '' ? '?' : '&'}PageSize=500&PageNumber=${page}`
    text += (await api.call('GET', list(`${query}${more}`))).body
  }
  return text
}

const beforePiece = (number: number, work: () => Promise<unknown>) => beforePieceOf(api.syncHarness.deps.database, number, work)

async function open(query = ''): Promise<IncomingMessage> {
  const headers = { ...NDJSON, authorization: `Bearer ${api.tokens.admin}` }
  const [response] = await once(get(`${origin}/admin/api/v1${list(query)}`, { headers }), 'response')
  return response
}

describe('a streamed list', () => {
  it('has every record of the pages, word for word', async () => {
    const pages = await pagesOf()
    const lines = await linesOf()
    expect(lines.filter((line) => !pages.includes(line))).toEqual([])
    expect(new Set(lines.map((line) => JSON.parse(line).origId)).size).toBe(ACCOUNTS)
    expect(lines.join('')).toContain(LONG)
  })

  it('says how many lines come, and what it is', async () => {
    const { headers } = await api.call('GET', list(), { headers: NDJSON })
    expect(headers).toMatchObject({
      'x-total-count': String(ACCOUNTS),
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
    })
    const head = await fetch(`${origin}/admin/api/v1${list()}`, {
      method: 'HEAD',
      headers: { ...NDJSON, authorization: `Bearer ${api.tokens.admin}` },
    })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'application/x-ndjson', ''])
  })

  it.each(['accountName~" 11"', 'actualBalance>=1199 || accountName~" 3"', 'origId=none', 'lastUpdatedOn<2020-01-01'])(
    'has what the filter %s matches, and no other',
    async (filter) => {
      const pages = await pagesOf(filtered(filter))
      const lines = await linesOf(filtered(filter))
      expect(lines.filter((line) => !pages.includes(line))).toEqual([])
      expect(pages.match(/"origId":/g)?.length ?? 0).toBe(lines.length)
    },
  )

  it('is read again by the same address as a page, and the page by that of the stream', async () => {
    const url = `${origin}/admin/api/v1${list()}`
    const typeOf = async (accept: string) => {
      const answer = await fetch(url, { headers: { accept, authorization: `Bearer ${api.tokens.admin}` } })
      // To its end: the pieces of a stream left open would be counted by the next test.
      await answer.text()
      return answer.headers.get('content-type')
    }
    const types = [await typeOf('*/*'), await typeOf('*/*'), await typeOf(NDJSON.accept), await typeOf('*/*')]
    expect(types.map((type) => type?.split(';')[0])).toEqual(['application/json', 'application/json', NDJSON.accept, 'application/json'])
  })

  it('is of the publication at its beginning: a sync in between changes no byte', async () => {
    const before = await linesOf()
    const pieces = beforePiece(2, () => publish((n) => (n % 2 === 0 ? 'Renamed' : 'Account'), ACCOUNTS - 10))
    expect(await linesOf()).toEqual(before)
    expect(pieces.read).toBe(3)
    vi.restoreAllMocks()
    const after = await linesOf()
    expect([after.length, after.join('').includes('Renamed')]).toEqual([ACCOUNTS - 10, true])
  })

  it('takes a turn among the requests of its instance for each piece', async () => {
    const turns = vi.spyOn(InstanceShares.prototype, 'run')
    await linesOf()
    expect(turns.mock.calls.map(([instanceId]) => instanceId)).toEqual([1, 2, 3].map(() => api.syncHarness.instanceId))
  })

  it('has deleted records, changed ones and those of an earlier time where that is asked', async () => {
    const { rows } = await api.syncHarness.deps.database.query<{ at: Date }>(
      'select published_at as at from publications where accounts > 1000',
    )
    const now = rows[0]?.at ?? new Date(0)
    const earlier = new Date(now.getTime() - 1).toISOString()
    for (const query of [
      `?asOf=${earlier}`,
      `?modifiedSince=${now.toISOString()}`,
      '?includeDeleted=true',
      `?includeDeleted=true&asOf=${earlier}`,
    ]) {
      const pages = await pagesOf(query)
      const lines = await linesOf(query)
      expect([query, lines.length, lines.filter((line) => !pages.includes(line))]).toEqual([query, pages.match(/"origId":/g)?.length, []])
    }
    // With the one account of the harness.
    expect((await linesOf('?includeDeleted=true')).length).toBe(ACCOUNTS + 1)
    expect((await linesOf(`?asOf=${earlier}`)).length).toBe(ACCOUNTS)
  })
})

describe('what cannot be streamed', () => {
  it('are pages: their parameters are refused', async () => {
    for (const query of ['?PageSize=100', '?pagenumber=1', '?OrderBy=origId', '?Desc=false']) {
      const answer = await api.call('GET', list(query), { headers: NDJSON })
      expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('belongs to pages')])
    }
  })

  it.each([
    ['FilterQuery=dueDate>=2026-02-30', 400],
    ['asOf=2026-02-30', 400],
    ['nothing=1', 400],
  ])('%s: %i', async (query, status) => {
    expect((await api.call('GET', list(`?${query}`), { headers: NDJSON })).statusCode).toBe(status)
  })

  it('are lists of another instance or none', async () => {
    const other = await api.openOtherInstance()
    const headers = { ...NDJSON, authorization: `Bearer ${other.token}` }
    expect((await api.call('GET', list(), { headers })).statusCode).toBe(404)
    expect((await api.call('GET', list().replace('/banking/', '/accountancy/'), { headers: NDJSON })).statusCode).toBe(404)
  })

  it('is a fifth list of an instance at once', async () => {
    const { promise: isGiven, resolve: give } = Promise.withResolvers<void>()
    const { database } = api.syncHarness.deps
    const query = database.query.bind(database) as (...given: unknown[]) => Promise<unknown>
    vi.spyOn(database, 'query').mockImplementation((async (...given: unknown[]) => {
      if (isLater(given[0])) await isGiven
      return await query(...given)
    }) as typeof database.query)
    const four = await Promise.all([open(), open(), open(), open()])
    const fifth = await api.call('GET', list(), { headers: NDJSON })
    expect([fifth.statusCode, Number(fifth.headers['retry-after']) > 0]).toEqual([429, true])
    // Whoever asks for a page is answered meanwhile.
    expect((await api.call('GET', list('?PageSize=11'))).statusCode).toBe(200)
    give()
    expect((await Promise.all(four.map(readStream))).map(({ isWhole }) => isWhole)).toEqual([true, true, true, true])
    expect((await readStream(await open())).isWhole).toBe(true)
  })
})

/** Whether a statement reads a piece after the first. */
function isLater(statement: unknown): boolean {
  const { text = '', values = [] } = statement as { text?: string; values?: unknown[] }
  return text.startsWith('with seen') && !values.includes('00000000-0000-0000-0000-000000000000')
}

describe('a list that breaks off', () => {
  const lastOf = (lines: string[]) => JSON.parse(lines.at(-1) ?? '').error

  it('says that the database went away', async () => {
    beforePiece(3, () => Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' })))
    const { lines, isWhole } = await readStream(await open())
    expect([lines.length, isWhole, lastOf(lines)]).toEqual([1_001, false, expect.objectContaining({ status: 503 })])
  })

  it('says that records of the pin have gone, with a filter too', async () => {
    for (const query of ['', filtered('accountName!=x')]) {
      beforePiece(2, async () => {
        vi.restoreAllMocks()
        await api.syncHarness.deps.database.query(`insert into version_horizon (before) values (now() + interval '1 day')`)
      })
      const { lines, isWhole } = await readStream(await open(query))
      await api.syncHarness.deps.database.query('delete from version_horizon')
      expect([lines.length, isWhole, lastOf(lines)]).toEqual([501, false, expect.objectContaining({ status: 409 })])
    }
  })

  it('says that fewer records are stored than were published', async () => {
    const { database } = api.syncHarness.deps
    await database.query('update publications set accounts = accounts + 1 where accounts > 1000')
    const { lines, isWhole } = await readStream(await open())
    await database.query('update publications set accounts = accounts - 1 where accounts > 1000')
    expect([isWhole, lastOf(lines).status]).toEqual([false, 409])
  })

  it('says that the company was disconnected, also when it is connected again at once', async () => {
    const { instanceId, companyId } = api.syncHarness
    const serviceId = api.syncHarness.serviceId(api.bank)
    beforePiece(2, async () => {
      vi.restoreAllMocks()
      await disconnect(api.syncHarness.deps, { instanceId, companyId, serviceId })
      await api.syncHarness.erase(bankConnection)
      bankConnection = await api.syncHarness.connect(api.bank)
      await api.syncHarness.sync(bankConnection, { reason: 'first' })
    })
    const { lines, isWhole } = await readStream(await open(filtered('accountName!=x')))
    expect([lines.length, isWhole, lastOf(lines)]).toEqual([501, false, expect.objectContaining({ status: 409 })])
    expect((await readStream(await open())).isWhole).toBe(true)
  })
})
