import { beforeEach, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { Status } from '../../src/model/statuses.ts'
import { listTimeline } from '../../src/store/connections/connection-timeline.ts'
import { listConsentsOfCompany } from '../../src/store/connections/consents.ts'
import { timeOutAuthorizations } from '../../src/sync/authorize/authorization-timeout.ts'
import { openConnectHarness, type SourceKey } from '../connect/kit/harness.ts'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { addUser, tokenOf } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'

const keys = openForTests(testKeys)
const harness = openForTests(() => openConnectHarness({ keys }))
let owner: Owner
let companyId: string
beforeEach(async () => {
  owner = new Owner(harness.origin)
  companyId = await harness.addCompany('Boulangerie du Plateau')
})

const link = async (source: SourceKey = 'quickbooks') => await harness.link(source, companyId)
const decline = async (consent: LoadedPage) => await owner.submit(consent, { choice: 'decline' })

/** A page of a list or of the feed. */
interface Answered {
  data: Record<string, unknown>[]
  cursor: string | null
}

/** What a developer sees of the company. */
async function seen() {
  const { database } = harness.deps
  const { rows: connections } = await database.query<{ id: string; status: number; code: string | null }>(
    'select id, status, fault_code as code from connections where company_id = $1',
    [companyId],
  )
  const { rows: events } = await database.query<{ kind: string; code: number }>(
    `select kind, (body::json->'Data'->>'Code')::int as code from events where company_id = $1 order by created_at`,
    [companyId],
  )
  const [connection] = connections
  const timeline = connection ? await listTimeline(database, harness.instanceId, connection.id) : []
  return {
    connections: connections.map(({ status, code }) => [status, code]),
    timeline: timeline.map(({ toStatus }) => toStatus),
    events: events.map(({ kind, code }) => [kind, code]),
    consents: (await listConsentsOfCompany(database, harness.instanceId, companyId)).map(({ endedHow }) => endedHow),
  }
}

const REFUSED = [Status.AuthorizationError, 'declined']
const ERROR_EVENT = ['Error', Status.AuthorizationError]

describe('an owner who declines', () => {
  it('on the consent page leaves a status, a timeline, an entry in the ledger and an Error event', async () => {
    expect((await decline(await owner.get(await link()))).title).toBe('You declined')
    expect(await seen()).toEqual({ connections: [REFUSED], timeline: [6, 7], events: [ERROR_EVENT], consents: ['declined'] })
  })

  it('is visible to the developer as soon as the page has answered: status, timeline and event, each by API', async () => {
    const app = createApi(apiDeps({ sync: harness.deps, keys }))
    const token = await tokenOf(app, (await addUser(harness.deps.database, harness.instanceId, { role: 'developer' })).email)
    const ask = async (path: string) =>
      (await app.inject({ url: `/admin/api/v1${path}`, headers: { authorization: `Bearer ${token}` } })).json<Answered>()
    const address = await link()
    const connection = `/normalized-data/company/${companyId}/data-connection/${new URL(address).searchParams.get('serviceId')}`
    const { cursor } = await ask('/webhooks/events?Limit=500')
    await decline(await owner.get(address))
    expect(await ask(`${connection}/status`)).toMatchObject({ statusCode: Status.AuthorizationError, faultCode: 'declined' })
    const statuses = (await ask(`${connection}/timeline`)).data.filter(({ kind }) => kind === 'status')
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([Status.Authorization, Status.AuthorizationError])
    expect((await ask(`/webhooks/events${cursor === null ? '' : `?Cursor=${cursor}`}`)).data).toMatchObject([
      { MessageType: 'Error', Data: { CompanyId: companyId, Code: Status.AuthorizationError, Reason: 'declined' } },
    ])
    await app.close()
  })

  it('twice leaves only one of each', async () => {
    const consent = await owner.get(await link())
    await decline(consent)
    await decline(await owner.get('/connect/consent'))
    expect(await seen()).toMatchObject({ connections: [REFUSED], events: [ERROR_EVENT], consents: ['declined'] })
  })

  it('and changes their mind continues with the same connection', async () => {
    const consent = await owner.get(await link())
    await decline(consent)
    await owner.submit(await owner.get('/connect/consent'), { choice: 'agree' })
    expect(await seen()).toMatchObject({ connections: [[Status.Authorization, expect.anything()]], timeline: [6, 7, 6] })
  })

  it('after agreeing withdraws the consent, which is reported', async () => {
    await owner.agree(await link())
    await decline(await owner.get('/connect/consent'))
    expect(await seen()).toMatchObject({ connections: [REFUSED], events: [ERROR_EVENT], consents: ['withdrawn'] })
  })

  it('at the source is reported by an Error event too', async () => {
    const leaving = await owner.submit(await owner.agree(await link()))
    const body = new URLSearchParams({ realmId: '4620816365200000101', decision: 'cancel' })
    const answer = await fetch(leaving.forwardsTo(), { method: 'POST', body, redirect: 'manual' })
    await owner.get(answer.headers.get('location') ?? '')
    expect(await seen()).toMatchObject({ connections: [REFUSED], events: [ERROR_EVENT] })
  })
})

describe('an owner who leaves', () => {
  const LATE = [Status.AuthorizationTimedOut, 'timedOut']

  it('at the source and does not return in time is reported by an Error event', async () => {
    await owner.submit(await owner.agree(await link()))
    await harness.deps.database.query(`update authorizations set expires_at = clock_timestamp()`)
    await timeOutAuthorizations(harness.deps.database, harness.deps.sources)
    expect(await seen()).toMatchObject({ connections: [LATE], events: [['Error', Status.AuthorizationTimedOut]] })
  })

  it('before the source is reported once the link has expired, not while it is valid', async () => {
    await owner.agree(await link())
    await timeOutAuthorizations(harness.deps.database, harness.deps.sources)
    expect((await seen()).connections).toEqual([[Status.Authorization, null]])
    await harness.deps.database.query(`update links set expires_at = clock_timestamp() where company_id = $1`, [companyId])
    await timeOutAuthorizations(harness.deps.database, harness.deps.sources)
    await timeOutAuthorizations(harness.deps.database, harness.deps.sources)
    expect(await seen()).toMatchObject({ connections: [LATE], events: [['Error', Status.AuthorizationTimedOut]] })
  })
})
