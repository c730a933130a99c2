import { beforeAll, describe, expect, test } from 'vitest'
import { businessCentralConnector } from '../../../src/connectors/business-central/client.ts'
import { pullNamed, runPull, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { connect } from '../../harness/redirect.ts'
import { DENTAL, NORDLYS, openHarness } from './harness.ts'
import { HAS_DOCUMENT, loadProviderDocument } from './provider-document.ts'

const LOADING_MS = 60_000

/** A request to a company's environment. */
interface Asked {
  path: string
  query: URLSearchParams
  body: unknown
}

describe.skipIf(!HAS_DOCUMENT)('Microsoft’s own document of the API (skipped without ../shared/specs/accounting)', () => {
  const document = openForTests(loadProviderDocument)
  const harness = openForTests(() => openHarness({ giantAccounts: 6_000 }))
  const asked: Asked[] = []

  beforeAll(async () => {
    const kit = {
      ...harness.kit,
      http: async (call: Parameters<typeof harness.kit.http>[0]) => {
        const response = await harness.kit.http(call)
        const url = new URL(call.url)
        const path = /\/api\/v2\.0(\/.*)$/.exec(decodeURIComponent(url.pathname))?.[1]
        if (path !== undefined) asked.push({ path, query: url.searchParams, body: JSON.parse(Buffer.from(response.body).toString()) })
        return response
      },
    }
    for (const [login, companyId] of [
      ['erin', DENTAL],
      ['luc', NORDLYS],
      ['load', undefined],
    ] as const) {
      const session = { ...sessionOf(harness, await connect({ ...harness, kit }, { login }, companyId)), kit }
      for (const name of ['accounts', 'generalLedgerEntries']) await runPull(session, pullNamed(businessCentralConnector, name))
    }
  }, LOADING_MS)
  test('three complete connections were checked, including lists of every kind and links to further pages', () => {
    const kinds = new Set(asked.map(({ path }) => path.split('/').at(-1)))
    expect([...kinds].sort()).toEqual(['accounts', 'companies', 'companyInformation', 'generalLedgerEntries'])
    expect(asked.some(({ query }) => query.has('$skiptoken'))).toBe(true)
  })

  test('every request of the connector is in the document', () => {
    expect(asked.map(({ path, query }) => document.requestProblem(path, query)).filter((problem) => problem !== null)).toEqual([])
  })

  test('every answer of the simulator is in the document', () => {
    expect(asked.map(({ path, body }) => document.responseProblem(path, body)).filter((problem) => problem !== null)).toEqual([])
  })

  test('the document is really applied to both: a wrong option and a wrong type are detected', () => {
    const path = `/companies(${DENTAL})/accounts`
    expect(document.requestProblem(path, new URLSearchParams({ $select: 'id,iban' }))).toContain('enum')
    expect(document.responseProblem(path, { value: [{ id: 'b0a7c0de-0001-4ee1-8f6e-6045bd9dec5b', blocked: 'no' }] })).toContain('boolean')
  })
})
