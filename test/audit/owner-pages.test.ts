import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { enterActorScope } from '../../src/api/http/audit-scope.ts'
import { ownScope, withinActor } from '../../src/audit/actor.ts'
import { auditWriter } from '../../src/audit/record.ts'
import { requireAuditRule } from '../../src/audit/rule.ts'
import { issueLink } from '../../src/sync/links/link.ts'
import { Owner } from '../connect/kit/owner.ts'
import { testKeys } from '../harness/keys.ts'
import { type OwnerPageHarness, openOwnerPageHarness } from '../owner/harness.ts'
import { listChanged, type Snapshot, takeSnapshot } from './watch.ts'
import { expectWrittenEntries } from './written-entries.ts'

/** Where an owner resumes, and when a link was last opened. */
const RESUMED = new Set(['GET /connect/source links', 'POST /connect/hand-off/cancel links'])

let harness: OwnerPageHarness
const faults: string[] = []
/** Routes that left an entry, with their actions. */
const recorded = new Map<string, Set<string>>()
const changing = new Map<string, boolean>()

/** Like the full server, and compares the tables before and after each request. */
function prepare(app: FastifyInstance, keys: Awaited<ReturnType<typeof testKeys>>): void {
  const before = new WeakMap<object, Snapshot>()
  app.decorateRequest('verifiedCaller', null)
  app.decorateRequest('verifiedOperator', null)
  app.addHook('onRoute', (route) => {
    requireAuditRule(route)
    const audit = route.config?.audit
    for (const method of [route.method].flat())
      if (audit !== undefined) changing.set(`${method} ${route.url}`, typeof audit === 'object' && 'none' in audit)
  })
  app.addHook('preHandler', enterActorScope(auditWriter({ keys, now: () => new Date() })))
  app.addHook('onRequest', async (request) => {
    before.set(request, await takeSnapshot(harness.connectHarness.deps.database))
  })
  app.addHook('onSend', async (request) => {
    const earlier = before.get(request)
    const later = await takeSnapshot(harness.connectHarness.deps.database)
    const route = `${request.method} ${request.routeOptions.url}`
    const changed = earlier ? listChanged(earlier, later).filter((table) => !RESUMED.has(`${route} ${table}`)) : []
    if (changed.length > 0 && earlier?.entries === later.entries) faults.push(`${route} changes ${changed.join(', ')} and leaves no entry`)
    if (earlier && later.entries > earlier.entries)
      recorded.set(route, new Set([...(recorded.get(route) ?? []), ...(await newest(later.entries - earlier.entries))]))
  })
}

async function newest(count: number): Promise<string[]> {
  const { rows } = await harness.connectHarness.deps.database.query<{ entry: string }>(
    'select entry from audit_entries order by at desc, position desc limit $1',
    [count],
  )
  return rows
    .map(({ entry }) => JSON.parse(entry) as { action: string; actor: string; network: string; subject: string })
    .map(({ action, actor, network, subject }) => {
      if (!['owner', 'helper'].includes(actor) || !network) faults.push(`${action} was done by ${actor} from ${network}`)
      if (!/^[a-z-]+\/[0-9a-f-]{36}$/.test(subject)) faults.push(`${action} was done to ${subject}`)
      return action
    })
}

beforeAll(async () => {
  const keys = await testKeys()
  harness = await openOwnerPageHarness({ keys, prepare: (app) => prepare(app, keys) })
  const { sealer, hashToken } = harness.connectHarness.deps
  harness.connectHarness.deps.mail = { sealer, hashToken }
})
afterAll(() => harness?.close())

it('a link that exists already, made by the same derived token, leaves no second entry', async () => {
  const { deps, link } = harness.connectHarness
  const facts = new URL(await link('form-source')).searchParams
  const [instanceId = '', companyId = '', serviceId = ''] = ['instanceId', 'accountId', 'serviceId'].map((name) => facts.get(name) ?? '')
  const count = async () =>
    (await deps.database.query("select from audit_entries where entry::json ->> 'action' = 'link.created'")).rowCount ?? 0
  const before = await count()
  const writer = auditWriter({ keys: await testKeys(), now: () => new Date() })
  const issue = () => issueLink(deps, { instanceId, companyId, serviceId, issuedBy: '' }, { token: 'derived'.padEnd(43, '0') })
  await withinActor(ownScope(writer, 'command', 'test'), async () => void (await Promise.all([issue(), issue()])))
  expect((await count()) - before).toBe(1)
})

const FORM = { address: 'https://books.example.com', password: 'secret ' }

it('every step of an owner that changes something leaves an entry', async () => {
  const { connectHarness: pages } = harness
  const { origin } = pages

  // A form, first with an error, and reminders.
  const first = new Owner(origin)
  const step = await first.agree(await pages.link('form-source'))
  await first.submit(step, { ...FORM, password: 'wrong' })
  const done = await first.submit(step, FORM)
  await first.submit(done, { email: 'owner@example.com' })
  await harness.work()

  // Files, and the owner's own page.
  const { owner, page } = await harness.connected()
  for (const action of ['pause', 'continue', 'renew', 'withdraw', 'delete']) {
    const connection = /connection=([0-9a-f-]{36})/.exec(page.markup)?.[1] ?? ''
    await owner.submit(await owner.get(`/connect/yours/${action}?connection=${connection}`))
  }
  await owner.submit(await owner.get('/connect/yours/address'))

  // A link that is declined; one that is handed on, revoked, handed on again, and completed by a helper.
  const second = new Owner(origin)
  await second.submit(await second.get(await pages.link('form-source')), { choice: 'decline' })
  const third = new Owner(origin)
  const there = await third.agree(await pages.link('form-source'))
  const form = await third.get(there.linkTo('my accountant'))
  const handed = await third.submit(form, { name: 'Noor', email: 'noor@example.com', choice: 'mail' })
  await third.submit(handed)
  const copied = await third.submit(await third.get('/connect/hand-off'), { name: 'Noor', choice: 'copy' })
  const link = handedLinkOf(copied.markup)
  const helper = new Owner(origin)
  const welcome = await helper.get(link)
  await helper.submit(welcome, { choice: 'cannot' })
  await helper.submit(await helper.submit(await helper.get(link), { choice: 'go' }), FORM)

  // A missing bank, and statements instead of it.
  const fourth = new Owner(origin)
  await fourth.agree(await pages.link('plaid'))
  const missing = await fourth.submit(await fourth.get('/connect/institutions/missing'), { name: 'Caisse' })
  await fourth.submit(missing)

  // A source that redirects owners, who decline there: at its own address, and at the one that sources share.
  const decline = async (path: string): Promise<void> => {
    const fifth = new Owner(origin)
    const leaving = await fifth.submit(await fifth.agree(await pages.link('quickbooks')))
    const state = new URL(leaving.forwardsTo()).searchParams.get('state') ?? ''
    await fifth.get(`${path}?error=access_denied&state=${state}`)
  }
  await decline('/connect/callback/quickbooks')
  const quickbooks = pages.deps.sources.get('quickbooks')
  if (quickbooks) quickbooks.callback = 'shared'
  await decline('/connect/callback')

  // A window of the provider, a login with several books, and another bank under the same consent.
  const sixth = new Owner(origin)
  await sixth.submit(await sixth.submit(await sixth.agree(await pages.link('widget-source'))), { handle: 'handle-3' })
  const seventh = new Owner(origin)
  const away = await seventh.submit(await seventh.agree(await pages.link('shared-login')))
  await seventh.submit(await seventh.get(away.forwardsTo()), { entity: 'south' })
  await connectAnotherBank(new Owner(origin))

  // A link in a frame of another page, whose source opens in a window of its own.
  const eighth = new Owner(origin)
  const framed = { 'sec-fetch-dest': 'iframe' }
  const next = await eighth.submit(await eighth.get(await pages.link('quickbooks'), framed), { choice: 'agree' }, framed)
  await eighth.submit(await eighth.get(next.address, framed))

  // A route that records an action which it does not declare fails.
  expect([faults, pages.faults]).toEqual([[], []])
  const unseen = [...changing].filter(([route, isSilent]) => !isSilent && !recorded.has(route)).map(([route]) => route)
  expect(unseen.filter((route) => !route.startsWith('HEAD'))).toEqual([])
  await expectWrittenEntries(pages.deps.database, 'owner-pages')
}, 120_000)

it('a step is recorded as the helper’s where a helper takes it, also on the way back from the source, and as the owner’s otherwise', async () => {
  const { connectHarness: pages } = harness
  const actors: string[][] = []
  const recordedIn = async (steps: () => Promise<void>): Promise<void> => {
    const list = async () => (await pages.deps.database.query<{ id: string; actor: string }>(ENTRIES)).rows
    const before = new Set((await list()).map(({ id }) => id))
    await steps()
    actors.push([...new Set((await list()).filter(({ id }) => !before.has(id)).map(({ actor }) => actor))])
  }
  const declineAtSource = async (visitor: Owner, leaving: Awaited<ReturnType<Owner['get']>>): Promise<void> => {
    const state = new URL(leaving.forwardsTo()).searchParams.get('state') ?? ''
    await recordedIn(async () => void (await visitor.get(`/connect/callback?error=access_denied&state=${state}`)))
  }
  const [owner, helper] = [new Owner(pages.origin), new Owner(pages.origin)]
  const there = await owner.agree(await pages.link('quickbooks'))
  await declineAtSource(owner, await owner.submit(there))
  const copied = await owner.submit(await owner.get(there.linkTo('my accountant')), { name: 'Noor', choice: 'copy' })
  const welcome = await helper.get(handedLinkOf(copied.markup))
  const leaving: { page: typeof welcome } = { page: welcome }
  await recordedIn(async () => {
    leaving.page = await helper.submit(await helper.submit(welcome, { choice: 'go' }))
  })
  await declineAtSource(helper, leaving.page)
  expect(actors).toEqual([['owner'], ['helper'], ['helper']])
}, 120_000)

const ENTRIES = `select instance_id || '/' || position as id, entry::json ->> 'actor' as actor from audit_entries`

function handedLinkOf(markup: string): string {
  const shown = /<textarea[^>]*>([^<]*)</.exec(markup)?.[1]?.replaceAll('&amp;', '&') ?? ''
  return /https?:\S+token=[\w-]+/.exec(shown)?.[0] ?? ''
}

/** The link is completed without Plaid's own pages. */
async function connectAnotherBank(owner: Owner): Promise<void> {
  const { connectHarness: pages } = harness
  const companyId = await pages.addCompany('Café des banques')
  const link = await pages.link('plaid', companyId)
  await owner.agree(link)
  const hash = pages.deps.hashToken(new URL(link).searchParams.get('token') ?? '')
  await pages.deps.database.query('update links set completed_at = now() where token_hash = $1', [hash])
  await pages.deps.database.query('update consents set connection_id = gen_random_uuid() where company_id = $1', [companyId])
  await owner.submit(await owner.get('/connect/done'))
}
