import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BadMailAddress, NoMailServer, queueMail, TooManyMails } from '../../src/mail/queue.ts'
import { toMailAddress } from '../../src/model/values/mail-address.ts'
import { createCompany } from '../../src/store/connections/companies.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { type MailHouse, openMailHouse } from './mail-house.ts'

let house: MailHouse
beforeAll(async () => {
  house = await openMailHouse()
})
afterAll(() => house.close())

describe('an address', () => {
  it.each([
    ['owner@example.com', 'owner@example.com'],
    ['  Owner+books@Example.COM ', 'Owner+books@example.com'],
    ['marie@société.québec', 'marie@xn--socit-esab.xn--qubec-csa'],
    ["o'brien@mail.example.co.uk", "o'brien@mail.example.co.uk"],
  ])('%j is taken', (typed, sent) => expect(toMailAddress(typed)).toBe(sent))

  it.each([
    '',
    'owner',
    'owner@',
    '@example.com',
    'owner@localhost',
    'owner@127.0.0.1',
    'owner@[127.0.0.1]',
    'a@b@example.com',
    'owner@example.com\r\nBcc: victim@example.com',
    'owner\r\n@example.com',
    'owner@exa\nmple.com',
    'owner\0@example.com',
    '"owner a"@example.com',
    '"victim@example.com"@example.org',
    'owner@example.com, other@example.com',
    'Owner <owner@example.com>',
    'owner(comment)@example.com',
    'owner..books@example.com',
    '.owner@example.com',
    'owner@-example.com',
    'owner@example.com;x@example.org',
    `${'a'.repeat(10_000)}@example.com`,
    `owner@${'a.'.repeat(5_000)}com`,
    'propriétaire@example.com',
    'owner@exam%70le.com',
  ])('%j is refused, and nothing is queued', async (typed) => {
    const count = async () => (await house.database.query('select count(*)::int as count from mails')).rows[0]?.count
    const before = await count()
    await expect(house.queue(typed)).rejects.toThrow(BadMailAddress)
    expect(await count()).toBe(before)
  })
})

describe('names', () => {
  it.each([
    ['line breaks', 'Zoé\r\nBcc: victim@example.com'],
    ['quotes and brackets', '"Zoé" <victim@example.com>, x'],
    ['10,000 characters', 'Zoé '.repeat(2_500)],
    ['other scripts and emoji', '株式会社 🧾 חברה'],
  ])('with %s add no header and no recipient', async (_, name) => {
    house.smtp.taken.length = 0
    const id = await house.queue(`n${Math.abs(name.length)}@example.com`, { name, company: name })
    await house.work(id)
    const [mail] = house.smtp.taken
    expect(mail?.recipients).toEqual([`n${name.length}@example.com`])
    expect(mail?.email.to).toHaveLength(1)
    expect(mail?.email.headers.filter(({ key }) => key === 'bcc' || key === 'cc')).toEqual([])
    expect((mail?.email.subject ?? '').length).toBeLessThan(300)
  })

  it('of the sender with line breaks add no header', async () => {
    house.smtp.taken.length = 0
    const { instanceId, desk } = house
    const id = await inTransaction(house.database, (db) =>
      queueMail(db, desk, {
        instanceId,
        kind: 'ownerPage',
        facts: { asker: 'Lender\r\nBcc: victim@example.com', company: 'x\r\n\r\n<script>', address: 'https://data.example.com/' },
        locale: 'en',
        to: { address: 'asker@example.com' },
        companyId: null,
      }),
    )
    await house.work(id)
    expect(house.smtp.taken[0]?.email.headers.filter(({ key }) => key === 'bcc')).toEqual([])
    expect(house.smtp.taken[0]?.email.html).not.toContain('<script>')
  })
})

describe('limits', () => {
  it('let five mails an hour go to one address, whatever its letters, and say when the next may', async () => {
    for (let n = 0; n < 5; n += 1) await house.queue('five@example.com')
    const refused = await house.queue('FIVE@Example.com').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(TooManyMails)
    expect(refused instanceof TooManyMails && refused.retryAfterSeconds).toSatisfy((seconds: number) => seconds > 3_500 && seconds <= 3_600)
    await house.database.query(`update mails set created_at = created_at - interval '1 hour 1 second'`)
    await house.queue('five@example.com')
  })

  it('hold when many ask at the same time', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 9 }, () => house.queue('crowd@example.com')))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })

  it('count each instance by itself', async () => {
    const other = await house.addInstance()
    for (let n = 0; n < 5; n += 1) await house.queue('shared@example.com')
    await expect(house.queue('shared@example.com', { instanceId: other })).resolves.toBeTypeOf('string')
  })

  it('hold for a company, so that nobody with one link writes to a crowd of strangers', async () => {
    const { database, desk, instanceId } = house
    const companyId = randomUUID()
    const place = { name: 'Café', industry: '', fullAddress: '', country: 'CA', city: '', companyContactNumber: '' }
    await createCompany(database, instanceId, companyId, place)
    const write = async (n: number, isOwed = false) =>
      await inTransaction(database, (db) =>
        queueMail(db, desk, {
          ...{ instanceId, kind: 'ownerPage', locale: 'en', companyId, isOwed },
          facts: { asker: 'A', company: 'B', address: 'https://data.example.com/' },
          to: { address: `stranger${n}@example.com` },
        }),
      )
    for (let n = 0; n < 20; n += 1) await write(n)
    await expect(write(20)).rejects.toThrow(TooManyMails)
    await expect(write(21, true)).resolves.toBeTypeOf('string')
    await expect(house.queue('elsewhere@example.com')).resolves.toBeTypeOf('string')
  })

  it('hold for an instance altogether', async () => {
    const instanceId = await house.addInstance()
    await house.database.query(
      `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, state) select $1, gen_random_uuid(), 'link', '', '', 'sent'
       from generate_series(1, 200)`,
      [instanceId],
    )
    await expect(house.queue('fresh@example.com', { instanceId })).rejects.toThrow(TooManyMails)
  })
})

it('without a mail server nothing is queued and the reason is said', async () => {
  const { instanceId } = house
  const queued = queueMail(house.database, undefined, {
    instanceId,
    kind: 'ownerPage',
    facts: { asker: 'A', company: 'B', address: 'https://data.example.com/' },
    locale: 'en',
    to: { address: 'owner@example.com' },
    companyId: null,
  })
  await expect(queued).rejects.toThrow(NoMailServer)
})
