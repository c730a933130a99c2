import { beforeAll, describe, expect, it } from 'vitest'
import { type ReconnectReason, SourceError } from '../../src/connectors/contract/contract.ts'
import { SourcePaused } from '../../src/connectors/contract/rate-limiter.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { faultMessage } from '../../src/model/texts/status-messages.ts'
import { writeTrouble } from '../../src/store/connections/connection-faults.ts'
import { readHistory } from '../../src/store/connections/connection-history.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import { resume, suspend } from '../../src/sync/connection/connection-actions.ts'
import { afterFailure, faultOf } from '../../src/sync/runs/failure.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const REASONS: readonly ReconnectReason[] = ['consentExpired', 'codeNeeded', 'loginChanged', 'otherEntity']

describe('why a connection is not synced', () => {
  const source = openForTests(() => new ScriptedSource())
  const harness = openForTests(() => openSyncHarness([source]))
  let connectionId: string
  beforeAll(async () => {
    source.accounts = [{ id: '1', name: 'Cash' }]
    connectionId = await harness.connect(source)
    await harness.sync(connectionId, { reason: 'first' })
  })

  async function afterOne(error: Error, attempt = 1) {
    // Refused credentials are refreshed, and the call is repeated once.
    source.faults = [error, error]
    await harness.sync(connectionId, { attempt })
    const connection = await findConnection(harness.deps.database, harness.instanceId, connectionId)
    return { status: connection?.status, fault: connection?.faultCode, trouble: connection?.trouble?.code }
  }

  it.each(REASONS)('is explained by the source’s own reason: %s', async (reason) => {
    const after = await afterOne(new SourceError('reconnect', 'the bank wants something', { reason }))
    source.faults = []
    await harness.connect(source)
    await harness.sync(connectionId, { reason: 'reconnect' })
    expect(after).toEqual({ status: 8, fault: reason, trouble: undefined })
  })

  it.each([
    ['a limit', new SourceError('rateLimited', '429'), 'sourceLimited'],
    ['an outage', new SourceError('unavailable', '503'), 'sourceUnavailable'],
    ['a source that is left alone', new SourcePaused('it fails', 60_000, true), 'sourceUnavailable'],
    ['what cannot be read', new SourceError('badData', 'cut'), 'badData'],
  ])('reports %s during retries, and no longer once it is synced', async (_what, error, code) => {
    const during = await afterOne(error)
    source.faults = []
    await harness.sync(connectionId)
    const connection = await findConnection(harness.deps.database, harness.instanceId, connectionId)
    expect([during.status, during.fault, during.trouble]).toEqual([15, null, code])
    expect([connection?.status, connection?.faultCode, connection?.trouble]).toEqual([15, null, null])
  })

  it('reports records that disappeared, as long as they are missing, although the rest is published', async () => {
    const told = async () => {
      await harness.sync(connectionId)
      const connection = await findConnection(harness.deps.database, harness.instanceId, connectionId)
      return [connection?.status, connection?.faultCode, connection?.fault]
    }
    source.accounts = ['1', '2', '3', '4', '5'].map((id) => ({ id, name: `Account ${id}` }))
    await told()
    source.accounts = source.accounts.slice(0, 1)
    const words = '4 records are missing at the source, too many at once to be believed: they are kept'
    expect([await told(), await told()]).toEqual([
      [15, 'deletionsHeldBack', words],
      [15, 'deletionsHeldBack', words],
    ])
    source.accounts = ['1', '2', '3', '4', '5'].map((id) => ({ id, name: `Account ${id}` }))
    expect(await told()).toEqual([15, null, null])
  })

  it('names the operator’s keys before anything else', () => {
    expect(faultOf(new SourceError('unavailable', '401', { isClientRefused: true })).code).toBe('keysRefused')
  })

  it('is explained in full sentences if the error is our own', async () => {
    const deps = { ...harness.deps, log: { ...harness.deps.log, error: () => undefined } }
    await afterFailure(deps, { instanceId: harness.instanceId, connectionId, attempt: 1 }, new Error('a mistake of ours'))
    const connection = await findConnection(harness.deps.database, harness.instanceId, connectionId)
    expect(connection?.trouble).toMatchObject({ code: 'internal', message: 'the sync failed inside Countinghouse' })
  })

  it('promises no next attempt of a suspended connection, even if a running sync fails late', async () => {
    const { database } = harness.deps
    const before = await findConnection(database, harness.instanceId, connectionId)
    const target = { instanceId: harness.instanceId, companyId: harness.companyId, serviceId: before?.serviceId ?? '' }
    const trouble = async () => (await findConnection(database, harness.instanceId, connectionId))?.trouble
    await writeTrouble(database, harness.instanceId, connectionId, faultMessage('sourceUnavailable', '503'), 60_000)
    const during = await trouble()
    await suspend(harness.deps, target)
    const suspended = await trouble()
    await writeTrouble(database, harness.instanceId, connectionId, faultMessage('sourceUnavailable', '503'), 60_000)
    const late = await trouble()
    await resume(harness.deps, target)
    expect([during?.code, suspended, late]).toEqual(['sourceUnavailable', null, null])
  })

  it('stays reported when nothing is retried any more, in the timeline too, as a code with its text', async () => {
    const after = await afterOne(new SourceError('unavailable', 'the source answered 503'), MAX_ATTEMPTS)
    const connection = await findConnection(harness.deps.database, harness.instanceId, connectionId)
    const place = { instanceId: harness.instanceId, companyId: harness.companyId, serviceId: connection?.serviceId ?? '' }
    const { entries } = await readHistory(
      harness.deps.database,
      { ...place, linkServiceIds: [place.serviceId] },
      { filter: [], limit: 50, offset: 0, descending: true },
    )
    expect(after).toEqual({ status: 11, fault: 'sourceUnavailable', trouble: undefined })
    expect(entries.find(({ toStatus }) => toStatus === 11)).toMatchObject({
      detail: 'the source answered 503',
      detailCode: 'sourceUnavailable',
    })
    expect(entries.find(({ detailCode }) => detailCode === 'counts')?.detailParts).toMatchObject({ records: 1 })
    expect(entries.find(({ kind }) => kind === 'run')).toMatchObject({ detailCode: 'run', detailParts: { state: 'failed' } })
  })
})
