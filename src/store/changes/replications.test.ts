import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { insertDestination } from '../exports/destinations.ts'
import { findHead } from './change-feed.ts'
import type { ChangePosition } from './read-changes.ts'
import {
  claimDueReplications,
  deleteReplication,
  findReplication,
  type Given,
  hasDueReplications,
  insertReplication,
  listReplications,
  placeReplicatedChanges,
  type Replication,
  rewindReplication,
  startReplicationNow,
  writeCurrent,
  writeFailure,
  writeNext,
} from './replications.ts'

const test = databaseForTests()
let instanceId = ''
beforeEach(async () => {
  await test.database.query('delete from export_replications')
  instanceId = await addInstance(test.database)
})

const POSTGRES = {
  kind: 'postgres',
  host: 'h',
  port: 1,
  database: 'd',
  user: 'u',
  schema: 's',
  tls: 'off',
  certificateAuthority: null,
} as const
async function add(of = instanceId): Promise<{ instanceId: string; id: string }> {
  const key = { instanceId: of, id: randomUUID() }
  await insertDestination(test.database, { ...key, name: 'd', secret: Buffer.alloc(1) }, POSTGRES, 99)
  await insertReplication(test.database, key)
  return key
}
const find = async (key: { instanceId: string; id: string }): Promise<Replication> =>
  (await findReplication(test.database, key)) ?? expect.fail('there is no replication')
const NEW = {
  pass: 1,
  token: null,
  position: null,
  nextToken: null,
  nextPosition: null,
  error: null,
  failures: 0,
  failingSince: null,
  currentAt: null,
}
const positionAt = (position: number): ChangePosition => ({
  feedId: 'f',
  position: String(position),
  placeId: 'p',
  isStarting: false,
  mark: null,
})
const given = (n: number): Given => ({ token: `00000000-0000-4000-8000-00000000000${n}`, position: positionAt(n) })
const START: Given = { token: null, position: null }
const [one, two, three] = [given(1), given(2), given(3)]
const nextAt = async () =>
  (
    await test.database.query(
      `select destination_id as id, round(extract(epoch from next_at - clock_timestamp()))::int as seconds from export_replications order by next_at`,
    )
  ).rows

describe('a replication', () => {
  it('is found and listed in its instance, until its database is empty', async () => {
    const foreign = await add(await addInstance(test.database))
    const [key, other] = [await add(), await add()]
    expect(await find(key)).toEqual({ instanceId, destinationId: key.id, ...NEW })
    expect(await findReplication(test.database, { ...key, instanceId: foreign.instanceId })).toBe(null)
    expect(new Set((await listReplications(test.database, instanceId)).map(({ destinationId }) => destinationId))).toEqual(
      new Set([key.id, other.id]),
    )
    await deleteReplication(test.database, { ...key, instanceId: foreign.instanceId })
    expect(await listReplications(test.database, instanceId)).toHaveLength(2)
    await deleteReplication(test.database, key)
    expect([await findReplication(test.database, key), (await listReplications(test.database, instanceId)).length]).toEqual([null, 1])
  })

  it('has its changes placed, and no instance without one has', async () => {
    const head = () => findHead(test.database, instanceId)
    await placeReplicatedChanges(test.database, instanceId)
    expect(await head()).toBe(null)
    await add()
    await placeReplicatedChanges(test.database, instanceId)
    expect(await head()).toMatchObject({ position: '0' })
  })

  it('is claimed when it is due, the one that waits longest first, and then waits again', async () => {
    const [first, second, later] = [await add(), await add(), await add()]
    const at = (key: { id: string }, seconds: number) =>
      test.database.query(
        'update export_replications set next_at = clock_timestamp() + make_interval(secs => $2) where destination_id = $1',
        [key.id, seconds],
      )
    for (const [key, seconds] of [
      [first, -20],
      [second, -10],
      [later, 100],
    ] as const)
      await at(key, seconds)
    expect([await hasDueReplications(test.database), await claimDueReplications(test.database, 60_000, 1)]).toEqual([true, [first]])
    expect(await nextAt()).toEqual([
      { id: second.id, seconds: -10 },
      { id: first.id, seconds: 60 },
      { id: later.id, seconds: 100 },
    ])
    expect(await claimDueReplications(test.database, 60_000, 9)).toEqual([second])
    expect([await hasDueReplications(test.database), await claimDueReplications(test.database, 60_000, 9)]).toEqual([false, []])
    await startReplicationNow(test.database, { ...later, instanceId: randomUUID() })
    expect(await hasDueReplications(test.database)).toBe(false)
    await startReplicationNow(test.database, later)
    expect(await claimDueReplications(test.database, 60_000, 9)).toEqual([later])
  })

  it('notes its next state before the target has it, and goes on from whichever the target shows', async () => {
    const key = await add()
    expect(await writeNext(test.database, await find(key), START, one)).toBe(true)
    expect(await find(key)).toMatchObject({ token: null, position: null, nextToken: one.token, nextPosition: one.position })
    // The target was committed; or it was not, and another state is next.
    expect(await writeNext(test.database, await find(key), one, two)).toBe(true)
    expect(await find(key)).toMatchObject({ token: one.token, position: one.position, nextToken: two.token, nextPosition: two.position })
    expect(await writeNext(test.database, await find(key), one, three)).toBe(true)
    expect(await find(key)).toMatchObject({ token: one.token, nextToken: three.token })
    // Another worker has continued.
    expect([
      await writeNext(test.database, await find(key), two, three),
      await writeNext(test.database, await find(key), START, three),
    ]).toEqual([false, false])
    expect(await find(key)).toMatchObject({ token: one.token, nextToken: three.token })
  })

  it('is current with the state that the target has, after which its failures are over', async () => {
    const [key, other] = [await add(), await add()]
    await writeFailure(test.database, await find(key), 'down', 5_000)
    const { failingSince } = await find(key)
    await writeFailure(test.database, await find(key), 'refused', 90_000)
    expect(await find(key)).toMatchObject({ error: 'refused', failures: 2, failingSince, currentAt: null })
    expect(failingSince).toBeInstanceOf(Date)
    expect((await nextAt()).find(({ id }) => id === key.id)?.seconds).toBe(90)
    await writeNext(test.database, await find(key), START, one)
    await writeCurrent(test.database, await find(key), two)
    expect(await find(key)).toMatchObject({ failures: 2, nextToken: one.token })
    await writeCurrent(test.database, await find(key), one)
    const current = {
      error: null,
      failures: 0,
      failingSince: null,
      currentAt: expect.any(Date),
      token: one.token,
      position: one.position,
      nextToken: null,
      nextPosition: null,
    }
    expect(await find(key)).toEqual({ instanceId, destinationId: key.id, pass: 1, ...current })
    expect(await find(other)).toMatchObject(NEW)
  })

  it('that is rewound begins another pass, and what its last pass still writes changes nothing', async () => {
    const key = await add()
    await writeNext(test.database, await find(key), START, one)
    await writeCurrent(test.database, await find(key), one)
    const before = await find(key)
    await claimDueReplications(test.database, 60_000, 9)
    expect([
      await rewindReplication(test.database, { ...key, instanceId: randomUUID() }, null),
      await rewindReplication(test.database, key, positionAt(7)),
    ]).toEqual([false, true])
    const rewound = { instanceId, destinationId: key.id, ...NEW, pass: 2, position: positionAt(7) }
    expect(await find(key)).toEqual(rewound)
    expect(await hasDueReplications(test.database)).toBe(true)
    expect(await writeNext(test.database, before, one, two)).toBe(false)
    await writeCurrent(test.database, before, one)
    expect(await find(key)).toEqual(rewound)
    expect(await rewindReplication(test.database, key, null)).toBe(true)
    expect(await find(key)).toEqual({ ...rewound, pass: 3, position: null })
  })
})
