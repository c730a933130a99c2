import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { openApiHarness } from '../../../../test/api/harness.ts'
import { addCompany } from '../../../../test/harness/app/tenants.ts'
import { openForTests } from '../../../../test/harness/for-tests.ts'

const URL = '/normalized-data/replays'
const api = openForTests(openApiHarness)
const query = async (text: string, values: unknown[] = []) => (await api.syncHarness.deps.database.query(text, values)).rows
const start = async (body: object = {}, headers = {}) => {
  const answer = await api.call('POST', URL, { body, headers })
  return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
}
const audited = async () =>
  (await query('select entry from audit_entries where instance_id = $1 order by position', [api.syncHarness.instanceId]))
    .map(({ entry }) => JSON.parse(entry))
    .filter(({ action }) => action === 'replay.started')

afterEach(async () => {
  await query('delete from replay_parts')
  await query('delete from replays')
})

describe('a replay', () => {
  it('is a dry run of all connections unless it is said otherwise', async () => {
    const { status, body } = await start()
    expect([status, body]).toMatchObject([
      202,
      {
        ...{ state: 'running', dryRun: true, companyId: null, serviceId: null, requestedBy: api.emails.admin },
        ...{ connections: { waiting: 2, done: 0, skipped: 0, failed: 0 }, counts: { pages: 0, records: 0 }, changes: [], failures: [] },
      },
    ])
    expect((await api.call('GET', `${URL}/${body.id}`)).json()).toEqual(body)
    expect(await query('select is_dry_run as "isDryRun", connector_key as key from replays')).toEqual([{ isDryRun: true, key: null }])
  })

  it('publishes where that is asked for, and is of one company and service', async () => {
    const { companyId, serviceId } = api.syncHarness
    const wanted = { companyId, serviceId: serviceId(api.books), dryRun: false }
    const { body } = await start(wanted)
    expect(body).toMatchObject({ ...wanted, connections: { waiting: 1 } })
    const { dryRun: isDryRun, ...after } = wanted
    expect((await audited()).at(-1)).toMatchObject({ subject: `replay/${body.id}`, after: { ...after, isDryRun } })
  })

  it('of a company without connections is done at once', async () => {
    const { database } = api.syncHarness.deps
    const companyId = await addCompany(database, api.syncHarness.instanceId)
    expect((await start({ companyId })).body).toMatchObject({ state: 'done', companyId, serviceId: null, connections: { waiting: 0 } })
  })

  it.each([
    ['of an unknown company', { companyId: randomUUID() }],
    ['of an unknown service', { serviceId: randomUUID() }],
  ])('%s is refused, and none is kept', async (_what, wanted) => {
    const before = (await audited()).length
    expect((await start(wanted)).status).toBe(404)
    expect([await query('select from replays'), (await audited()).length]).toEqual([[], before])
  })

  it('that was cut off after its commit is found again, and recorded once', async () => {
    const before = (await audited()).length
    const headers = { 'idempotency-key': randomUUID() }
    const first = await start({}, headers)
    await query('update idempotency_keys set status = null, sealed = null, leased_until = clock_timestamp()')
    expect(await start({}, headers)).toEqual(first)
    expect([await query('select id from replays'), (await audited()).length]).toEqual([[{ id: first.body.id }], before + 1])
  })

  it.each([
    [['done', 'waiting'], 'running'],
    [['failed', 'waiting'], 'running'],
    [['done', 'failed'], 'failed'],
    [['done', 'skipped'], 'done'],
  ])('whose connections are %s is %s', async ([first, second], state) => {
    const { body } = await start()
    await query('update replay_parts set state = $2 where connection_id = $1', [api.connectionId, first])
    await query('update replay_parts set state = $2 where connection_id <> $1', [api.connectionId, second])
    expect((await api.call('GET', `${URL}/${body.id}`)).json()).toMatchObject({ state })
  })

  it('is unknown to another instance', async () => {
    const { body } = await start()
    const { token } = await api.openOtherInstance()
    const headers = { authorization: `Bearer ${token}` }
    expect((await api.call('GET', `${URL}/${body.id}`, { role: null, headers })).statusCode).toBe(404)
  })
})
