import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { inTransaction } from '../db/database.ts'
import { deleteOldAudit, findAuditEnd, listAudit, listAuditAfter, recordAudit, recordAudits, toAuditKey } from './audit.ts'
import { entryHash, headSeal } from './audit-chain.ts'
import { verifyAudit, verifyAudits } from './audit-verification.ts'

it('entries are hashed and heads sealed as in earlier releases, by a key that is derived from that for tokens', () => {
  const key = Buffer.alloc(32, 7)
  const chain = '00000000-0000-4000-8000-000000000001'
  const entry = { previous: Buffer.alloc(32), chain, position: 1, at: new Date('2026-11-20T12:00:00Z'), text: '{"v":2}' }
  const made = [
    toAuditKey({ id: 'k', bytes: key }),
    entryHash(key, entry),
    headSeal(key, { chain, position: 1, hash: Buffer.alloc(32, 1) }),
  ]
  expect(made.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual([
    '88a44602ea9416313effc5eb88da6bf1bd8072d5307f1b5ed8b1f119047963d4',
    'f2843060323b351f2605e31b5024e723a4b54163c03f38a2851d4713c9445b06',
    '8facca30bcaaae476e618cc95e6e4c546ad86429abdfac9ad3857a8aba36ccc3',
  ])
})

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

  it('is written in one go for several entries, of one chain only, and holds their members', async () => {
    const [instanceId, at] = [randomUUID(), new Date(start)]
    const entry = { action: 'user.created', userId: null, subject: 'user/1', network: '192.0.2.7', after: { role: 'viewer' } }
    const write = (...of: (string | null)[]) =>
      inTransaction(made.database, (db) =>
        recordAudits(
          db,
          key,
          of.map((id) => ({ instanceId: id, ...entry })),
          at,
        ),
      )
    await write()
    await expect(write(instanceId, randomUUID())).rejects.toThrow('one chain')
    await expect(write(instanceId, null)).rejects.toThrow('one chain')
    expect(await findAuditEnd(made.database, instanceId)).toBe(0)
    await write(instanceId, instanceId)
    await write(instanceId)
    expect([await verifyAudit(made.database, [key], instanceId), await findAuditEnd(made.database, instanceId)]).toEqual([null, 3])
    expect(await listAudit(made.database, instanceId, 1)).toEqual([
      { position: 3, at, entry: { v: 2, ...entry }, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
  })

  it('is read in pages from the newest on, and in ranges from the oldest on', async () => {
    const instanceId = await chainOf(5)
    const { database } = made
    const positions = (entries: { position: number }[]) => entries.map(({ position }) => position)
    expect(positions(await listAudit(database, instanceId, 2))).toEqual([5, 4])
    expect(positions(await listAudit(database, instanceId, 2, 4))).toEqual([3, 2])
    expect(positions(await listAuditAfter(database, instanceId, { after: 2 }, 9))).toEqual([3, 4, 5])
    expect(positions(await listAuditAfter(database, instanceId, { after: 2, until: 4 }, 9))).toEqual([3, 4])
    expect(positions(await listAuditAfter(database, instanceId, { after: 0 }, 2))).toEqual([1, 2])
    const ofUser = [[{ property: 'subject', operator: '=', value: 'user/2' } as const]]
    expect(positions(await listAuditAfter(database, instanceId, { after: 0 }, 9, ofUser))).toEqual([3])
  })

  it('verifies from the newest entries on, where an earlier one is not looked at', async () => {
    const instanceId = await chainOf(6)
    const verifyLast = async (last: number, keys = [key]) => {
      let entries = 0
      const fault = await verifyAudit(made.database, keys, instanceId, { last, onEntries: (count) => (entries += count) })
      return [fault, entries]
    }
    expect([await verifyLast(2), await verifyLast(6), await verifyLast(100)]).toEqual([
      [null, 2],
      [null, 6],
      [null, 6],
    ])
    expect(await verifyLast(2, [randomBytes(32), key]), 'under each key that may have written it').toEqual([null, 2])
    expect((await verifyLast(2, [randomBytes(32)]))[0]).toEqual({ position: 5 })
    await tamper(`update audit_entries set entry = '{}' where instance_id = $1 and position = 3`, [instanceId])
    expect([(await verifyLast(3))[0], (await verifyLast(4))[0]]).toEqual([null, { position: 3 }])
    await tamper('delete from audit_entries where instance_id = $1 and position = 3', [instanceId])
    expect([(await verifyLast(2))[0], (await verifyLast(3))[0]]).toEqual([null, { position: 3 }])
  })

  it('is verified chain by chain: that of the deployment, and those without a head, too', async () => {
    const [intact, headless] = [await chainOf(2), await chainOf(3)]
    const ofDeployment = { instanceId: null, action: 'deployment.paused', userId: null, subject: null }
    await inTransaction(made.database, (db) => recordAudit(db, key, ofDeployment, new Date(start)))
    const before = await verifyAudits(made.database, [key], 2)
    await tamper('delete from audit_chains where instance_id = $1', [headless])
    await tamper(`update audit_entries set entry = '{}' where instance_id = '00000000-0000-0000-0000-000000000000'`, [])
    const { chains, faults } = await verifyAudits(made.database, [key], 2)
    expect(chains).toBe(before.chains)
    const has = (instanceId: string | null, all: typeof faults) => all.filter((fault) => fault.instanceId === instanceId)
    expect([has(intact, faults), has(headless, faults), has(null, faults)]).toEqual([
      [],
      [{ instanceId: headless, position: 1 }],
      [{ instanceId: null, position: 1 }],
    ])
    expect([has(headless, before.faults), has(null, before.faults), before.entries >= 5]).toEqual([[], [], true])
  })

  it('is searched by each of its columns', async () => {
    const [instanceId, userId, at] = [randomUUID(), randomUUID(), new Date(start)]
    const members = {
      action: 'key.created',
      userId,
      subject: 'key/1',
      actor: 'user',
      actorId: userId,
      network: '192.0.2.7',
      requestId: 'r1',
    }
    const other = {
      action: 'key.revoked',
      userId: null,
      subject: 'key/2',
      actor: 'job',
      actorId: 'a',
      network: '198.51.100.7',
      requestId: 'r2',
    }
    await inTransaction(made.database, (db) => recordAudit(db, key, { instanceId, ...members }, at))
    await inTransaction(made.database, (db) => recordAudit(db, key, { instanceId, ...other }, new Date(start + 1)))
    for (const [property, value] of Object.entries({ ...members, position: '1', recordedOn: '2026-11-20T12:00:00.000000Z' })) {
      const filter = [[{ property, operator: '=', value } as const]]
      const found = [
        await listAudit(made.database, instanceId, 9, null, filter),
        await listAuditAfter(made.database, instanceId, { after: 0 }, 9, filter),
      ]
      expect(
        found.map((entries) => entries.map(({ position }) => position)),
        property,
      ).toEqual([[1], [1]])
    }
  })
})
