import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { Status } from '../../src/model/statuses.ts'
import { ActionNotAllowed, disconnect } from '../../src/sync/connection/connection-actions.ts'
import { COMPLETE_RECEIPTS } from '../../src/sync/owner/complete-receipts.ts'
import {
  continueByOwner,
  deleteByOwner,
  type OwnedConnectionKey,
  pauseByOwner,
  type ReceiptFacts,
  withdraw,
} from '../../src/sync/owner/owner-actions.ts'
import { keepOwnerAddress } from '../../src/sync/owner/owner-mail.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions, openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { deliverFile } from './delivered-files.ts'
import { openRecorded } from './recorded.ts'

const DAY_MS = 86_400_000
const books = new ScriptedSource('books')
const files = new ScriptedSource('files', 'Banking')
Object.assign(files.description, { name: 'Bank files', link: 'upload' })
// The scripted source answers a form; that the owner uploads files is all that matters here.
const harness = openForTests(() => openSyncHarness([books, files]))
const recorded = openForTests(() => openRecorded(harness.deps.database, harness.deps.sealer))

let instanceId: string
let companyId: string
let key: OwnedConnectionKey
let signed: ReceiptFacts[]

beforeEach(async () => {
  const { deps } = harness
  deps.mail = { sealer: deps.sealer, hashToken: deps.hashToken }
  instanceId = await addInstance(deps.database)
  companyId = await addCompany(deps.database, instanceId)
  key = { instanceId, companyId, connectionId: await connect(companyId) }
  await keepOwnerAddress(deps.database, deps.sealer, key, 'owner@example.com', 'en')
  await deps.database.query('delete from jobs')
  signed = []
})

/** Books of a company with two accounts, read once. */
async function connect(company: string): Promise<string> {
  books.accounts = ['1', '2'].map((id) => ({ id, name: `Account ${id}`, balance: '1.00' }))
  const actions = companyActions(harness.deps, instanceId, company)
  const id = await actions.connect(books)
  await actions.sync(id, { reason: 'first' })
  return id
}

const sign = async (facts: ReceiptFacts) => {
  signed.push(facts)
  return `signed ${facts.kind}`
}
const withdrawn = (given = key) => recorded.acting(() => withdraw(harness.deps, given, sign))
const deleted = (given = key) => recorded.acting(() => deleteByOwner(harness.deps, given, sign))

async function connectionOf(id = key.connectionId) {
  const { rows } = await harness.deps.database.query(
    `select status, credentials is null as "isShredded", extract(epoch from erase_at - now())::float8 * 1000 as "eraseInMs"
     from connections where id = $1`,
    [id],
  )
  return rows[0]
}
const jobs = async () =>
  (await harness.deps.database.query(`select kind, payload->'keepsData' as "keepsData" from jobs where kind <> 'mail' order by kind`)).rows

async function receipts() {
  const { rows } = await harness.deps.database.query(
    `select instance_id as "instanceId", company_id as "companyId", connection_id as "connectionId", kind, service_name as "serviceName", signed
     from receipts where instance_id = $1 order by issued_at`,
    [instanceId],
  )
  return rows
}
const receiptOf = (kind: string) => ({ ...key, kind, serviceName: 'Scripted Books', signed: `signed ${kind}` })
const entryOf = (action: string) => ({ action, subject: `connection/${key.connectionId}`, details: { companyId } })

describe('an owner who withdraws', () => {
  it('locks the data for seven days, ends the access, and gets a receipt and a mail', async () => {
    const receipt = await withdrawn()
    expect(receipt).toMatchObject(receiptOf('withdrawal'))
    expect(await receipts()).toEqual([receiptOf('withdrawal')])
    const found = await connectionOf()
    expect(found).toMatchObject({ status: Status.Disconnected, isShredded: true })
    expect(found?.eraseInMs / DAY_MS).toBeCloseTo(7, 2)
    expect(await jobs()).toEqual([
      { kind: 'erase', keepsData: true },
      { kind: 'revoke', keepsData: null },
    ])
    expect(await recorded.entriesOf(instanceId)).toEqual([entryOf('consent.withdrawn')])
    const mails = await recorded.mailsOf(instanceId)
    expect(mails).toMatchObject([{ kind: 'withdrawn', companyId, to: 'owner@example.com' }])
    for (const words of ['Scripted Books', 'Test Lender', receipt?.id ?? '?']) expect(mails[0]?.text).toContain(words)
  })

  it('gets a receipt of what is held and of the consents that end', async () => {
    const consent = async (endedAt: Date | null) => {
      const id = randomUUID()
      await harness.deps.database.query(
        `with words as (insert into consent_texts (instance_id, hash, texts) values ($1, '\\x01', '{}') on conflict do nothing)
         insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
           duration_days, given_at, expires_at, ended_at, ended_how)
         select $1, $2, company_id, service_id, $2, id, 'service', 0, '\\x01', 'en', 90, now(), now() + interval '90 days', $4::timestamptz,
           case when $4::timestamptz is not null then 'replaced' end from connections where id = $3`,
        [instanceId, id, key.connectionId, endedAt],
      )
      return id
    }
    await harness.deps.database.query('delete from consents where instance_id = $1', [instanceId])
    const active = await consent(null)
    await consent(new Date(0))
    await withdrawn()
    const { connectionId, ...owner } = key
    expect(signed).toMatchObject([
      {
        ...{ ...owner, kind: 'withdrawal', serviceName: 'Scripted Books', isFiles: false, isExported: false },
        held: { accounts: 2, transactions: 0, rawPages: 1 },
        connection: { id: connectionId, status: Status.Disconnected },
      },
    ])
    expect(signed[0]?.consents.map(({ id }) => id)).toEqual([active])
    const { rows } = await harness.deps.database.query('select ended_how from consents where id = $1', [active])
    expect(rows).toEqual([{ ended_how: 'withdrawn' }])
  })

  it('gets the same receipt a second time, and nothing else happens', async () => {
    const first = await withdrawn()
    const before = await connectionOf()
    expect(await withdrawn()).toEqual(first)
    expect([signed.length, (await recorded.entriesOf(instanceId)).length, (await recorded.mailsOf(instanceId)).length]).toEqual([1, 1, 1])
    expect((await connectionOf())?.eraseInMs).toBeLessThanOrEqual(before?.eraseInMs)
  })

  it('of uploaded files is not told of a source', async () => {
    await harness.deps.database.query('update connections set service_id = $2 where id = $1', [key.connectionId, harness.serviceId(files)])
    await withdrawn()
    expect(signed).toMatchObject([{ serviceName: 'Bank files', isFiles: true }])
  })
})

describe('the receipt of an owner', () => {
  it('of a service that is gone names none', async () => {
    await harness.deps.database.query('update connections set service_id = gen_random_uuid() where id = $1', [key.connectionId])
    expect(await withdrawn()).toMatchObject({ kind: 'withdrawal', serviceName: '' })
    expect(signed).toMatchObject([{ serviceName: '', isFiles: false }])
  })

  it('is completed later where data of the connection was exported, and only there', async () => {
    const serviceId = harness.serviceId(books)
    const completions = () => takeJobs(harness.deps.database, COMPLETE_RECEIPTS)
    await deliverFile(harness.deps.database, { ...key, serviceId: harness.serviceId(files) }, { name: 'Other', state: 'unreached' })
    await withdrawn()
    expect([signed[0]?.isExported, await completions()]).toEqual([false, []])
    await deliverFile(harness.deps.database, { ...key, serviceId }, { name: 'Lake', state: 'unreached' })
    await deleted()
    expect(signed[1]?.isExported).toBe(true)
    expect((await completions()).map(({ instanceId: of, payload }) => [of, payload])).toEqual([
      [instanceId, { companyId, serviceId, connectionId: key.connectionId, since: expect.any(String) }],
    ])
  })
})

describe('an owner who deletes', () => {
  it('has the data deleted at once, with one receipt', async () => {
    expect(await deleted()).toMatchObject(receiptOf('deletion'))
    expect(await receipts()).toEqual([receiptOf('deletion')])
    expect(await connectionOf()).toEqual({ status: Status.Disconnected, isShredded: true, eraseInMs: null })
    expect(await jobs()).toEqual([
      { kind: 'erase', keepsData: false },
      { kind: 'revoke', keepsData: null },
    ])
    expect(await recorded.entriesOf(instanceId)).toEqual([entryOf('connection.data-deleted')])
    expect((await recorded.mailsOf(instanceId)).map(({ kind }) => kind)).toEqual(['withdrawn'])
  })

  it('after a withdrawal has the locked data deleted at once, with a receipt of its own', async () => {
    await withdrawn()
    await harness.deps.database.query(`delete from jobs where kind in ('erase', 'revoke')`)
    expect(await deleted()).toMatchObject(receiptOf('deletion'))
    expect(await receipts()).toEqual([receiptOf('withdrawal'), receiptOf('deletion')])
    expect((await connectionOf())?.eraseInMs).toBeNull()
    expect(await jobs()).toEqual([{ kind: 'erase', keepsData: false }])
    expect(signed[1]).toMatchObject({ kind: 'deletion', consents: [], held: { accounts: 2, transactions: 0, rawPages: 1 } })
    expect(await recorded.entriesOf(instanceId)).toEqual([entryOf('consent.withdrawn'), entryOf('connection.data-deleted')])
    expect((await recorded.mailsOf(instanceId)).length).toBe(1)
  })

  it('gets the same receipt a second time, and nothing else happens', async () => {
    const first = await deleted()
    await harness.deps.database.query('delete from jobs')
    expect(await deleted()).toEqual(first)
    expect([signed.length, await jobs(), (await recorded.entriesOf(instanceId)).length]).toEqual([1, [], 1])
  })

  it('what the lender has ended already gets no receipt', async () => {
    await disconnect(harness.deps, { ...key, serviceId: harness.serviceId(books) })
    await harness.deps.database.query('delete from jobs')
    expect([await withdrawn(), await deleted()]).toEqual([null, null])
    expect([signed, await receipts(), await jobs()]).toEqual([[], [], []])
  })
})

describe('the connection of another company', () => {
  it.each(['company', 'instance'])('cannot be ended or paused with the page of one: another %s', async (what) => {
    const { database } = harness.deps
    const otherInstance = await addInstance(database)
    const foreign: OwnedConnectionKey =
      what === 'company'
        ? { ...key, companyId: await addCompany(database, instanceId) }
        : { ...key, instanceId: otherInstance, companyId: await addCompany(database, otherInstance) }
    const before = await connectionOf()
    expect([await withdrawn(foreign), await deleted(foreign)]).toEqual([null, null])
    expect([await pauseByOwner(harness.deps, foreign), await continueByOwner(harness.deps, foreign)]).toEqual([null, null])
    expect([await connectionOf(), signed, await jobs()]).toEqual([before, [], []])
  })

  it('stays as it is when one is ended', async () => {
    const other = await connect(await addCompany(harness.deps.database, instanceId))
    const before = await connectionOf(other)
    await deleted()
    expect(await connectionOf(other)).toEqual(before)
  })
})

describe('an owner who pauses', () => {
  it('stops the reading until the owner continues it', async () => {
    expect(await pauseByOwner(harness.deps, key)).toMatchObject({ id: key.connectionId })
    const { rows } = await harness.deps.database.query(
      'select status, owner_paused_at is not null as owner, operator_suspended_at as operator from connections where id = $1',
      [key.connectionId],
    )
    expect(rows).toEqual([{ status: Status.Suspended, owner: true, operator: null }])
    expect(await continueByOwner(harness.deps, key)).toMatchObject({ id: key.connectionId })
    expect(await connectionOf()).toMatchObject({ status: Status.Structured })
    await expect(continueByOwner(harness.deps, key)).rejects.toThrow(ActionNotAllowed)
  })
})
