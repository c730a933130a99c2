import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCompany, addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { inTransaction } from '../db/database.ts'
import { getMailSettings, saveMailSettings } from './mail-settings.ts'
import {
  countWaitingMails,
  deleteOldMails,
  findOwnMails,
  findWaitingMail,
  insertMail,
  listMails,
  type NewMail,
  noteMailAttempt,
  secondsUntilAllowed,
  settleMail,
} from './mails.ts'

const test = databaseForTests()
let [instanceId, otherId, companyId] = ['', '', '']
beforeEach(async () => {
  for (const table of ['mails', 'jobs']) await test.database.query(`delete from ${table}`)
  instanceId = await addInstance(test.database)
  otherId = await addInstance(test.database)
  companyId = await addCompany(test.database, instanceId)
})

const OWNER = Buffer.from('owner')
async function add(other: Partial<NewMail> = {}, minutes = 0): Promise<NewMail> {
  const mail: NewMail = {
    ...{
      instanceId,
      id: randomUUID(),
      kind: 'reminder',
      companyId,
      recipientHash: OWNER,
      recipientShown: 'o•••@maple.example',
      sealed: Buffer.from('sealed'),
    },
    ...other,
  }
  await insertMail(test.database, mail)
  await test.database.query('update mails set created_at = clock_timestamp() - make_interval(mins => $2) where id = $1', [mail.id, minutes])
  return mail
}
const rowOf = async ({ id }: NewMail) =>
  (
    await test.database.query('select state, attempts, problem, sealed, settled_at is not null as "isSettled" from mails where id = $1', [
      id,
    ])
  ).rows[0]

describe('a mail', () => {
  it('is stored with its job, and waits until it is settled', async () => {
    const [mail, other] = [await add(), await add()]
    const { rows } = await test.database.query('select instance_id as "instanceId", kind, key, payload from jobs where key = $1', [
      `mail/${mail.id}`,
    ])
    expect(rows).toEqual([{ instanceId, kind: 'mail', key: `mail/${mail.id}`, payload: { mailId: mail.id } }])
    expect(await findWaitingMail(test.database, instanceId, mail.id)).toEqual({
      instanceId,
      id: mail.id,
      attempts: 0,
      sealed: mail.sealed,
      createdAt: expect.any(Date),
    })
    expect([await findWaitingMail(test.database, otherId, mail.id), await countWaitingMails(test.database)]).toEqual([null, 2])
    await noteMailAttempt(test.database, otherId, mail.id, 'x')
    await noteMailAttempt(test.database, instanceId, mail.id, 'busy')
    expect(await rowOf(mail)).toEqual({ state: 'waiting', attempts: 1, problem: 'busy', sealed: mail.sealed, isSettled: false })
    await settleMail(test.database, otherId, mail.id, 'sent', null)
    await settleMail(test.database, instanceId, mail.id, 'refused', 'unknown mailbox')
    const settled = { state: 'refused', attempts: 2, problem: 'unknown mailbox', sealed: null, isSettled: true }
    expect([await rowOf(mail), await findWaitingMail(test.database, instanceId, mail.id), await countWaitingMails(test.database)]).toEqual([
      settled,
      null,
      1,
    ])
    // Once and for all.
    await settleMail(test.database, instanceId, mail.id, 'sent', null)
    await noteMailAttempt(test.database, instanceId, mail.id, 'late')
    expect([await rowOf(mail), (await rowOf(other))?.state]).toEqual([settled, 'waiting'])
  })

  it('belongs to its instance', async () => {
    const [own, foreign] = [await add(), await add({ instanceId: otherId, companyId: null })]
    expect(await findOwnMails(test.database, instanceId, [own.id, foreign.id, randomUUID()])).toEqual(new Set([own.id]))
    expect(await findOwnMails(test.database, instanceId, [])).toEqual(new Set())
  })

  it('is deleted 30 days after it was settled, or was to be sent', async () => {
    const days = (count: number) => `now() - interval '${count} days'`
    const mails = [await add(), await add(), await add(), await add()]
    for (const [at, change] of [
      `settled_at = ${days(31)}, state = 'sent'`,
      `settled_at = ${days(29)}, created_at = ${days(40)}, state = 'sent'`,
      `created_at = ${days(31)}`,
      `created_at = ${days(29)}`,
    ].entries())
      await test.database.query(`update mails set ${change} where id = $1`, [mails[at]?.id])
    expect([await deleteOldMails(test.database), await deleteOldMails(test.database)]).toEqual([2, 0])
    const { rows } = await test.database.query<{ id: string }>('select id from mails')
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([mails[1]?.id, mails[3]?.id]))
  })

  it.each(['settled_at', 'created_at'])('is deleted by %s however many there are', async (column) => {
    await test.database.query(
      `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, state, ${column}) select $1, gen_random_uuid(), 'k', '', '', 'sent', now() - interval '31 days' from generate_series(1, 5001)`,
      [instanceId],
    )
    expect([await deleteOldMails(test.database), (await test.database.query('select from mails')).rowCount]).toEqual([5_001, 0])
  })
})

describe('the limits of an hour', () => {
  const seconds = async (limits: { perRecipient?: number; perCompany?: number; perInstance?: number }, of: Partial<NewMail> = {}) =>
    await inTransaction(test.database, (db) =>
      secondsUntilAllowed(
        db,
        { instanceId, recipientHash: OWNER, companyId, ...of },
        { perRecipient: 9, perCompany: 9, perInstance: 9, ...limits },
      ),
    )
  const inMinutes = async (...given: Parameters<typeof seconds>) => Math.round((await seconds(...given)) / 60)

  it('are those of an address, a company and an instance; the mail before as many decides', async () => {
    const other = { recipientHash: Buffer.from('other'), companyId: null }
    await add({}, 50)
    await add({}, 40)
    await add({ companyId: null }, 30)
    await add({ recipientHash: other.recipientHash }, 20)
    await add(other, 10)
    await add({}, 61)
    await add({ instanceId: otherId, companyId: null }, 1)
    expect([await inMinutes({ perRecipient: 3 }), await inMinutes({ perRecipient: 2 }), await inMinutes({ perRecipient: 4 })]).toEqual([
      10, 20, 0,
    ])
    expect([await inMinutes({ perCompany: 3 }), await inMinutes({ perCompany: 1 }), await inMinutes({ perCompany: 4 })]).toEqual([
      10, 40, 0,
    ])
    expect([await inMinutes({ perInstance: 5 }), await inMinutes({ perInstance: 1 }), await inMinutes({ perInstance: 6 })]).toEqual([
      10, 50, 0,
    ])
    // The strictest one holds.
    expect(await inMinutes({ perRecipient: 3, perInstance: 1 })).toBe(50)
    expect([
      await inMinutes({ perCompany: 1 }, { companyId: null }),
      await inMinutes({ perRecipient: 1 }, { recipientHash: Buffer.from('new') }),
    ]).toEqual([0, 0])
  })

  it('are looked at by one request of an instance at a time', async () => {
    const isFree = async (of: string) => {
      const { rows } = await test.database.query<{ isFree: boolean }>(
        `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "isFree"`,
        [`mails/${of}`],
      )
      return rows[0]?.isFree
    }
    await inTransaction(test.database, async (db) => {
      await secondsUntilAllowed(db, { instanceId, recipientHash: OWNER, companyId }, { perRecipient: 1, perCompany: 1, perInstance: 1 })
      expect([await isFree(instanceId), await isFree(otherId)]).toEqual([false, true])
    })
  })
})

describe('a list of mails', () => {
  it('is newest first, by filters, of its instance', async () => {
    const old = await add({ companyId: null }, 20)
    await add({ kind: 'link' }, 10)
    await add({ instanceId: otherId, companyId: null })
    await settleMail(test.database, instanceId, old.id, 'failed', 'why')
    const list = async (filter: Parameters<typeof listMails>[2]['filter'] = [], page: { limit?: number; offset?: number } = {}) => {
      const { mails, total } = await listMails(test.database, instanceId, { filter, limit: 9, offset: 0, ...page })
      return [mails.map(({ id }) => (id === old.id ? 'old' : 'young')).join(' '), total.total]
    }
    expect([await list(), await list([], { limit: 1 }), await list([], { offset: 1 })]).toEqual([
      ['young old', 2],
      ['young', 2],
      ['old', 2],
    ])
    const is = (property: string, value: string | null) => list([[{ property, operator: '=', value }]])
    expect([await is('id', old.id), await is('kind', 'link'), await is('companyId', companyId), await is('state', 'failed')]).toEqual([
      ['old', 1],
      ['young', 1],
      ['young', 1],
      ['old', 1],
    ])
    expect([await is('attempts', '1'), await is('settledOn', null), await is('companyId', null)]).toEqual([
      ['old', 1],
      ['young', 1],
      ['old', 1],
    ])
    const [, first] = (await listMails(test.database, instanceId, { filter: [], limit: 9, offset: 0 })).mails
    expect(first).toEqual({
      ...{
        id: old.id,
        kind: 'reminder',
        companyId: null,
        recipientShown: old.recipientShown,
        state: 'failed',
        attempts: 1,
        problem: 'why',
      },
      ...{ createdAt: expect.any(Date), settledAt: expect.any(Date) },
    })
    const createdAt = first?.createdAt ?? new Date(0)
    const since = (operator: '>' | '<=') => list([[{ property: 'createdOn', operator, value: createdAt.toISOString() }]])
    expect([await since('>'), await since('<=')]).toEqual([
      ['young', 1],
      ['old', 1],
    ])
    expect((await listMails(test.database, instanceId, { filter: [], limit: 9, offset: 0 })).total).toEqual({ total: 2, hasMore: false })
  })
})

it('owners get mails by themselves only where an instance says so', async () => {
  const settings = (of: string) => getMailSettings(test.database, of)
  expect(await settings(instanceId)).toEqual({ writesToOwners: false })
  await saveMailSettings(test.database, instanceId, { writesToOwners: true })
  expect([await settings(instanceId), await settings(otherId)]).toEqual([{ writesToOwners: true }, { writesToOwners: false }])
  await saveMailSettings(test.database, instanceId, { writesToOwners: false })
  expect(await settings(instanceId)).toEqual({ writesToOwners: false })
})
