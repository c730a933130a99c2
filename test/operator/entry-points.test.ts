import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { OwnerRateLimits } from '../../src/connect/http/request-limits.ts'
import { connectPages } from '../../src/connect/pages.ts'
import { documentationRoutes } from '../../src/documentation/routes.ts'
import { buildDocumentation } from '../../src/process/built/documentation-files.ts'
import { issueOwnerAccess } from '../../src/sync/owner/owner-access.ts'
import { readReferencePages } from '../../tools/docs/api-document.ts'
import { withoutInstanceFilter } from '../api/without-instance-filter.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { type EntryPoint, type EntryPointCaller, HOOKED, listEntryPoints, type Template } from './entry-points.ts'
import { type OperatorHarness, operatorHarness } from './harness.ts'
import { contentOf, makeTenant, namesIn, type Tenant, UNLIMITED } from './tenants.ts'

const RUNS = effort.entryPointRequests
/** An answer slower than this counts as hanging. */
const SLOW_MS = 5_000
const MOST = 1_000_000

const api = openForTests(() => operatorHarness(UNLIMITED, HOOKED))
let tenants: Tenant[]
/** Instances without generated rows, whose own requests succeed. */
let callers: Tenant[]
let entryPoints: EntryPoint[]
/** The service as it is, and one in which every query omits the instance filter, so that only row-level security separates the tenants. */
let apps: Record<'as it is' | 'with forgetful queries', FastifyInstance>

beforeAll(async () => {
  const folder = await buildDocumentation()
  const open = async (deps: OperatorHarness['deps']) => {
    const app = createApi({ ...deps, metrics: new Registry() })
    const limits = new OwnerRateLimits({ changes: MOST, unknownLinks: MOST })
    app.register(connectPages({ ...deps.sync, signing: deps.keys.signing, limits }))
    app.register(documentationRoutes({ folder: () => folder, baseUrl: deps.sync.baseUrl, reference: readReferencePages }))
    await app.ready()
    return app
  }
  const database = withoutInstanceFilter(api.deps.database)
  apps = {
    'as it is': await open(api.deps),
    'with forgetful queries': await open({ ...api.deps, database, sync: { ...api.deps.sync, database } }),
  }
  const { token } = await api.signIn()
  tenants = [
    await makeTenant(api, token, 'Maple Lending'),
    await makeTenant(api, token, 'Birch Credit'),
    await makeTenant(api, token, 'Érable Crédit'),
  ]
  callers = [await makeTenant(api, token, 'Cedar Loans', false), await makeTenant(api, token, 'Crédit Mélèze', false)]
  entryPoints = listEntryPoints(api, openOwnerPage)
}, 180_000)
afterAll(async () => {
  await Promise.all(Object.values(apps ?? {}).map((app) => app.close()))
})

/** The page of a new company of the tenant: its cookie, and the token of its forms. */
async function openOwnerPage(tenant: Tenant): Promise<{ cookie: string; form: string }> {
  const companyId = await addCompany(api.deps.database, tenant.id, { name: 'Boulangerie du Plateau' })
  const address = new URL(await issueOwnerAccess(api.deps.sync, { instanceId: tenant.id, companyId, language: 'en' }))
  const opened = await apps['as it is'].inject({ url: `${address.pathname}${address.search}` })
  const cookie = opened.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const page = await apps['as it is'].inject({ url: '/connect/yours/address', headers: { cookie } })
  return { cookie, form: /name="form" value="([^"]+)"/.exec(page.payload)?.[1] ?? '' }
}

const withIds = (text: string, ids: Record<string, string>) => text.replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole)
const namesOf = ({ url, body = '' }: Template) => namesIn(url + body)
const idsFor = (template: Template, idOf: (name: string) => string) =>
  Object.fromEntries(namesOf(template).flatMap((name) => (name === 'form' ? [] : [[name, idOf(name)]])))
const randomIds = (template: Template) => idsFor(template, () => randomUUID())
const idsOf = (tenant: Tenant, template: Template) => idsFor(template, (name) => tenant.ids[name] ?? '')

/** Status, address and text of the answer, without the ids that were sent and what always differs. */
async function ask(
  app: FastifyInstance,
  entryPoint: EntryPoint,
  template: Template,
  caller: EntryPointCaller,
  ids: Record<string, string>,
) {
  const { method, url, body } = template
  const given = { ...ids, form: caller.form ?? '' }
  const hasBody = body !== undefined && body !== '' && method !== 'GET'
  const { 'content-type': type, ...others } = entryPoint.headers
  const answer = await app.inject({
    method,
    url: withIds(url, given),
    headers: { ...others, ...(hasBody && type !== undefined ? { 'content-type': type } : {}), ...caller.headers },
    ...(hasBody ? { payload: withIds(body, given) } : {}),
  })
  const requestId = String(answer.headers['x-request-id'])
  const plain = `${String(answer.headers.location ?? '')} ${answer.payload}`.replaceAll(requestId, '<request>')
  return `${answer.statusCode} ${Object.values(ids).reduce((text, id) => (id === '' ? text : text.replaceAll(id, '<id>')), plain)}`
}

describe.each(['as it is', 'with forgetful queries'] as const)('an id of another instance, %s,', (kind) => {
  it.each(['/scim/v2', '/mcp', '/connect', '/docs', '/hooks', '/receiver'])(
    'gets the same bytes as an unknown one at %s',
    async (name) => {
      const entryPoint = entryPoints.find((each) => each.name === name)
      const [victim, ...others] = tenants
      if (!entryPoint || !victim) throw new Error(`there is no entryPoint ${name}`)
      const before = await contentOf(api.deps.database, victim.id)
      for (const tenant of others) {
        for (const caller of await entryPoint.callersOf(tenant)) {
          for (const template of entryPoint.templates) {
            const label = `${template.method} ${template.url} ${template.body ?? ''} as ${caller.name}`
            const unknown = await ask(apps[kind], entryPoint, template, caller, randomIds(template))
            expect(await ask(apps[kind], entryPoint, template, caller, idsOf(victim, template)), label).toBe(unknown)
            // Without the filter, generated rows of the tenant's own are found as well, and cannot be read.
            if (kind === 'as it is') expect(Number(unknown.slice(0, 3)), label).toBeLessThan(500)
          }
        }
      }
      expect(await contentOf(api.deps.database, victim.id)).toEqual(before)
    },
    120_000,
  )
})

it('a page of owners at an address that the whole service refuses is a page that says so', async () => {
  for (const url of ['/connect/yours?a=%00', '/connect/%00', '/connect/consent?link=%00&lang=fr']) {
    const { statusCode, headers, payload } = await apps['as it is'].inject({ url })
    expect([statusCode, String(headers['content-type']), payload.includes('<h1')]).toEqual([400, 'text/html; charset=utf-8', true])
  }
})

it('/docs answers everybody alike', async () => {
  const entryPoint = entryPoints.find(({ name }) => name === '/docs')
  const [tenant] = tenants
  if (!entryPoint || !tenant) throw new Error('there are no documents')
  const everybody = await entryPoint.callersOf(tenant)
  for (const template of entryPoint.templates) {
    const answers = new Set<string>()
    for (const caller of everybody) answers.add(await ask(apps['as it is'], entryPoint, template, caller, idsOf(tenant, template)))
    expect(answers.size, template.url).toBe(1)
  }
})

const nasty = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 10 }).map((text) => text.toWellFormed()),
  fc.constantFrom('\0', "' or 1=1 --", '../../etc', '..', '-1', '1e309', '\u202e', 'true', '%00', '%', '<script>', '{}'),
)

it.each(['/scim/v2', '/mcp', '/connect', '/docs', '/hooks', '/receiver'])(
  `${RUNS} generated requests at %s are answered, show nothing of another instance and change nothing of it`,
  async (name) => {
    const entryPoint = entryPoints.find((each) => each.name === name)
    const [victim] = tenants
    if (!entryPoint || !victim) throw new Error(`there is no entryPoint ${name}`)
    const everybody = (await Promise.all(callers.map((tenant) => entryPoint.callersOf(tenant)))).flat()
    const before = await contentOf(api.deps.database, victim.id)
    const statuses = new Map<number, number>()
    const request = fc.record({
      template: fc.constantFrom(...entryPoint.templates),
      caller: fc.constantFrom(...everybody),
      ids: fc.constantFrom('foreign', 'foreign', 'random', 'garbage'),
      method: fc.option(fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), { nil: null, freq: 2 }),
      body: fc.option(
        fc.oneof(nasty, fc.json({ maxDepth: 3 }), fc.constantFrom('{', '[]', '{"__proto__":{"a":1}}', '{"a":1,"a":2}', 'a=%zz&a')),
        {
          nil: null,
        },
      ),
      query: fc.dictionary(fc.string({ maxLength: 8 }), nasty, { maxKeys: 2 }),
      garbage: nasty,
      header: fc.option(
        fc.tuple(
          fc.constantFrom(
            'accept',
            'content-type',
            'cookie',
            'if-none-match',
            'if-match',
            'origin',
            'accept-language',
            'mcp-protocol-version',
          ),
          fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '')),
        ),
        { nil: null },
      ),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ template, caller, ids, method, body, query, garbage, header }) => {
        const search = new URLSearchParams(query).toString()
        const wanted: Template = {
          method: method ?? template.method,
          url: search === '' ? template.url : `${template.url}${template.url.includes('?') ? '&' : '?'}${search}`,
          body: body ?? template.body ?? '',
        }
        const encoded = encodeURIComponent(garbage)
        const given = { foreign: idsOf(victim, template), random: randomIds(template), garbage: idsFor(template, () => encoded) }[ids]
        const headers = { ...caller.headers, ...(header ? { [header[0]]: header[1] } : {}) }
        const startedMs = performance.now()
        const answer = await ask(apps['as it is'], entryPoint, wanted, { ...caller, headers }, given)
        const label = `${wanted.method} ${wanted.url} ${wanted.body} as ${caller.name}: ${answer.slice(0, 300)}`
        const status = Number(answer.slice(0, 3))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        // SCIM answers 501 to what it says it does not support.
        expect(status < 500 || status === 501, label).toBe(true)
        expect(performance.now() - startedMs, label).toBeLessThan(SLOW_MS)
        expect(
          Object.values(victim.ids).filter((id) => id !== '' && answer.includes(id)),
          label,
        ).toEqual([])
      }),
      { numRuns: RUNS, endOnFailure: true, ...(process.env.FC_SEED ? { seed: Number(process.env.FC_SEED) } : {}) },
    )
    expect(await contentOf(api.deps.database, victim.id)).toEqual(before)
    reportFigure(
      `requests at ${name}`,
      `${RUNS}: ${[...statuses]
        .sort()
        .map(([status, count]) => `${status} × ${count}`)
        .join(', ')}`,
    )
  },
  600_000,
)
