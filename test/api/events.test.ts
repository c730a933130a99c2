import { afterEach, beforeEach, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
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
  ['schedule', 'Scheduled'],
  ['hint', 'Webhook'],
])('a run for the reason %s is reported as %s', async (reason, issuedAs) => {
  api.books.accounts.push({ id: '900', name: `New ${reason}` })
  await api.syncHarness.sync(api.connectionId, { reason })
  expect([(await newest('NormalizedData'))?.IssuedAs, (await newest('AccountsChanged'))?.IssuedAs]).toEqual([issuedAs, issuedAs])
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
