import { afterEach, beforeEach, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { enqueueDue } from '../../src/sync/runs/schedule.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { type ApiHarness, openApiHarness } from './harness.ts'

let api: ApiHarness
beforeEach(async () => {
  api = await openApiHarness()
})
afterEach(async () => await api.close())

/** The newest event of a kind, in the format of the feed. */
async function newest(kind: string): Promise<Record<string, unknown> | undefined> {
  const { data } = (await api.call('GET', '/webhooks/events?Limit=500')).json() as unknown as {
    data: { MessageType: string; Data: Record<string, unknown> }[]
  }
  return data.filter(({ MessageType }) => MessageType === kind).at(-1)?.Data
}

it.each([
  ['refresh', 'Manual'],
  ['first', 'Manual'],
  ['resume', 'Manual'],
  ['reconnect', 'Manual'],
  ['file', 'Manual'],
  ['schedule', 'Scheduled'],
  ['feed', 'Scheduled'],
  ['hint', 'Webhook'],
])('a run for the reason %s is reported as %s', async (reason, issuedAs) => {
  api.books.accounts.push({ id: '900', name: `New ${reason}` })
  await api.syncHarness.sync(api.connectionId, { reason })
  expect([(await newest('NormalizedData'))?.IssuedAs, (await newest('AccountsChanged'))?.IssuedAs]).toEqual([issuedAs, issuedAs])
})

it.each([
  ['that has published nothing yet', 'published_at = null'],
  ['whose owner has signed in again', 'reidentify = true'],
])('a scheduled run of a connection %s is told of as Scheduled', async (_what, state) => {
  const { deps } = api.syncHarness
  api.books.accounts.push({ id: '901', name: 'New by schedule' })
  await deps.database.query(
    `update connections set ${state}, update_scheduled_at = clock_timestamp() - interval '1 second' where id = $1`,
    [api.connectionId],
  )
  expect(await enqueueDue(deps.database)).toBe(1)
  const [job] = await takeJobs(deps.database, 'sync')
  if (!job) throw new Error('nothing is due')
  await runJob(syncHandlers(deps).sync, job)
  expect((await newest('NormalizedData'))?.IssuedAs).toBe('Scheduled')
})

it('an Error gives the reason as a code, and in words that are never the source’s', async () => {
  const revoked = new SourceError('reconnect', 'token secret-words-of-the-source was revoked')
  api.books.faults = [revoked, revoked]
  await api.syncHarness.sync(api.connectionId, { reason: 'schedule' })
  const told = await newest('Error')
  expect(told).toMatchObject({ Code: 8, Message: 'Deauthorized', Reason: 'accessWithdrawn', IssuedAs: 'Scheduled' })
  expect(JSON.stringify(told)).not.toContain('secret-words')
})

it('the list of one company reports a connection’s error like the list of all', async () => {
  api.books.faults = [new SourceError('reconnect', 'revoked'), new SourceError('reconnect', 'revoked')]
  await api.syncHarness.sync(api.connectionId, { reason: 'schedule' })
  const rows = async (path: string) => {
    const { data } = (await api.call('GET', path)).json() as unknown as { data: Record<string, unknown>[] }
    return data
  }
  const ofCompany = await rows(`/normalized-data/company/${api.syncHarness.companyId}/data-connection/statuses`)
  expect(ofCompany).toEqual(await rows('/normalized-data/data-connection/statuses'))
  expect(ofCompany.find(({ sessionId }) => sessionId === api.connectionId)).toMatchObject({ faultCode: 'accessWithdrawn', trouble: null })
})
