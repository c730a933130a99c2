import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { findNoticeRecipient, listAdminRecipients } from '../../../src/store/access/notice-recipients.ts'
import { countUnknownLogin, hasUnknownLogins, takeUnknownLogins } from '../../../src/store/access/unknown-logins.ts'
import { withLockRetries } from '../../../src/store/db/partitions/lock-retries.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
const MINUTE = new Date('2026-11-20T12:34:00Z')
/** So many seconds after the beginning of the minute. */
const at = (seconds: number) => new Date(MINUTE.getTime() + seconds * 1_000)

beforeEach(async () => {
  await test.database.query('truncate unknown_logins')
})

describe('failed logins of addresses that no user has', () => {
  const count = (seconds: number, network: string, address: string) =>
    countUnknownLogin(test.database, { at: at(seconds), network, address })

  it('are counted by minute and network, with their first five addresses', async () => {
    for (const [seconds, network, address] of [
      [0, 'b', 'one'],
      [59.999, 'b', 'two'],
      [1, 'b', 'one'],
      [60, 'b', 'three'],
      [2, 'a', 'one'],
      ...['3', '4', '5', '6', '7'].map((text): [number, string, string] => [3, 'b', text]),
    ] as const)
      await count(seconds, network, address)
    expect(await takeUnknownLogins(test.database, at(120))).toEqual([
      { minute: MINUTE, network: 'a', attempts: 1, addresses: ['one'] },
      { minute: MINUTE, network: 'b', attempts: 8, addresses: ['one', 'two', '3', '4', '5'] },
      { minute: at(60), network: 'b', attempts: 1, addresses: ['three'] },
    ])
    expect(await takeUnknownLogins(test.database, at(120))).toEqual([])
  })

  it('are taken once their minute is over', async () => {
    await count(30, 'a', 'one')
    for (const [seconds, isPast] of [
      [30, false],
      [59.999, false],
      [60, true],
    ] as const) {
      expect([seconds, await hasUnknownLogins(test.database, at(seconds))]).toEqual([seconds, isPast])
      expect(await takeUnknownLogins(test.database, at(seconds))).toHaveLength(isPast ? 1 : 0)
    }
    expect(await hasUnknownLogins(test.database, at(60))).toBe(false)
  })

  it('from more than twenty networks in a minute share a count', async () => {
    for (let network = 10; network < 32; network += 1) await count(0, `net ${network}`, 'one')
    await count(1, 'net 29', 'two')
    await count(1, 'net 40', 'two')
    await count(60, 'net 50', 'one')
    const taken = await takeUnknownLogins(test.database, at(120))
    expect(taken.map(({ network, attempts }) => [network, attempts])).toEqual([
      ...Array.from({ length: 19 }, (_, index) => [`net ${index + 10}`, 1]),
      ['net 29', 2],
      ['others', 3],
      ['net 50', 1],
    ])
  })
})

describe('the recipients of a notice', () => {
  let tenants: Tenants
  const insert = async (instanceId: string, email: string, { role = 'admin', day = 1, language = 'fr', isDisabled = false } = {}) => {
    const id = randomUUID()
    await test.database.query(
      `insert into users (instance_id, id, email, name, role, password_hash, language, disabled_at, created_at, updated_at)
       values ($1, $2, $3, 'Name', $4, '', $5, case when $6 then now() end, $7, now())`,
      [instanceId, id, email, role, language, isDisabled, new Date(Date.UTC(2026, 10, day))],
    )
    return id
  }
  beforeEach(async () => {
    await test.database.query('truncate users cascade')
    tenants = await storeTenants(test.database)
  })

  it('are a user of the instance, and admins of it who may log in, oldest first', async () => {
    const { instanceId, otherId } = tenants
    const late = await insert(instanceId, 'late@maple.example', { day: 3, language: 'en' })
    const own = await insert(instanceId, 'own@maple.example', { day: 1 })
    await insert(instanceId, 'early@maple.example', { day: 2 })
    await insert(instanceId, 'dev@maple.example', { role: 'developer' })
    await insert(instanceId, 'gone@maple.example', { isDisabled: true })
    await insert(otherId, 'other@birch.example')
    const recipient = (name: string, language = 'fr') => ({ instanceId, email: `${name}@maple.example`, name: 'Name', language })
    expect(await findNoticeRecipient(test.database, instanceId, late)).toEqual(recipient('late', 'en'))
    expect([
      await findNoticeRecipient(test.database, otherId, late),
      await findNoticeRecipient(test.database, instanceId, randomUUID()),
    ]).toEqual([null, null])
    expect(await listAdminRecipients(test.database, instanceId, own, 9)).toEqual([recipient('early'), recipient('late', 'en')])
    expect(await listAdminRecipients(test.database, instanceId, randomUUID(), 2)).toEqual([recipient('own'), recipient('early')])
  })
})

describe('a transaction that needs locks', () => {
  it('is tried again while another has them, and left for later after twenty times', async () => {
    const { database } = test
    const holder = await database.connect()
    try {
      await holder.query('begin; lock table mails in access exclusive mode')
      let tries = 0
      const work = withLockRetries(database, async (db) => {
        tries += 1
        const { rows } = await db.query(`select current_setting('lock_timeout') as timeout`)
        if (tries === 3) await holder.query('commit')
        await db.query('lock table mails in access exclusive mode')
        return rows
      })
      expect([await work, tries]).toEqual([[{ timeout: '100ms' }], 3])
      let refused = 0
      const never = withLockRetries(database, async (db) => {
        refused += 1
        await db.query(`do $$ begin raise 'busy' using errcode = '55P03'; end $$`)
      })
      expect([await never, refused]).toEqual([null, 20])
    } finally {
      holder.release(true)
    }
  })

  it('is not tried again after another error, and leaves nothing', async () => {
    let tries = 0
    const failing = withLockRetries(test.database, async (db) => {
      tries += 1
      await db.query('create table half ()')
      throw new RangeError('no')
    })
    await expect(failing).rejects.toThrow(RangeError)
    const { rows } = await test.database.query(`select to_regclass('half') as half`)
    expect([tries, rows]).toEqual([1, [{ half: null }]])
  })
})
