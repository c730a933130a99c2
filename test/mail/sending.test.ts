import { beforeEach, describe, expect, it } from 'vitest'
import { startWorker } from '../../src/jobs/worker.ts'
import { mailHandlers } from '../../src/mail/jobs.ts'
import { queueMail } from '../../src/mail/queue.ts'
import { createSmtpTransport } from '../../src/mail/smtp-transport.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { deleteOldMails } from '../../src/store/mail/mails.ts'
import { sendMail } from '../harness/app/jobs.ts'
import { openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { LINK, openMailHarness } from './harness.ts'

const harness = openForTests(openMailHarness)

beforeEach(() => {
  harness.smtp.taken.length = 0
  harness.smtp.refusals.length = 0
})

describe('a queued mail', () => {
  it('arrives with its text, its link and a Message-ID that names it', async () => {
    const id = await harness.queue('owner@example.com', { name: 'Zoé Bélanger' })
    expect(await harness.work(id)).toEqual({ done: true })
    const [mail] = harness.smtp.taken
    expect(mail?.email).toMatchObject({
      messageId: `<${id}@example.org>`,
      subject: 'Érable Lending vous demande de connecter Xero',
      from: { name: 'Érable Lending', address: 'no-reply@example.org' },
      to: [{ name: 'Zoé Bélanger', address: 'owner@example.com' }],
    })
    expect(mail?.email.text).toContain(LINK)
    expect(mail?.email.html).toContain('<html lang="fr-CA">')
  })

  it('is not sent if its transaction is rolled back', async () => {
    const before = await harness.database.query('select count(*)::int as count from jobs')
    const failing = inTransaction(harness.database, async (db) => {
      const facts = { requester: 'A', company: 'B', address: LINK }
      await queueMail(db, harness.mailContext, {
        instanceId: harness.instanceId,
        kind: 'ownerPage',
        facts,
        locale: 'en',
        to: { address: 'rolled@example.com' },
        companyId: null,
      })
      throw new Error('something after it failed')
    })
    await expect(failing).rejects.toThrow('something after it failed')
    expect(await harness.database.query('select count(*)::int as count from jobs')).toMatchObject({ rows: before.rows })
    expect(
      (await harness.database.query(`select 1 from mails where recipient_shown = 'r•••@example.com' and kind = 'ownerPage'`)).rows,
    ).toEqual([])
  })

  it('is sealed with its address masked, and loses its content once it was sent', async () => {
    const id = await harness.queue('sealed.owner@example.com')
    const waiting = JSON.stringify(await harness.row(id))
    expect(waiting).not.toMatch(/sealed\.owner|abcdefghijkl/)
    expect(Buffer.from((await harness.row(id)).sealed as Uint8Array).toString('latin1')).not.toMatch(/sealed\.owner|abcdefghijkl/)
    await harness.work(id)
    expect(await harness.row(id)).toMatchObject({ state: 'sent', sealed: null, recipient_shown: 's•••@example.com' })
  })

  it('is sent once however often its job runs', async () => {
    const id = await harness.queue('twice@example.com')
    await harness.work(id)
    await harness.work(id)
    expect(harness.smtp.taken).toHaveLength(1)
  })

  it('that a server cannot accept now is retried later, under the same Message-ID', async () => {
    const id = await harness.queue('later@example.com')
    harness.smtp.refusals.push({ code: 451, text: 'greylisted' })
    const outcome = await harness.work(id)
    expect(outcome).toMatchObject({ done: false, isFailure: false })
    expect(await harness.row(id)).toMatchObject({ state: 'waiting', attempts: 1 })
    await harness.work(id)
    expect(harness.smtp.taken[0]?.email.messageId).toBe(`<${id}@example.org>`)
  })

  it('waits longer each time and is abandoned after eight attempts, which is shown', async () => {
    const id = await harness.queue('never@example.com')
    const waits: number[] = []
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      harness.smtp.refusals.push({ code: 451, text: 'try again' })
      const outcome = await harness.work(id)
      if (!outcome.done) waits.push(outcome.inMs)
    }
    expect(waits).toHaveLength(7)
    expect(waits.every((wait, index) => index === 0 || wait > (waits[index - 1] ?? 0))).toBe(true)
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(18 * 3_600_000)
    expect(await harness.row(id)).toMatchObject({ state: 'failed', sealed: null, attempts: 8 })
  })

  it('that is rejected permanently ends at once, with the server’s message and without the address', async () => {
    const id = await harness.queue('nobody.there@example.com')
    harness.smtp.refusals.push({ code: 550, text: '<nobody.there@example.com>: no such user' })
    expect(await harness.work(id)).toEqual({ done: true })
    const row = await harness.row(id)
    expect(row).toMatchObject({ state: 'refused', sealed: null })
    expect(row.problem).toMatch(/550.*no such user/)
    expect(row.problem).not.toContain('nobody.there')
  })

  it('shows no address from the server’s message, in any letter case, whoever’s it is', async () => {
    const id = await harness.queue('casey.cee@example.com')
    const text = 'Casey.Cee@EXAMPLE.COM unknown, forwards to <casey@private.example>, ask postmaster@[192.0.2.1]'
    harness.smtp.refusals.push({ code: 550, text })
    await harness.work(id)
    expect((await harness.row(id)).problem).toMatch(/^550 ••• unknown, forwards to <•••>, ask •••$/)
  })

  it('waits if the server requires a login that is not set, which the operator has to fix', async () => {
    const id = await harness.queue('auth@example.com')
    harness.smtp.refusals.push({ code: 530, text: 'authentication required' })
    expect(await harness.work(id)).toMatchObject({ done: false })
  })

  it('waits if no server answers', async () => {
    const id = await harness.queue('silence@example.com')
    const post = createSmtpTransport({ url: new Secret('smtp://127.0.0.1:9'), from: 'no-reply@example.org' })
    const { database, sealer, instanceId } = harness
    expect(await sendMail({ database, sealer, transport: post }, { instanceId, mailId: id })).toMatchObject({ done: false })
    await harness.work(id)
  })

  it('is sent by one of two processes, not by both', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => harness.queue(`many${n}@example.com`)))
    const { database, sealer, smtp } = harness
    const start = () =>
      startWorker({
        database,
        handlers: mailHandlers({ database, sealer, transport: smtp.post, log: { warn: () => undefined } }),
        concurrency: 4,
        onError: (error) => {
          throw error
        },
      })
    const workers = [start(), start()]
    const unsent = async () =>
      (await database.query(`select 1 from mails where id = any($1) and state <> 'sent'`, [ids])).rows.length === 0 ? true : null
    await until('all mails are sent', unsent)
    await Promise.all(workers.map((worker) => worker.stop()))
    const sent = smtp.taken.map(({ email }) => email.messageId).filter((id) => ids.some((known) => id === `<${known}@example.org>`))
    expect(sent.sort()).toEqual(ids.map((id) => `<${id}@example.org>`).sort())
  })

  it('is deleted 30 days after it was settled, and not before', async () => {
    const [old, young] = [await harness.queue('old@example.com'), await harness.queue('young@example.com')]
    await harness.work(old)
    await harness.work(young)
    await harness.database.query(`update mails set settled_at = now() - interval '30 days 1 minute' where id = $1`, [old])
    await harness.database.query(`update mails set settled_at = now() - interval '29 days' where id = $1`, [young])
    await deleteOldMails(harness.database)
    expect([await harness.row(old), (await harness.row(young)).state]).toEqual([undefined, 'sent'])
  })

  it('that nobody has sent for 30 days is deleted too, with its content', async () => {
    const stuck = await harness.queue('stuck@example.com')
    await harness.database.query(`update mails set created_at = now() - interval '30 days 1 minute' where id = $1`, [stuck])
    await deleteOldMails(harness.database)
    expect(await harness.row(stuck)).toBeUndefined()
  })
})
