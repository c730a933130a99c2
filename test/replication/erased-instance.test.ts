import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { findErasure } from '../../src/store/operators/erasures.ts'
import { eraseInstance, requestErasure } from '../../src/sync/instances/erase.ts'
import { emptyReplica } from '../../src/sync/replication/replicate.ts'
import { openDeliveryHarness } from '../exports/fake-storage.ts'
import { erasureJob, takeJobs } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { addDatabase, openTargetDatabase, runReplications, type TargetDatabase } from './harness.ts'

const harness = openForTests(openDeliveryHarness)
let [reached, lost]: (TargetDatabase | null)[] = [null, null]
beforeAll(async () => {
  ;[reached, lost] = [await openTargetDatabase(), await openTargetDatabase()]
})
afterAll(async () => {
  await reached?.drop()
  await lost?.drop()
})

it('the receipt of an erased instance names each destination at which something may be left, and no other', async () => {
  const { api } = harness
  const { database } = api.syncHarness.deps
  const { instanceId } = api.syncHarness
  if (!reached || !lost) throw new Error('there are no databases')
  await addDatabase(api, reached, { name: 'Reached' })
  await addDatabase(api, lost, { name: 'Lost “1”' })
  await runReplications(api.syncHarness.deps)
  const bucket = await harness.addDestination()
  await harness.delivered(bucket)
  await database.query('update export_destinations set endpoint = $1 where id = $2', ['http://127.0.0.1:1', bucket])
  lost.breakAfter(0)

  const erasureId = (await inTransaction(database, (db) => requestErasure(db, { id: instanceId, name: 'Lender', kind: 'live' })))?.id ?? ''
  for (const job of await takeJobs(database, 'emptyReplica'))
    expect(await emptyReplica({ ...api.syncHarness.deps, allowPrivate: true }, { ...job, attempts: MAX_ATTEMPTS })).toEqual({ done: true })
  expect(await harness.work('eraseDelivered', MAX_ATTEMPTS)).toEqual({ done: true })

  const keys = await testKeys()
  // Stopped after some tables, then repeated: what was noted stays.
  for (let checks = 3; checks < 1_000; checks += 60) {
    let left = checks
    const deps = { ...api.syncHarness.deps, signing: keys.signing, settleMs: 0 }
    const outcome = await eraseInstance(deps, erasureJob(erasureId), () => {
      left -= 1
      return left < 0
    })
    if (outcome.done) break
    // Revocations, which are not what this is about.
    await database.query('delete from jobs where instance_id = $1', [instanceId])
  }
  const erasure = await findErasure(database, erasureId)
  const unreached = [
    {
      ...{ name: 'Lost “1”', kind: 'postgres', place: `postgres://127.0.0.1:${lost.port}/${lost.name}/countinghouse` },
      ...{ files: 0, rows: true, reason: 'The connection to the database broke off.' },
    },
    {
      ...{ name: expect.any(String), kind: 's3', place: 'http://127.0.0.1:1/lake/' },
      files: 1,
      rows: false,
      reason: 'The storage cannot be reached.',
    },
  ]
  expect(erasure).toMatchObject({ completedAt: expect.any(Date), unreached })
  expect(decodeJwt(erasure?.receipt ?? '')).toMatchObject({
    unreached,
    statement: {
      en: expect.arrayContaining([
        expect.stringMatching(
          /^Exported data may be left at the destination “Lost “1”” \(postgres:.*\): it could not be reached, or did not allow the deletion\.$/,
        ),
      ]),
      'fr-CA': expect.arrayContaining([
        expect.stringMatching(
          /^Il peut rester des données exportées à la destination « Lost “1” » \(.* n’a pu être jointe, ou n’a pas permis la suppression\.$/,
        ),
      ]),
    },
  })
  expect(JSON.stringify(decodeJwt(erasure?.receipt ?? ''))).not.toContain('Reached')
})
