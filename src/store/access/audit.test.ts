import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { inTransaction } from '../db/database.ts'
import { deleteOldAudit, listAudit, recordAudit } from './audit.ts'
import { verifyAudit } from './audit-verification.ts'

describe('the audit record', () => {
  const made = databaseForTests()
  const key = randomBytes(32)
  const start = Date.parse('2026-11-20T12:00:00Z')

  /** Chain of `count` entries, one minute apart. */
  async function chainOf(count: number): Promise<string> {
    const instanceId = randomUUID()
    for (let index = 0; index < count; index += 1) await record(instanceId, index)
    return instanceId
  }
  const record = (instanceId: string, index: number) =>
    inTransaction(made.database, (db) =>
      recordAudit(
        db,
        key,
        { instanceId, action: 'user.created', userId: null, subject: `user/${index}` },
        new Date(start + index * 60_000),
      ),
    )
  /** Runs a statement that only a superuser may run. */
  async function tamper(statement: string, values: unknown[]): Promise<void> {
    await inTransaction(made.database, async (db) => {
      await db.query('alter table audit_entries disable trigger all')
      await db.query(statement, values)
      await db.query('alter table audit_entries enable trigger all')
    })
  }

  it('verifies as it was written, also when many wrote at once', async () => {
    const instanceId = await chainOf(3)
    await Promise.all(Array.from({ length: 20 }, (_value, index) => record(instanceId, index)))
    expect([await verifyAudit(made.database, [key], instanceId), (await listAudit(made.database, instanceId, 500)).length]).toEqual([
      null,
      23,
    ])
  })

  it.each([
    [
      'an entry changed',
      "update audit_entries set entry = replace(entry, 'user.created', 'user.deleted') where instance_id = $1 and position = 3",
      3,
    ],
    ['a time changed', "update audit_entries set at = at + interval '1 hour' where instance_id = $1 and position = 2", 2],
    ['an entry missing', 'delete from audit_entries where instance_id = $1 and position = 2', 2],
    ['the end missing', 'delete from audit_entries where instance_id = $1 and position > 3', 4],
    [
      'two entries exchanged',
      `update audit_entries a set entry = b.entry from audit_entries b
       where a.instance_id = $1 and b.instance_id = $1 and (a.position, b.position) in ((2, 3), (3, 2))`,
      2,
    ],
  ])('shows where it has %s', async (_what, statement, position) => {
    const instanceId = await chainOf(5)
    await tamper(statement, [instanceId])
    expect(await verifyAudit(made.database, [key], instanceId)).toEqual({ position })
  })

  it.each(['update audit_entries set entry = $1', 'delete from audit_entries where entry <> $1'])(
    'cannot be changed by: %s',
    async (statement) => {
      await chainOf(1)
      await expect(made.database.query(statement, ['{}'])).rejects.toThrow('never changed')
    },
  )

  it('loses what is older than asked and still verifies', async () => {
    const instanceId = await chainOf(6)
    await deleteOldAudit(made.database, new Date(start + 4 * 60_000))
    const left = await listAudit(made.database, instanceId, 500)
    expect([left.map((entry) => entry.position), await verifyAudit(made.database, [key], instanceId)]).toEqual([[6, 5], null])
  })

  it('loses it in steps, up to the first entry that is younger', async () => {
    const instanceId = await chainOf(5)
    // By a clock that went back.
    await record(instanceId, 0)
    await deleteOldAudit(made.database, new Date(start + 4 * 60_000), 2)
    const left = await listAudit(made.database, instanceId, 500)
    expect([left.map((entry) => entry.position), await verifyAudit(made.database, [key], instanceId)]).toEqual([[6, 5], null])
  })

  it('loses it while others write to chains in which nothing has expired', async () => {
    const [old, young] = [await chainOf(2), randomUUID()]
    await record(young, 60)
    await inTransaction(made.database, async (db) => {
      await db.query('select from audit_chains where instance_id = $1 for update', [young])
      await deleteOldAudit(made.database, new Date(start + 30 * 60_000))
    })
    expect([(await listAudit(made.database, old, 500)).length, (await listAudit(made.database, young, 500)).length]).toEqual([0, 1])
  })

  it('can lose everything and goes on', async () => {
    const instanceId = await chainOf(3)
    await deleteOldAudit(made.database, new Date(start + 86_400_000))
    await record(instanceId, 9)
    expect([
      (await listAudit(made.database, instanceId, 500)).map((entry) => entry.position),
      await verifyAudit(made.database, [key], instanceId),
    ]).toEqual([[4], null])
  })
})
