import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { ERROR } from '../../src/api/scim/messages/schemas.ts'
import { takeSnapshot } from '../audit/watch.ts'
import { openForTests } from '../harness/for-tests.ts'
import { GROUP, PATCH, scimHarness, USER } from './harness.ts'

const RUNS = 10_000
/** An answer slower than this counts as hanging. */
const SLOW_MS = 5_000

const api = openForTests(scimHarness)
const users: string[] = []
const groups: string[] = []
beforeAll(async () => {
  await api.giveRoles({ 'Group 0': 'admin', 'Group 1': 'viewer' })
  for (let index = 0; index < 5; index += 1) users.push((await api.user(`user-${index}@example.com`)).id)
  for (let index = 0; index < 3; index += 1) groups.push((await api.group(`Group ${index}`, users.slice(index))).id)
})

const nasty = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom(
    '\u0000',
    "' or 1=1 --",
    '%00',
    '𝕏'.repeat(20),
    '\u202e',
    '__proto__',
    'constructor',
    'null',
    '"',
    'members[value eq "',
    '',
  ),
)
const id = () => fc.oneof(fc.constantFrom(...users, ...groups, api.admin.id), fc.uuid(), nasty)
const value = () =>
  fc.oneof(
    ...[
      nasty,
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.constantFrom('True', 'False', 'a@example.com', 'Group 1', 'user-1@example.com'),
    ],
    fc.array(fc.record({ value: id() }), { maxLength: 3 }),
    fc.record({ value: id(), type: nasty, primary: fc.boolean() }, { requiredKeys: [] }),
    fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text)),
  )
const attribute = fc.constantFrom(
  ...[
    'userName',
    'externalId',
    'active',
    'displayName',
    'name',
    'emails',
    'members',
    'groups',
    'id',
    'schemas',
    'meta',
    'password',
    'title',
    'urn:x:y',
  ],
)
const path = fc.oneof(
  attribute,
  fc.constantFrom(
    'name.givenName',
    'emails[type eq "work"].value',
    'emails[primary eq true]',
    'members[value eq "x"]',
    'emails.value',
    'a[',
    'a.b.c',
  ),
  nasty,
)
const filter = fc.oneof(
  fc.constantFrom(
    'userName eq "user-1@example.com"',
    'displayName sw "group" and id pr',
    'active eq true or externalId eq "1"',
    'not (userName pr)',
  ),
  fc
    .tuple(attribute, fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'le', 'pr', 'is'), nasty)
    .map(([name, op, text]) => `${name} ${op} ${JSON.stringify(text)}`),
  nasty,
)

const resource = (): fc.Arbitrary<object> =>
  fc.oneof(
    fc
      .tuple(fc.dictionary(attribute, value(), { maxKeys: 5 }), fc.constantFrom([USER], [GROUP], [PATCH], [], null))
      .map(([attributes, schemas]) => ({ ...attributes, schemas })),
    // In half of them the name is taken, so that no seed goes without a 409.
    fc
      .oneof(fc.uuid(), fc.constant('user-1'))
      .map((name) => ({ schemas: [USER, GROUP], userName: `${name}@example.com`, displayName: name })),
  )
const patch = () =>
  fc.record({
    schemas: fc.constantFrom([PATCH], [PATCH], [USER]),
    Operations: fc.array(
      fc.record({ op: fc.constantFrom('add', 'Replace', 'remove', 'move'), path, value: value() }, { requiredKeys: ['op'] }),
      { maxLength: 4 },
    ),
  })

const request = () =>
  fc.record({
    method: fc.constantFrom('GET', 'GET', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE'),
    type: fc.constantFrom('Users', 'Groups'),
    tail: fc.oneof(
      fc.constant(''),
      fc.constant('/.search'),
      id().map((each) => `/${encodeURIComponent(each)}`),
    ),
    query: fc.dictionary(
      fc.constantFrom('filter', 'startIndex', 'count', 'attributes', 'excludedAttributes', 'sortBy'),
      fc.oneof(filter, nasty, fc.constantFrom('1', '-1', '5')),
      { maxKeys: 3 },
    ),
    body: fc.oneof(
      resource().map((each) => JSON.stringify(each)),
      patch().map((each) => JSON.stringify(each)),
      fc.json({ maxDepth: 3 }),
      nasty,
    ),
    contentType: fc.constantFrom('application/scim+json', 'application/scim+json', 'application/json', 'text/plain'),
    ifMatch: fc.option(fc.constantFrom('*', 'W/"1"', '"x"', ','), { nil: null, freq: 5 }),
  })

it(`answers ${RUNS} generated requests as SCIM says: no internal error, and a refused request changes nothing`, async () => {
  let before = await digest()
  let count = 0
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(request(), async ({ method, type, tail, query, body, contentType, ifMatch }) => {
      const search = new URLSearchParams(query).toString()
      const started = performance.now()
      const answer = await api.app.inject({
        method: method as 'GET',
        url: `/scim/v2/${type}${tail.isWellFormed() ? tail : ''}${search ? `?${search}` : ''}`,
        headers: {
          authorization: `Bearer ${api.key}`,
          ...(method === 'GET' ? {} : { 'content-type': contentType }),
          ...(ifMatch ? { 'if-match': ifMatch } : {}),
        },
        ...(method === 'GET' ? {} : { payload: body }),
      })
      const label = `${method} ${type}${tail}: ${answer.statusCode} ${answer.payload.slice(0, 300)}`
      statuses.add(answer.statusCode)
      expect(performance.now() - started, label).toBeLessThan(SLOW_MS)
      expect(answer.statusCode, label).toBeLessThan(500)
      if (answer.statusCode >= 400) {
        expect(answer.headers['content-type'], label).toMatch(/^application\/scim\+json/)
        expect(answer.json(), label).toMatchObject({
          schemas: [ERROR],
          status: String(answer.statusCode),
          detail: expect.stringMatching(/\S/),
        })
      }
      // A digest after each request would take minutes; a change is still found at the next look.
      const isRefused = answer.statusCode >= 400
      count += 1
      if (isRefused && count % 50 !== 0) return
      const after = await digest()
      if (isRefused) expect(after, label).toBe(before)
      before = after
    }),
    { numRuns: RUNS, endOnFailure: true, ...(process.env.FC_SEED ? { seed: Number(process.env.FC_SEED) } : {}) },
  )
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 400, 404, 409, 412, 415]))
  const { rows } = await api.deps.database.query(`select from users where role = 'admin' and disabled_at is null`)
  expect(rows.length, 'administrators').toBeGreaterThan(0)
}, 300_000)

async function digest(): Promise<string> {
  const { tables, entries } = await takeSnapshot(api.deps.database)
  return JSON.stringify([[...tables].filter(([name]) => name !== 'api_keys'), entries])
}
