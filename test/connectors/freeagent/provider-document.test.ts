import { existsSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { OpenAPIBackend } from 'openapi-backend'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freeagentConnector } from '../../../src/connectors/freeagent/client.ts'
import { readAccounts } from '../../../src/connectors/freeagent/read.ts'
import { listPages, mapSamples, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { connect, refresh } from '../../harness/redirect.ts'
import { type Harness, openHarness } from './harness.ts'

const DOCUMENT = new URL('../../../../shared/specs/accounting/freeagent-openapi.community.yaml', import.meta.url)
const SAMPLE = new URL('../../../../shared/samples/accounting/freeagent/categories.list.json', import.meta.url)

/**
 * Parameters that the document omits. Source: https://dev.freeagent.com/docs/introduction#pagination and
 * …/docs/categories
 */
const MISSING_PARAMETERS = ['page', 'per_page', 'sub_accounts']

interface Exchange {
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  body: unknown
  status: number
  answer: Record<string, unknown>
}

describe.skipIf(!existsSync(DOCUMENT))('against the community’s OpenAPI document (skipped without ../shared/specs)', () => {
  const harness = openForTests(openHarness)
  let backend: OpenAPIBackend
  let document: Record<string, unknown>
  const exchanges: Exchange[] = []

  beforeAll(async () => {
    const recording = { ...harness, kit: { ...harness.kit, http: record } }
    const grant = await connect(recording)
    await refresh(recording, grant.credentials)
    const session = sessionOf(recording, await connect(recording))
    for (const name of ['accounts', 'transactions']) await listPages(session, pullNamed(freeagentConnector, name))
    document = Object(parse(readFileSync(DOCUMENT, 'utf8')))
    // The document leaves its server empty.
    backend = new OpenAPIBackend({
      definition: { ...Object(document), servers: [{ url: '/' }] },
      quick: true,
      validate: true,
      ajvOpts: { strict: false },
    })
    await backend.init()
  })

  async function record(call: Parameters<Harness['kit']['http']>[0]) {
    const answer = await harness.kit.http(call)
    const url = new URL(call.url)
    exchanges.push({
      method: (call.method ?? 'GET').toLowerCase(),
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: call.headers ?? {},
      body: typeof call.body === 'string' ? Object.fromEntries(new URLSearchParams(call.body)) : undefined,
      status: answer.status,
      answer: Object(JSON.parse(new TextDecoder().decode(answer.body))),
    })
    return answer
  }

  /** The document's schema of a record for writes. */
  function written(path: string, name: string): object {
    const content = Object(document.paths)[path].post.requestBody.content['application/json']
    return { ...content.schema.properties[name], type: 'object' }
  }

  test('every request of the connector is in the document and valid', () => {
    const problems = exchanges.flatMap(({ method, path, query, headers, body }) => {
      const known = Object.fromEntries(Object.entries(query).filter(([name]) => !MISSING_PARAMETERS.includes(name)))
      const request = { method, path, query: known, headers, body }
      const operation = backend.matchOperation(request)
      if (!operation) return [`${method} ${path} is not in the document`]
      const { valid, errors } = backend.validator.validateRequest(request, operation)
      return valid ? [] : [`${method} ${path}: ${JSON.stringify(errors)}`]
    })
    expect(problems).toEqual([])
    expect(new Set(exchanges.map(({ path }) => path)).size).toBe(6)
  })

  test('every answer of the simulator has a status that the document declares', () => {
    const undeclared = exchanges.filter(({ method, path, status }) => {
      const operation = backend.matchOperation({ method, path, headers: {} })
      return !Object.hasOwn(operation?.responses ?? {}, String(status))
    })
    expect(undeclared).toEqual([])
  })

  test('bank accounts and spending categories have the types of the document’s write schemas', () => {
    const ajv = new Ajv({ strict: false })
    const rowsOf = (key: string) => exchanges.flatMap(({ answer }) => Object.values(Object(answer[key])))
    const isBank = ajv.compile(written('/v2/bank_accounts', 'bank_account'))
    const isCategory = ajv.compile(written('/v2/categories', 'category'))
    const checks = [
      ...rowsOf('bank_accounts').map((row) => isBank(row)),
      ...rowsOf('admin_expenses_categories').map((row) => isCategory(row)),
    ]
    expect(checks.length).toBeGreaterThan(20)
    expect(new Set(checks)).toEqual(new Set([true]))
  })

  test('the document is really applied to the requests: a wrong path and method are detected', () => {
    expect([
      backend.matchOperation({ method: 'get', path: '/v2/categorys', headers: {} }),
      backend.matchOperation({ method: 'delete', path: '/v2/company', headers: {} }),
    ]).toEqual([undefined, undefined])
  })
})

test.skipIf(!existsSync(SAMPLE))('the documentation’s categories are read and mapped (skipped without ../shared/samples)', () => {
  const bytes = (body: object) => new TextEncoder().encode(JSON.stringify(body))
  const company = { company: { type: 'UkLimitedCompany', currency: 'GBP' } }
  const answers = { company: bytes(company), categories: readFileSync(SAMPLE), 'bankAccounts.1': bytes({ bank_accounts: [] }) }
  const mapped = mapSamples(freeagentConnector, [...readAccounts(answers)]).map(({ number, name, typeSystem, subTypeSystem }) => [
    number,
    name,
    typeSystem,
    subTypeSystem,
  ])
  expect(mapped).toEqual([
    ['285', 'Accommodation and Meals', 'EXPENSE', ''],
    ['102', 'Commission Paid', 'COST_OF_GOODS_SOLD', ''],
    ['001', 'Sales', 'INCOME', 'SALES'],
    ['051', 'Interest Received', 'OTHER_INCOME', 'INTEREST_INCOME'],
  ])
})
