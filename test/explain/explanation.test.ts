import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountMapping } from '../../src/connectors/xero/map.ts'
import { toRecordId } from '../../src/model/catalogue.ts'
import { type Explanation, explainRecord } from '../../src/sync/explain/explain.ts'
import { findService } from '../../src/sync/sources/catalogue.ts'
import { type ApiHarness, openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'
import { CannedSource } from '../replay/canned-source.ts'
import type { SyncHarness } from '../sync/harness.ts'

interface Field {
  field: string
  result: unknown
  rule: { kind: string; text: string; code: string | null } | null
  raw: { path: string; found: string; value: unknown }[]
  isSameNow: boolean
  resultNow: unknown
}

interface Answer {
  id: string
  origId: string
  publishedOn: string
  replacedOn: string | null
  isDeleted: boolean
  connector: string
  mappingVersion: number
  run: { id: string; reason: string; startedOn: string }
  rawPage: { id: string; index: number; pull: string; receivedOn: string | null; isKept: boolean }
  currentMapping: { version: number; gives: string; reason: string | null }
  fields: Field[]
}

describe('an explanation by API', () => {
  const api = openForTests(openApiHarness)
  let accounts = ''
  beforeAll(() => {
    accounts = `/normalized-data/${api.syncHarness.companyId}/accountancy/accounts/${api.syncHarness.serviceId(api.books)}`
  })

  const explain = async (path: string) => (await api.call('GET', `${path}/explanation`, { role: 'viewer' })).json() as unknown as Answer
  const field = (answer: Answer, name: string) => answer.fields.find((one) => one.field === name)
  const idOf = (origId: string) => toRecordId(api.syncHarness.companyId, api.syncHarness.serviceId(api.books), 'Accounts', origId)

  it('names raw paths, raw values, rule, run and page for every field of the published record', async () => {
    const listed = (await api.call('GET', accounts)).json() as unknown as { data: Record<string, unknown>[] }
    const [account] = listed.data
    const answer = await explain(`${accounts}/${account?.id}`)
    expect(Object.fromEntries(answer.fields.map(({ field: name, result }) => [name, result]))).toEqual(account)
    expect(answer).toMatchObject({ connector: 'books', mappingVersion: 1, isDeleted: false, replacedOn: null, run: { reason: 'first' } })
    expect(answer.rawPage).toMatchObject({ index: 0, pull: 'accounts', isKept: true })
    expect(answer.currentMapping).toEqual({ version: 1, gives: 'same', reason: null })
    expect(field(answer, 'name')).toMatchObject({
      raw: [{ path: '/name', found: 'value', value: 'Account 0' }],
      rule: { kind: 'copied', text: '/name as it is', code: '(a) => a.name' },
      isSameNow: true,
    })
    expect(field(answer, 'currency')).toMatchObject({ raw: [], rule: { kind: 'constant' } })
    expect(field(answer, 'id')).toMatchObject({ rule: { kind: 'engine', code: null } })
  })

  it('is found by normalized id and by origId, for bank accounts too', async () => {
    expect(await explain(`${accounts}/100`)).toEqual(await explain(`${accounts}/${idOf('100')}`))
    const bank = `/normalized-data/${api.syncHarness.companyId}/banking/accounts/${api.syncHarness.serviceId(api.bank)}`
    const answer = await explain(`${bank}/chequing`)
    expect(field(answer, 'actualBalance')).toMatchObject({ result: 1234.5, raw: [{ path: '/balance', value: '1234.50' }] })
    expect(field(answer, 'typeSystem')).toMatchObject({ result: 'Cash' })
    expect(field(answer, 'subTypeSystemDisplayName')).toMatchObject({ result: 'Checking' })
  })

  it('describes the version that was published at an instant', async () => {
    const before = await explain(`${accounts}/101`)
    const at = new Date().toISOString()
    api.books.accounts = api.books.accounts.map((account) => (account.id === '101' ? { ...account, name: 'Renamed' } : account))
    await api.syncHarness.sync(api.connectionId)
    expect(field(await explain(`${accounts}/101`), 'name')?.result).toBe('Renamed')
    const then = (await api.call('GET', `${accounts}/101/explanation?asOf=${at}`)).json() as unknown as Answer
    expect({ ...then, replacedOn: null }).toEqual(before)
    expect(then.replacedOn).not.toBeNull()
    expect((await api.call('GET', `${accounts}/101/explanation?asOf=2020-01-01`)).statusCode).toBe(404)
    expect((await api.call('GET', `${accounts}/101/explanation?asOf=noon`)).statusCode).toBe(400)
  })

  it('says of a deleted record that the source no longer has it', async () => {
    api.books.accounts = api.books.accounts.filter(({ id }) => id !== '102')
    await api.syncHarness.sync(api.connectionId)
    const answer = await explain(`${accounts}/102`)
    expect(answer).toMatchObject({ isDeleted: true, currentMapping: { gives: 'same' } })
    expect(field(answer, 'statusSystem')).toMatchObject({
      result: 'DELETED',
      rule: { kind: 'engine', text: expect.stringContaining('no longer') },
    })
  })

  it('is the same for an id of another service, of another instance and a nonexistent one', async () => {
    const bank = `/normalized-data/${api.syncHarness.companyId}/banking/accounts/${api.syncHarness.serviceId(api.bank)}`
    const answers = await Promise.all(
      [`${accounts}/${randomUUID()}`, `${accounts}/chequing`, `${bank}/${idOf('100')}`].map((path) =>
        api.call('GET', `${path}/explanation`),
      ),
    )
    const texts = answers.map(({ statusCode, payload }) => [
      statusCode,
      payload.replace(/"requestId":"[^"]+"/, '').replace(/"instance":"[^"]+"/, ''),
    ])
    expect(new Set(texts.map(String)).size).toBe(1)
    expect(texts[0]?.[0]).toBe(404)
    const transactions = `/normalized-data/${api.syncHarness.companyId}/accountancy/transactions/${api.syncHarness.serviceId(api.books)}`
    expect((await api.call('GET', `${transactions}/${randomUUID()}/explanation`)).statusCode).toBe(404)
  })

  it('says when the raw page was deleted', async () => {
    const before = await explain(`${accounts}/105`)
    await api.syncHarness.deps.database.query('delete from raw_pages where id = $1', [before.rawPage.id])
    const answer = await explain(`${accounts}/105`)
    expect(answer.rawPage).toMatchObject({ id: before.rawPage.id, isKept: false, receivedOn: null })
    expect(answer.currentMapping).toMatchObject({ gives: 'unknown', reason: 'the raw page is no longer kept' })
    expect(field(answer, 'name')).toMatchObject({ result: 'Account 5', rule: null, raw: [] })
  })

  it('is not available for a disconnected connection', async () => {
    const bank = `/normalized-data/company/${api.syncHarness.companyId}/data-connection/${api.syncHarness.serviceId(api.bank)}`
    await api.call('DELETE', bank)
    const path = `/normalized-data/${api.syncHarness.companyId}/banking/accounts/${api.syncHarness.serviceId(api.bank)}/chequing/explanation`
    expect((await api.call('GET', path)).statusCode).toBe(404)
  })
})

describe('an explanation of real connectors', () => {
  let api: ApiHarness
  let harness: SyncHarness
  let xero: CannedSource
  let files: CannedSource
  beforeAll(async () => {
    xero = await CannedSource.of('xero')
    files = await CannedSource.of('bank-files')
    api = await openApiHarness([xero, files])
    harness = api.syncHarness
    for (const source of [xero, files]) await harness.sync(await harness.connect(source), { reason: 'first' })
  })
  afterAll(async () => await api.close())

  async function explainAll(source: CannedSource, entity: 'Accounts' | 'Transactions'): Promise<Explanation[]> {
    const { database } = harness.deps
    const scope = harness.scopeOf(source)
    const service = await findService(database, harness.deps.sources, harness.instanceId, scope.serviceId)
    if (!service) throw new Error('no service')
    const { rows } = await database.query<{ id: string }>(
      'select id from record_versions where service_id = $1 and entity = $2 and valid_to is null',
      [scope.serviceId, entity],
    )
    const explained = await Promise.all(
      rows.map(({ id }) => explainRecord(harness.deps.database, harness.deps, scope, service, { entity, recordId: id, asOf: null })),
    )
    return explained.filter((one) => one !== null)
  }

  it('says of each published record that the current mapping yields the same', async () => {
    for (const source of [xero, files]) {
      for (const entity of ['Accounts', 'Transactions'] as const) {
        const explained = await explainAll(source, entity)
        expect(explained.length).toBeGreaterThan(0)
        expect(explained.filter(({ current }) => current.gives !== 'same')).toEqual([])
      }
    }
  })

  it('is available for transactions of books and banks', async () => {
    for (const [segment, source] of [
      ['accountancy', xero],
      ['banking', files],
    ] as const) {
      const list = `/normalized-data/${harness.companyId}/${segment}/transactions/${harness.serviceId(source)}`
      const { data } = (await api.call('GET', list)).json() as unknown as { data: Record<string, unknown>[] }
      const answer = (await api.call('GET', `${list}/${data[0]?.id}/explanation`)).json() as unknown as Answer
      expect(Object.fromEntries(answer.fields.map(({ field, result }) => [field, result]))).toEqual(data[0])
      expect(answer.rawPage.isKept).toBe(true)
    }
  })

  it('names the table and the values where a source’s enum value was mapped to ours', async () => {
    const [bank] = (await explainAll(xero, 'Accounts')).filter(({ fields }) =>
      fields.some(({ field, result }) => field === 'typeApp' && result === 'BANK'),
    )
    const type = bank?.fields.find(({ field }) => field === 'typeSystem')
    expect(type?.rule?.kind).toBe('table')
    expect(type?.rule?.text).toMatch(/^typeSystem table of .+: "BANK", ".+" → (BANK|CREDIT_CARD)$/)
  })

  it('contains no full account number', async () => {
    const text = JSON.stringify(
      (await explainAll(files, 'Accounts')).map(({ fields }) => fields.map(({ field, raw }) => (field === 'origId' ? [] : raw))),
    )
    expect(text).toContain('••••')
    expect(text.match(/"value":"?\d{9,}/g)).toBeNull()
  })

  it('says what the current mapping would change, field by field', async () => {
    const { database } = harness.deps
    await database.query(`update record_versions set doc = replace(doc, '"currency":"CAD"', '"currency":"ZZZ"'), mapping_version = 0`)
    const explained = (await explainAll(xero, 'Accounts')).filter(({ fields }) =>
      fields.some(({ field, result }) => field === 'currency' && result === 'ZZZ'),
    )
    expect(explained.length).toBeGreaterThan(0)
    for (const { current, fields, version } of explained) {
      expect([current.gives, current.version, version.mappingVersion]).toEqual(['different', accountMapping.version, 0])
      expect(fields.filter(({ isSameNow }) => !isSameNow).map(({ field, resultNow }) => [field, resultNow])).toEqual([['currency', 'CAD']])
    }
  })
})
