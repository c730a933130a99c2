import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { saveMailSettings } from '../../src/store/mail/mail-settings.ts'
import { ownerAddressRetention } from '../../src/store/owners/owner-addresses.ts'
import { openLink } from '../../src/sync/links/link.ts'
import { keepOwnerAddress, readOwnerAddress } from '../../src/sync/owner/owner-mail.ts'
import { queueReminders } from '../../src/sync/owner/reminders.ts'
import { sendMails } from '../harness/app/jobs.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { openSmtp, type Smtp } from './smtp.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-11-20T12:00:00Z')
let harness: SyncHarness
let smtp: Smtp
let connectionId = ''
let consentId = ''
let nowMs = START
beforeAll(async () => {
  const books = new ScriptedSource('books')
  harness = await openSyncHarness([books])
  smtp = await openSmtp()
  connectionId = await harness.connect(books)
  const { sealer, hashToken } = harness.deps
  harness.deps.mail = { sealer, hashToken }
  harness.deps.now = () => new Date(nowMs)
})
afterAll(async () => {
  await smtp.close()
  await harness.close()
})
/** One consent that ends after 90 days, whose owner prefers French. */
beforeEach(async () => {
  const { database } = harness.deps
  nowMs = START
  smtp.taken.length = 0
  await database.query('delete from reminders')
  await database.query(`delete from jobs where kind = 'mail'`)
  await database.query('delete from consents')
  await database.query('delete from mail_settings')
  consentId = randomUUID()
  await database.query(`insert into consent_texts (instance_id, hash, texts) values ($1, '\\x01', '{}') on conflict do nothing`, [
    harness.instanceId,
  ])
  await database.query(
    `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
       duration_days, given_at, expires_at)
     select $1, $2, company_id, service_id, (select id from links where instance_id = $1 limit 1), id, 'service', 0, '\\x01', 'fr-CA', 90, $4, $5
     from connections where id = $3`,
    [harness.instanceId, consentId, connectionId, new Date(START), new Date(START + 90 * DAY_MS)],
  )
  await keepOwnerAddress(database, harness.deps.sealer, harness, 'owner@example.com', 'fr-CA')
})

async function remindedOn(day: number): Promise<string[]> {
  nowMs = START + day * DAY_MS
  await queueReminders(harness.deps)
  const { database, sealer } = harness.deps
  smtp.taken.length = 0
  await sendMails({ database, sealer, transport: smtp.post })
  return smtp.taken.map(({ email }) => email.subject ?? '')
}

describe('a consent that ends', () => {
  it('is announced 30, 7 and 1 days before, once each, in the owner’s language', async () => {
    const told: Record<number, string[]> = {}
    for (const day of [59, 60, 61, 82, 83, 84, 88, 89, 89.5, 91]) {
      const subjects = await remindedOn(day)
      if (subjects.length > 0) told[day] = subjects.map((subject) => subject.replaceAll('\u00a0', ' '))
    }
    expect(told).toEqual({
      60: ['Votre autorisation pour Test Lender prend fin dans 30 jours'],
      83: ['Votre autorisation pour Test Lender prend fin dans 7 jours'],
      89: ['Votre autorisation pour Test Lender prend fin demain'],
    })
  })

  it('is announced in one mail if several steps were missed', async () => {
    expect(await remindedOn(85)).toHaveLength(1)
    expect(await remindedOn(86)).toEqual([])
  })

  it('is announced once by concurrent processes', async () => {
    nowMs = START + 60 * DAY_MS
    const queued = await Promise.all(Array.from({ length: 5 }, () => queueReminders(harness.deps)))
    expect(queued.reduce((sum, each) => sum + each, 0)).toBe(1)
  })

  it('is announced with a link that renews it', async () => {
    await remindedOn(60)
    const token = /token=([\w-]{43})/.exec(smtp.taken[0]?.email.text ?? '')?.[1] ?? ''
    const open = await openLink(harness.deps, token)
    expect([open?.state, open?.company.id, open?.link.language]).toEqual(['open', harness.companyId, 'fr-CA'])
  })

  it('is not announced if it has ended, or without an address', async () => {
    await keepOwnerAddress(harness.deps.database, harness.deps.sealer, harness, '', 'en')
    expect(await remindedOn(60)).toEqual([])
    await keepOwnerAddress(harness.deps.database, harness.deps.sealer, harness, 'owner@example.com', 'en')
    await harness.deps.database.query(`update consents set ended_at = given_at, ended_how = 'withdrawn' where id = $1`, [consentId])
    expect(await remindedOn(60)).toEqual([])
  })

  it('waits if no mail server is set, and is announced once there is one', async () => {
    const desk = harness.deps.mail
    delete harness.deps.mail
    nowMs = START + 60 * DAY_MS
    expect(await queueReminders(harness.deps)).toBe(0)
    if (desk) harness.deps.mail = desk
    expect(await remindedOn(60)).toHaveLength(1)
  })
})

describe('a connection that needs its owner', () => {
  beforeEach(async () => {
    await harness.deps.database.query('update connections set status = 8 where id = $1', [connectionId])
    await harness.deps.database.query('delete from connection_timeline where to_status = 8')
    await harness.deps.database.query(`insert into connection_timeline (instance_id, connection_id, to_status) values ($1, $2, 8)`, [
      harness.instanceId,
      connectionId,
    ])
  })

  it('is not mailed automatically by default', async () => {
    expect(await remindedOn(1)).toEqual([])
  })

  it('is mailed once if the instance allows it, and again when it happens again', async () => {
    const { database } = harness.deps
    await saveMailSettings(database, harness.instanceId, { writesToOwners: true })
    expect(await remindedOn(1)).toEqual(['Veuillez renouveler la connexion de Scripted Books avec Test Lender'])
    expect(await remindedOn(2)).toEqual([])
    await database.query(
      `insert into connection_timeline (instance_id, connection_id, at, to_status) values ($1, $2, now() + interval '1 hour', 8)`,
      [harness.instanceId, connectionId],
    )
    expect(await remindedOn(3)).toHaveLength(1)
  })
})

it('the owner’s address is stored sealed and can be opened', async () => {
  const { database } = harness.deps
  const { rows } = await database.query('select address from owner_addresses')
  expect(Buffer.from(rows[0].address).toString('latin1')).not.toContain('owner@example.com')
  expect(await readOwnerAddress(database, harness.deps.sealer, harness)).toEqual({ address: 'owner@example.com', locale: 'fr-CA' })
})

it('a reminder that fails does not delay the others', async () => {
  const { database } = harness.deps
  await database.query(
    `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
       duration_days, given_at, expires_at)
     select instance_id, gen_random_uuid(), company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
       duration_days, given_at, expires_at - interval '1 day' from consents where id = $1`,
    [consentId],
  )
  const faults: unknown[] = []
  const { error } = harness.deps.log
  harness.deps.log.error = (fields) => faults.push(fields)
  harness.deps.crashPoint = async () => {
    delete harness.deps.crashPoint
    throw new Error('cannot be written')
  }
  const [first, then] = [await remindedOn(85), await remindedOn(85)]
  harness.deps.log.error = error
  expect([first.length, then.length, faults.length]).toEqual([1, 1, 1])
})

describe('the address that an owner gave', () => {
  const kept = async () => {
    await ownerAddressRetention(harness.deps.database)()
    return (await readOwnerAddress(harness.deps.database, harness.deps.sealer, harness)) !== null
  }
  const age = async () => await harness.deps.database.query(`update owner_addresses set noted_at = now() - interval '31 days'`)

  it('is kept while something is connected', async () => {
    await age()
    expect(await kept()).toBe(true)
  })

  it('is deleted 30 days after the last connection ended, and not before', async () => {
    await age()
    const end = async (days: number) =>
      await harness.deps.database.query(`update connections set status = 26, updated_at = now() - make_interval(days => $1)`, [days])
    await end(29)
    const before = await kept()
    await end(31)
    const after = await kept()
    await harness.deps.database.query('update connections set status = 9')
    expect([before, after]).toEqual([true, false])
  })

  it('given just now is kept, whatever is connected', async () => {
    await harness.deps.database.query(`update connections set status = 26, updated_at = now() - interval '31 days'`)
    const found = await kept()
    await harness.deps.database.query('update connections set status = 9')
    expect(found).toBe(true)
  })
})
