import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAuditFile } from '../../src/api/routes/operations/audit-file.ts'
import { ownScope, withinActor } from '../../src/audit/actor.ts'
import { auditWriter, recordChange } from '../../src/audit/record.ts'
import { findAuditEnd } from '../../src/store/access/audit.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import type { PinnedReads } from '../../src/store/db/replicas/pinned-reads.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf, testApi } from '../harness/test-api.ts'

const COUNT = 1_203

interface Listed {
  data: { position: number }[]
  before: number | null
}

const api = openForTests(testApi)
const headers = openForTests(async () => bearerOf(api, (await api.addUser()).email))

beforeAll(async () => {
  const { instanceId } = api
  await withinActor(ownScope(auditWriter(api.deps), 'command', 'import'), () =>
    inTransaction(api.deps.database, async (db) => {
      for (let index = 0; index < COUNT; index += 1) {
        const name = index === 7 ? '=HYPERLINK("http://evil.example")' : `Company ${index}`
        await recordChange(db, {
          instanceId,
          action: 'company.created',
          subject: `company/${index}`,
          after: { name, fullAddress: '1 rue Secrète' },
        })
      }
    }),
  )
})

const get = (query: string, with_ = headers) => api.app.inject({ url: `/admin/api/v1/audit${query}`, headers: with_ })

describe('the audit log', () => {
  it('is downloaded as JSON lines, oldest first and complete', async () => {
    const answer = await get('/download?Format=jsonl')
    const entries = answer.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(answer.headers['content-disposition']).toBe('attachment; filename="audit.jsonl"')
    expect(entries.map(({ position }) => position)).toEqual(Array.from({ length: COUNT + 1 }, (_, index) => index + 1))
    expect(entries[1]).toMatchObject({
      ...{ action: 'company.created', actor: 'command', actorId: 'import', userId: null, subject: 'company/0' },
      ...{ before: null, after: { name: 'Company 0' }, withheld: ['fullAddress'], hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(answer.body).not.toContain('rue Secr')
  })

  it('is downloaded as CSV without formulas', async () => {
    const lines = (await get('/download?Format=csv')).body.split('\r\n')
    expect(lines[0]).toBe(
      '\ufeffposition,recordedOn,action,actor,userId,actorId,network,requestId,subject,before,after,withheld,details,hash',
    )
    expect(lines).toHaveLength(COUNT + 3)
    expect(lines[9]).toContain('"{""name"":""=HYPERLINK(\\""http://evil.example\\"")""}"')
    expect(lines.filter((line) => /(^|,)"?[=+@-]/.test(line))).toEqual([])
  })

  it.each([
    ['actor="user"', 1],
    ['actor=command && action~company.', COUNT],
    ['network=203.0.113.7', 1],
    ['subject=company/12', 1],
    ['recordedOn<2026-11-20', 0],
    ['actorId=import && position<=101', 100],
  ])('is filtered by %s, in the list and in the download', async (filter, count) => {
    const query = `FilterQuery=${encodeURIComponent(filter)}`
    const listed: number[] = []
    for (let before: number | null = null; ; ) {
      const page: Listed = (await get(`?Limit=500&${query}${before === null ? '' : `&Before=${before}`}`)).json()
      const { data, before: next } = page
      listed.push(...data.map(({ position }) => position))
      if (data.length === 0 || next === null) break
      before = next
    }
    const file = (await get(`/download?Format=jsonl&${query}`)).body
    expect([listed.length, file.split('\n').length - 1]).toEqual([count, count])
  })

  it('shows what an entry is about, and what it withholds and tells besides, in either format', async () => {
    const { instanceId, deps } = api
    await withinActor(ownScope(auditWriter(deps), 'command', 'import'), () =>
      inTransaction(deps.database, async (db) => {
        const secret = { fullAddress: 'x', companyContactNumber: 'y' }
        await recordChange(db, { instanceId, action: 'company.created', subject: 'company/two', before: { name: 'A' }, after: secret })
        await recordChange(db, { instanceId, action: 'company.deleted', subject: 'company/two', details: { reason: 'a, b' } })
      }),
    )
    const query = `FilterQuery=${encodeURIComponent('subject=company/two')}`
    const [csv, lines] = [await get(`/download?Format=csv&${query}`), await get(`/download?Format=jsonl&${query}`)]
    expect([csv, lines].map(({ headers: sent }) => sent['content-type'])).toEqual([
      'text/csv; charset=utf-8',
      'application/x-ndjson; charset=utf-8',
    ])
    const [first, second] = lines.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([first.withheld, first.details, second.withheld, second.details]).toEqual([
      ['fullAddress', 'companyContactNumber'],
      {},
      [],
      { reason: 'a, b' },
    ])
    const begin = (entry: typeof first) => `${entry.position},${entry.recordedOn},${entry.action},command,,import,,,company/two`
    expect(csv.body.split('\r\n').slice(1)).toEqual([
      `${begin(first)},"{""name"":""A""}","{""name"":null}",fullAddress companyContactNumber,,${first.hash}`,
      `${begin(second)},,,,"{""reason"":""a, b""}",${second.hash}`,
      '',
    ])
  })

  it('requires an administrator of the instance, and refuses an unknown format or filter', async () => {
    const developer = await bearerOf(api, (await api.addUser({ role: 'developer' })).email)
    const foreign = await bearerOf(api, (await api.addUser({ instanceId: await api.addInstance() })).email)
    const statuses = [await get('/download', developer), await get('/download?Format=xml'), await get('/download?FilterQuery=entry~a')]
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([403, 400, 400])
    expect((await get('/download?Format=jsonl', foreign)).body.split('\n')).toHaveLength(2)
  })

  it('is downloaded up to the entry that was newest at the beginning, whatever happens meanwhile', async () => {
    const { instanceId, deps } = api
    const until = await withinInstance(instanceId, () => findAuditEnd(deps.database, instanceId))
    const inScope: PinnedReads = async (read) => {
      const page = await withinInstance(instanceId, read)
      await withinActor(ownScope(auditWriter(deps), 'command', 'import'), () =>
        inTransaction(deps.database, (db) => recordChange(db, { instanceId, action: 'company.created', subject: 'company/meanwhile' })),
      )
      return page
    }
    const { stream } = openAuditFile(deps.database, instanceId, { format: 'jsonl', filter: [], until, inScope })
    const lines = (await text(stream)).trimEnd().split('\n')
    expect(lines).toHaveLength(until)
    expect(lines.at(-1)).not.toContain('meanwhile')
  })
})
