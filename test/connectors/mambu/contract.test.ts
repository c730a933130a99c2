import { beforeAll, describe, expect, test } from 'vitest'
import type { Kit } from '../../../src/connectors/contract/contract.ts'
import { mambuConnector } from '../../../src/connectors/mambu/client.ts'
import { mambu } from '../../../src/connectors/mambu/index.ts'
import { refusalOf, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { submit } from '../../harness/form.ts'
import { pagesOf } from '../core-bank/reading.ts'
import { openHarness } from './harness.ts'
import { HAS_DOCUMENTS, loadDocuments } from './provider-document.ts'

const BANK = { description: mambu, connector: mambuConnector }

/** Documented at docs.mambu.com but not in the saved documents. */
const BEYOND = /^\/api\/(setup\/organization|groups\/[^/]+|loans\/[^/]+\/(schedule|transactions))$/

interface Exchange {
  path: string
  query: string
  headers: Record<string, string>
  status: number
  answered: Record<string, string>
  body: unknown
}

describe.skipIf(!HAS_DOCUMENTS)('Mambu’s own documents (skipped without ../shared/specs)', () => {
  const seen: Exchange[] = []
  const documents = openForTests(loadDocuments)
  const harness = openForTests(openHarness)

  /** A kit that records requests and answers. */
  function watched(kit: Kit): Kit {
    const http: Kit['http'] = async (request) => {
      const response = await kit.http(request)
      const { pathname, search } = new URL(request.url)
      const body: unknown = JSON.parse(new TextDecoder().decode(response.body))
      const { status, headers: answered } = response
      seen.push({ path: pathname, query: search.slice(1), headers: request.headers ?? {}, status, answered, body })
      return response
    }
    return { ...kit, http }
  }

  beforeAll(async () => {
    const kit = watched(harness.kit)
    for (const holder of ['MTL-0042', 'GRP-7', 'MTL-0050']) {
      const session = sessionOf({ kit }, await submit({ ...harness, kit }, { holder }))
      for (const { name } of mambuConnector.pulls) await pagesOf(BANK, session, name)
    }
    await refusalOf(submit({ ...harness, kit }, { apiKey: 'wrong' }))
    await refusalOf(submit({ ...harness, kit }, { apiKey: 'sandbox-apikey-comptoir' }))
    await refusalOf(submit({ ...harness, kit }, { holder: 'NOBODY' }))
  })

  test('describe every request except those for schedules, groups, the organization and loan transactions', () => {
    expect([...new Set(seen.map(({ path }) => path))].filter((path) => !documents.knows(path) && !BEYOND.test(path))).toEqual([])
    expect(seen.filter(({ path }) => documents.knows(path)).length).toBeGreaterThan(25)
  })

  test('accept every request of the connector', () => {
    const known = seen.filter(({ path }) => documents.knows(path))
    expect(known.map((exchange) => documents.requestProblem(exchange)).filter((problem) => problem !== null)).toEqual([])
    expect(known.every(({ headers }) => headers.accept === 'application/vnd.mambu.v2+json')).toBe(true)
  })

  test('accept every answer of the simulator, with the paging that the connector relies on', () => {
    const known = seen.filter(({ path, query }) => documents.knows(path) && !query.endsWith('limit=1'))
    const problems = known.map(({ path, status, body, answered }) => documents.responseProblem({ path, status, body, headers: answered }))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
    expect(new Set(known.map(({ status }) => status))).toEqual(new Set([200, 401, 403, 404]))
  })

  test('reject a wrong enum value and a wrong parameter, so these tests can fail', () => {
    const path = '/api/deposits'
    expect(documents.requestProblem({ path, query: 'detailsLevel=ALL', headers: {} })).not.toBeNull()
    expect(documents.requestProblem({ path, query: 'holder=1', headers: {} })).not.toBeNull()
    expect(documents.responseProblem({ path, status: 200, body: [{ accountType: 'GREEN' }], headers: {} })).not.toBeNull()
  })
})
