import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { withoutInstanceFilter } from '../api/without-instance-filter.ts'
import { openForTests } from '../harness/for-tests.ts'
import { effort } from '../prove/effort.ts'
import { operatorHarness } from './harness.ts'
import { contentOf, makeTenant, namesIn, requireKnownNames, type Tenant, UNLIMITED } from './tenants.ts'

/** Generated requests for each operation. */
const RUNS = effort.apiRequests

interface Operation {
  method: string
  path: string
  id: string
}
const api = openForTests(() => operatorHarness(UNLIMITED))
let operator: string
let tenants: Tenant[]
let operations: Operation[]
let operatorOperations: Operation[]

beforeAll(async () => {
  operator = (await api.signIn()).token
  operations = [...(await listOperations('/admin/api/openapi.json')), ...(await listOperations('/admin/api/administration.json'))]
  operatorOperations = await listOperations('/operator/api/openapi.json')
  requireKnownNames(operations.map(({ path }) => path))
  tenants = [await make('Maple Lending'), await make('Birch Credit'), await make('Érable Crédit')]
}, 120_000)

async function listOperations(document: string): Promise<Operation[]> {
  const { paths } = (await api.app.inject({ url: document })).json<{ paths: Record<string, Record<string, { operationId: string }>> }>()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: id }]) =>
      id === undefined ? [] : [{ method: method.toUpperCase(), path, id }],
    ),
  )
}

const make = async (name: string, isFilled = true) => await makeTenant(api, operator, name, isFilled)

async function ask({ method, path }: Operation, token: string | undefined, ids: Record<string, string>): Promise<string> {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none')
  const answer = await api.app.inject({
    method: method as 'GET',
    url,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(method === 'GET' || method === 'DELETE' ? {} : { payload: {} }),
  })
  const text = Object.values(ids).reduce((from, id) => (id === '' ? from : from.replaceAll(id, '<id>')), answer.payload)
  return `${answer.statusCode} ${text.replace(/"requestId":"[^"]+"/, '')}`
}

const randomIds = (operation: Operation) => Object.fromEntries(namesIn(operation.path).map((name) => [name, randomUUID()]))

describe('of three instances made by an operator', () => {
  it('none tells another’s id from an unknown one, at any operation, for any role and scope', async () => {
    const [first, ...others] = tenants
    const withIds = operations.filter((operation) => namesIn(operation.path).some((name) => name in (first?.ids ?? {})))
    expect(withIds.length).toBeGreaterThan(40)
    // Its own administrator can tell, so that these ids are of things that exist.
    let told = 0
    for (const operation of withIds.filter(({ method }) => method === 'GET')) {
      const admin = first?.callers.get('admin')
      if ((await ask(operation, admin, first?.ids ?? {})) !== (await ask(operation, admin, randomIds(operation)))) told += 1
    }
    expect(told).toBeGreaterThan(25)
    for (const operation of withIds) {
      for (const other of others) {
        for (const [caller, token] of other.callers) {
          const unknown = await ask(operation, token, randomIds(operation))
          expect(await ask(operation, token, first?.ids ?? {}), `${operation.id} as ${caller}`).toBe(unknown)
          expect(unknown.slice(0, 3), `${operation.id} as ${caller}`).toMatch(/^4/)
        }
      }
    }
  }, 180_000)

  it('no user and no key is accepted by the API for operators, or learns anything there', async () => {
    const guarded = operatorOperations.filter(({ id }) => !['signInOperator', 'redeemOperatorLink'].includes(id))
    expect(guarded.length).toBeGreaterThan(20)
    for (const operation of guarded) {
      const nobody = await ask(operation, undefined, randomIds(operation))
      expect(nobody, operation.id).toMatch(/^401 /)
      for (const [caller, token] of tenants[0]?.callers ?? []) {
        const known = { instanceId: tenants[1]?.id ?? '', operatorId: randomUUID(), erasureId: randomUUID() }
        expect(await ask(operation, token, known), `${operation.id} as ${caller}`).toBe(nobody)
      }
    }
  }, 60_000)

  it('an operator’s session opens nothing of an instance', async () => {
    const isPublic = (answer: string) => !/^401 /.test(answer)
    for (const operation of operations) {
      const nobody = await ask(operation, undefined, tenants[0]?.ids ?? {})
      if (isPublic(nobody)) continue
      expect(await ask(operation, operator, tenants[0]?.ids ?? {}), operation.id).toMatch(/^401 /)
    }
  }, 60_000)
})

it(`${RUNS} generated requests to the API for operators are answered, and change no instance`, async () => {
  const harmless = operatorOperations.filter(({ id }) => id !== 'signOutOperator' && id !== 'exportInstance')
  const before = await api.deps.database.query('select id, name, kind from instances order by id')
  const known = { instanceId: tenants[0]?.id ?? '', operatorId: randomUUID(), erasureId: randomUUID() }
  const nasty = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('\0', "' or 1=1 --", '../../etc', '-1', '1e309', '\u202e', 'true'))
  const request = fc.record({
    operation: fc.constantFrom(...harmless),
    ids: fc.constantFrom('known', 'random', 'garbage'),
    token: fc.constantFrom(operator, operator, operator, tenants[0]?.callers.get('admin') ?? '', 'garbage'),
    body: fc.oneof(fc.json({ maxDepth: 3 }), nasty, fc.constantFrom('', '{', '[]', '{"__proto__":{"step":"open"}}', '{"name":1}')),
    query: fc.dictionary(fc.string({ maxLength: 8 }), nasty, { maxKeys: 2 }),
    garbage: nasty,
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, ids, token, body, query, garbage }) => {
      const given = { known, random: randomIds(operation), garbage: {} }[ids] as Record<string, string>
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => given[name] ?? encodeURIComponent(garbage))
      const answer = await api.app.inject({
        method: operation.method as 'GET',
        url: `${path}?${new URLSearchParams(query)}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(operation.method === 'GET' ? {} : { payload: body }),
      })
      expect(answer.statusCode, `${operation.id} ${answer.payload}`).toBeLessThan(500)
    }),
    { numRuns: RUNS },
  )
  expect((await api.deps.database.query('select id, name, kind from instances order by id')).rows).toEqual(before.rows)
}, 300_000)

/** The service with queries that do not filter by instance, so that row-level security alone separates the tenants. */
function forgetful() {
  const database = withoutInstanceFilter(api.deps.database)
  return createApi({ ...api.deps, database, metrics: new Registry(), sync: { ...api.deps.sync, database } })
}

const nastyText = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('\0', "' or 1=1 --", '../../etc', '-1', '1e309', '\u202e', 'true'))

describe('generated requests of two instances’ users and keys', () => {
  it.each([
    ['are answered, show nothing of a third and change nothing of it', RUNS, false],
    ['show and change nothing of it either when no query filters by instance: the database refuses its rows', 1_000, true],
  ])(
    '%s',
    async (_what, runs, isForgetful) => {
      const [victim] = tenants
      // Generated rows of their own would be errors inside.
      const callers = [await make('Cedar Loans', false), await make('Crédit Mélèze', false)]
      if (!victim) throw new Error('there is no instance')
      const app = isForgetful ? forgetful() : api.app
      const harmless = operations.filter(({ id }) => !/^(login|refreshToken|logout|endSession)/i.test(id))
      const before = await contentOf(api.deps.database, victim.id)
      const request = fc.record({
        operation: fc.constantFrom(...harmless),
        ids: fc.constantFrom('foreign', 'foreign', 'random', 'garbage'),
        token: fc.constantFrom(...callers.flatMap((each) => [...each.callers.values()])),
        body: fc.oneof(fc.json({ maxDepth: 3 }), nastyText, fc.constantFrom('', '{', '[]', '{}', `{"id":"${victim.ids.companyId}"}`)),
        query: fc.dictionary(fc.string({ maxLength: 8 }), nastyText, { maxKeys: 2 }),
        garbage: nastyText,
      })
      const statuses = new Map<number, number>()
      await fc.assert(
        fc.asyncProperty(request, async ({ operation, ids, token, body, query, garbage }) => {
          const given = { foreign: victim.ids, random: randomIds(operation), garbage: {} }[ids] as Record<string, string>
          const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => given[name] ?? encodeURIComponent(garbage))
          const answer = await app.inject({
            method: operation.method as 'GET',
            url: `${path}?${new URLSearchParams(query)}`,
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            ...(operation.method === 'GET' ? {} : { payload: body }),
          })
          statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
          if (!isForgetful) expect(answer.statusCode, `${operation.id} ${answer.payload}`).toBeLessThan(500)
          expect(answer.payload.includes(victim.id), operation.id).toBe(false)
          if (ids === 'foreign' && namesIn(operation.path).some((name) => name in victim.ids))
            expect(answer.statusCode, operation.id).toBeGreaterThanOrEqual(400)
        }),
        { numRuns: runs },
      )
      expect(await contentOf(api.deps.database, victim.id)).toEqual(before)
      expect([...statuses.keys()]).toContain(200)
      if (isForgetful) await app.close()
    },
    300_000,
  )
})
