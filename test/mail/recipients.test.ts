import { describe, expect, it } from 'vitest'
import { BadMailAddress, NoMailServer, queueMail, TooManyMails } from '../../src/mail/queue.ts'
import { toMailAddress } from '../../src/model/values/mail-address.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openMailHarness } from './harness.ts'

const harness = openForTests(openMailHarness)

describe('an address', () => {
  it.each([
    ['owner@example.com', 'owner@example.com'],
    ['  Owner+books@Example.COM ', 'Owner+books@example.com'],
    ['marie@société.québec', 'marie@xn--socit-esab.xn--qubec-csa'],
    ["o'brien@mail.example.co.uk", "o'brien@mail.example.co.uk"],
  ])('%j is accepted', (typed, sent) => expect(toMailAddress(typed)).toBe(sent))

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
    const count = async () => (await harness.database.query('select count(*)::int as count from mails')).rows[0]?.count
    const before = await count()
    await expect(harness.queue(typed)).rejects.toThrow(BadMailAddress)
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
    harness.smtp.taken.length = 0
    const id = await harness.queue(`n${Math.abs(name.length)}@example.com`, { name, company: name })
    await harness.work(id)
    const [mail] = harness.smtp.taken
    expect(mail?.recipients).toEqual([`n${name.length}@example.com`])
    expect(mail?.email.to).toHaveLength(1)
    expect(mail?.email.headers.filter(({ key }) => key === 'bcc' || key === 'cc')).toEqual([])
    expect((mail?.email.subject ?? '').length).toBeLessThan(300)
  })

  it('of the sender with line breaks add no header', async () => {
    harness.smtp.taken.length = 0
    const { instanceId, mailContext } = harness
    const id = await inTransaction(harness.database, (db) =>
      queueMail(db, mailContext, {
        instanceId,
        kind: 'ownerPage',
        facts: { requester: 'Lender\r\nBcc: victim@example.com', company: 'x\r\n\r\n<script>', address: 'https://data.example.com/' },
        locale: 'en',
        to: { address: 'requester@example.com' },
        companyId: null,
      }),
    )
    await harness.work(id)
    expect(harness.smtp.taken[0]?.email.headers.filter(({ key }) => key === 'bcc')).toEqual([])
    expect(harness.smtp.taken[0]?.email.html).not.toContain('<script>')
  })
})

describe('limits', () => {
  it('allow five mails an hour to one address, whatever its letter case, and state the wait', async () => {
    for (let n = 0; n < 5; n += 1) await harness.queue('five@example.com')
    const refused = await harness.queue('FIVE@Example.com').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(TooManyMails)
    expect(refused instanceof TooManyMails && refused.retryAfterSeconds).toSatisfy((seconds: number) => seconds > 3_500 && seconds <= 3_600)
    await harness.database.query(`update mails set created_at = created_at - interval '1 hour 1 second'`)
    await harness.queue('five@example.com')
  })

  it('apply to concurrent requests', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 9 }, () => harness.queue('crowd@example.com')))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })

  it('count each instance separately', async () => {
    const other = await harness.addInstance()
    for (let n = 0; n < 5; n += 1) await harness.queue('shared@example.com')
    await expect(harness.queue('shared@example.com', { instanceId: other })).resolves.toBeTypeOf('string')
  })

  it('apply to a company, so that one link cannot be used to write to many strangers', async () => {
    const { database, mailContext, instanceId } = harness
    const companyId = await addCompany(database, instanceId)
    const write = async (n: number, isOwed = false) =>
      await inTransaction(database, (db) =>
        queueMail(db, mailContext, {
          ...{ instanceId, kind: 'ownerPage', locale: 'en', companyId, isExemptFromLimits: isOwed },
          facts: { requester: 'A', company: 'B', address: 'https://data.example.com/' },
          to: { address: `stranger${n}@example.com` },
        }),
      )
    for (let n = 0; n < 20; n += 1) await write(n)
    await expect(write(20)).rejects.toThrow(TooManyMails)
    await expect(write(21, true)).resolves.toBeTypeOf('string')
    await expect(harness.queue('elsewhere@example.com')).resolves.toBeTypeOf('string')
  })

  it('apply to an instance in total', async () => {
    const instanceId = await harness.addInstance()
    await harness.database.query(
      `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, state) select $1, gen_random_uuid(), 'link', '', '', 'sent'
       from generate_series(1, 200)`,
      [instanceId],
    )
    await expect(harness.queue('fresh@example.com', { instanceId })).rejects.toThrow(TooManyMails)
  })
})

it('without a mail server nothing is queued and the reason is returned', async () => {
  const { instanceId } = harness
  const queued = queueMail(harness.database, undefined, {
    instanceId,
    kind: 'ownerPage',
    facts: { requester: 'A', company: 'B', address: 'https://data.example.com/' },
    locale: 'en',
    to: { address: 'owner@example.com' },
    companyId: null,
  })
  await expect(queued).rejects.toThrow(NoMailServer)
})
