import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startWorker } from '../../src/jobs/worker.ts'
import { mailHandlers } from '../../src/mail/jobs.ts'
import { createPost } from '../../src/mail/post.ts'
import { queueMail } from '../../src/mail/queue.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { deleteOldMails } from '../../src/store/mail/mails.ts'
import { until } from '../process/deadline.ts'
import { LINK, type MailHouse, openMailHouse } from './mail-house.ts'

let house: MailHouse
beforeAll(async () => {
  house = await openMailHouse()
})
afterAll(() => house.close())
beforeEach(() => {
  house.smtp.taken.length = 0
  house.smtp.refusals.length = 0
})

describe('a mail that was queued', () => {
  it('arrives with its words, its link and a Message-ID that names it', async () => {
    const id = await house.queue('owner@example.com', { name: 'Zoé Bélanger' })
    expect(await house.work(id)).toEqual({ done: true })
    const [mail] = house.smtp.taken
    expect(mail?.email).toMatchObject({
      messageId: `<${id}@example.org>`,
      subject: 'Érable Lending vous demande de connecter Xero',
      from: { name: 'Érable Lending', address: 'no-reply@example.org' },
      to: [{ name: 'Zoé Bélanger', address: 'owner@example.com' }],
    })
    expect(mail?.email.text).toContain(LINK)
    expect(mail?.email.html).toContain('<html lang="fr-CA">')
  })

  it('is not sent when its transaction is rolled back', async () => {
    const before = await house.database.query('select count(*)::int as count from jobs')
    const failing = inTransaction(house.database, async (db) => {
      const facts = { asker: 'A', company: 'B', address: LINK }
      await queueMail(db, house.desk, {
        instanceId: house.instanceId,
        kind: 'ownerPage',
        facts,
        locale: 'en',
        to: { address: 'rolled@example.com' },
        companyId: null,
      })
      throw new Error('something after it failed')
    })
    await expect(failing).rejects.toThrow('something after it failed')
    expect(await house.database.query('select count(*)::int as count from jobs')).toMatchObject({ rows: before.rows })
    expect(
      (await house.database.query(`select 1 from mails where recipient_shown = 'r•••@example.com' and kind = 'ownerPage'`)).rows,
    ).toEqual([])
  })

  it('lies sealed, its address masked, and loses its content once it was sent', async () => {
    const id = await house.queue('sealed.owner@example.com')
    const waiting = JSON.stringify(await house.row(id))
    expect(waiting).not.toMatch(/sealed\.owner|abcdefghijkl/)
    expect(Buffer.from((await house.row(id)).sealed as Uint8Array).toString('latin1')).not.toMatch(/sealed\.owner|abcdefghijkl/)
    await house.work(id)
    expect(await house.row(id)).toMatchObject({ state: 'sent', sealed: null, recipient_shown: 's•••@example.com' })
  })

  it('is sent once however often its job runs', async () => {
    const id = await house.queue('twice@example.com')
    await house.work(id)
    await house.work(id)
    expect(house.smtp.taken).toHaveLength(1)
  })

  it('that a server cannot take now comes again later, under the same Message-ID', async () => {
    const id = await house.queue('later@example.com')
    house.smtp.refusals.push({ code: 451, text: 'greylisted' })
    const outcome = await house.work(id)
    expect(outcome).toMatchObject({ done: false, isFailure: false })
    expect(await house.row(id)).toMatchObject({ state: 'waiting', attempts: 1 })
    await house.work(id)
    expect(house.smtp.taken[0]?.email.messageId).toBe(`<${id}@example.org>`)
  })

  it('waits longer each time and is given up after eight tries, which shows', async () => {
    const id = await house.queue('never@example.com')
    const waits: number[] = []
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      house.smtp.refusals.push({ code: 451, text: 'try again' })
      const outcome = await house.work(id)
      if (!outcome.done) waits.push(outcome.inMs)
    }
    expect(waits).toHaveLength(7)
    expect(waits.every((wait, index) => index === 0 || wait > (waits[index - 1] ?? 0))).toBe(true)
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(18 * 3_600_000)
    expect(await house.row(id)).toMatchObject({ state: 'failed', sealed: null, attempts: 8 })
  })

  it('that is refused for good ends at once, with what the server said and without the address', async () => {
    const id = await house.queue('nobody.there@example.com')
    house.smtp.refusals.push({ code: 550, text: '<nobody.there@example.com>: no such user' })
    expect(await house.work(id)).toEqual({ done: true })
    const row = await house.row(id)
    expect(row).toMatchObject({ state: 'refused', sealed: null })
    expect(row.problem).toMatch(/550.*no such user/)
    expect(row.problem).not.toContain('nobody.there')
  })

  it('names no address in what the server said, in whatever letters, whoever’s it is', async () => {
    const id = await house.queue('casey.cee@example.com')
    const text = 'Casey.Cee@EXAMPLE.COM unknown, forwards to <casey@private.example>, ask postmaster@[192.0.2.1]'
    house.smtp.refusals.push({ code: 550, text })
    await house.work(id)
    expect((await house.row(id)).problem).toMatch(/^550 ••• unknown, forwards to <•••>, ask •••$/)
  })

  it('waits where the server wants a login that is not set: that is for the operator to mend', async () => {
    const id = await house.queue('auth@example.com')
    house.smtp.refusals.push({ code: 530, text: 'authentication required' })
    expect(await house.work(id)).toMatchObject({ done: false })
  })

  it('waits where no server answers', async () => {
    const id = await house.queue('silence@example.com')
    const post = createPost({ url: new Secret('smtp://127.0.0.1:9'), from: 'no-reply@example.org' })
    const { database, sealer, instanceId } = house
    const handlers = mailHandlers({ database, sealer, post, log: { warn: () => undefined } })
    const job = { id, instanceId, kind: 'mail', key: `mail/${id}`, payload: { mailId: id }, attempts: 1 }
    expect(await handlers.mail(job, { isStopping: () => false })).toMatchObject({ done: false })
    await house.work(id)
  })

  it('is sent by one of two processes, not by both', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => house.queue(`many${n}@example.com`)))
    const { database, sealer, smtp } = house
    const start = () =>
      startWorker({
        database,
        handlers: mailHandlers({ database, sealer, post: smtp.post, log: { warn: () => undefined } }),
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

  it('is forgotten 30 days after it was settled, and not before', async () => {
    const [old, young] = [await house.queue('old@example.com'), await house.queue('young@example.com')]
    await house.work(old)
    await house.work(young)
    await house.database.query(`update mails set settled_at = now() - interval '30 days 1 minute' where id = $1`, [old])
    await house.database.query(`update mails set settled_at = now() - interval '29 days' where id = $1`, [young])
    await deleteOldMails(house.database)
    expect([await house.row(old), (await house.row(young)).state]).toEqual([undefined, 'sent'])
  })

  it('that nobody has sent for 30 days is forgotten too, with what it says', async () => {
    const stuck = await house.queue('stuck@example.com')
    await house.database.query(`update mails set created_at = now() - interval '30 days 1 minute' where id = $1`, [stuck])
    await deleteOldMails(house.database)
    expect(await house.row(stuck)).toBeUndefined()
  })
})
