import { beforeEach, describe, expect, it } from 'vitest'
import { BadMailAddress, NoMailServer, TooManyMails } from '../../src/mail/queue.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { getOwnerPages, saveOwnerPages } from '../../src/store/owners/owner-pages.ts'
import { openOwnerAccess } from '../../src/sync/owner/owner-access.ts'
import {
  keepAndConfirm,
  keepOwnerAddress,
  mailLink,
  mailOwner,
  mailOwnerPage,
  mailRefusalOf,
  readOwnerAddress,
} from '../../src/sync/owner/owner-mail.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { openRecorded } from './recorded.ts'

const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))
const recorded = openForTests(() => openRecorded(harness.deps.database, harness.deps.sealer))

let scope: { instanceId: string; companyId: string }
let neighbour: typeof scope
let foreign: typeof scope

beforeEach(async () => {
  const { database, sealer, hashToken } = harness.deps
  harness.deps.mail = { sealer, hashToken }
  const [instanceId, other] = [await addInstance(database, 'Érable Lending'), await addInstance(database)]
  scope = { instanceId, companyId: await addCompany(database, instanceId) }
  neighbour = { instanceId, companyId: await addCompany(database, instanceId) }
  foreign = { instanceId: other, companyId: await addCompany(database, other) }
  await keepOwnerAddress(database, sealer, neighbour, 'neighbour@example.com', 'en')
  await keepOwnerAddress(database, sealer, foreign, 'foreign@example.com', 'fr-CA')
})

const keep = (typed: string, locale: 'en' | 'fr-CA' = 'en') =>
  keepOwnerAddress(harness.deps.database, harness.deps.sealer, scope, typed, locale)
const read = (of = scope) => readOwnerAddress(harness.deps.database, harness.deps.sealer, of)
const mails = () => recorded.mailsOf(scope.instanceId)
const entries = () => recorded.entriesOf(scope.instanceId)
const subject = () => `company/${scope.companyId}`

describe('the address of an owner', () => {
  it('is that of one company: kept with the language, replaced, and deleted by an empty text', async () => {
    expect(await read()).toBeNull()
    expect([await keep(' owner@example.com '), await read()]).toEqual([true, { address: 'owner@example.com', locale: 'en' }])
    expect([await keep('other@example.com', 'fr-CA'), await read()]).toEqual([true, { address: 'other@example.com', locale: 'fr-CA' }])
    expect([await keep('nobody'), await read()]).toEqual([false, { address: 'other@example.com', locale: 'fr-CA' }])
    expect([await keep('  '), await read()]).toEqual([true, null])
    expect([await read(neighbour), await read(foreign)]).toEqual([
      { address: 'neighbour@example.com', locale: 'en' },
      { address: 'foreign@example.com', locale: 'fr-CA' },
    ])
  })

  it('cannot be opened in the row of another company', async () => {
    await harness.deps.database.query(
      'update owner_addresses a set address = b.address from owner_addresses b where a.company_id = $1 and b.company_id = $2',
      [neighbour.companyId, foreign.companyId],
    )
    await expect(read(neighbour)).rejects.toThrow('owner_addresses.address')
  })
})

describe('an address that is given with a consent', () => {
  const receipt = { service: 'Books', givenAt: new Date(0), endsAt: new Date(0), page: null, reference: 'R-7', statements: ['We agree.'] }
  const confirm = (typed: string, given: typeof receipt | null, locale: 'en' | 'fr-CA' = 'fr-CA') =>
    recorded.acting(() => keepAndConfirm(harness.deps, scope, typed, locale, given))

  it('is kept, and a receipt is mailed to it, in the language of the page', async () => {
    expect(await confirm('owner@example.com', receipt)).toBe('mailed')
    expect(await read()).toEqual({ address: 'owner@example.com', locale: 'fr-CA' })
    const [mail, ...others] = await mails()
    expect([mail, others]).toMatchObject([{ kind: 'agreed', companyId: scope.companyId, to: 'owner@example.com' }, []])
    for (const words of ['Érable Lending', 'Boulangerie du Plateau', 'Books', 'R-7', 'We agree.']) expect(mail?.text).toContain(words)
    expect(mail?.text).toMatch(/autoris/)
    expect(await entries()).toEqual([{ action: 'owner-address.saved', subject: subject() }])
  })

  it.each<[string, () => Promise<unknown>, string]>([
    ['without a receipt', () => confirm('owner@example.com', null), 'owner-address.saved'],
    ['to be removed', () => confirm(' ', receipt), 'owner-address.removed'],
    [
      'without a mail server',
      () => {
        delete harness.deps.mail
        return confirm('owner@example.com', receipt)
      },
      'owner-address.saved',
    ],
  ])('is mailed nothing %s', async (_what, act, action) => {
    expect(await act()).toBe('kept')
    expect([await mails(), await entries()]).toEqual([[], [{ action, subject: subject() }]])
  })

  it('that is none changes nothing', async () => {
    await keep('owner@example.com')
    expect(await confirm('nobody', receipt)).toBeNull()
    expect([await read(), await mails(), await entries()]).toEqual([{ address: 'owner@example.com', locale: 'en' }, [], []])
  })

  it('is mailed five times within an hour at most, and stays as it was then', async () => {
    for (let count = 0; count < 5; count += 1) expect(await confirm('owner@example.com', receipt)).toBe('mailed')
    await expect(confirm('owner@example.com', receipt, 'en')).rejects.toThrow(TooManyMails)
    expect([await read(), (await entries()).length]).toEqual([{ address: 'owner@example.com', locale: 'fr-CA' }, 5])
  })
})

describe('a mail to the owner', () => {
  const write = () =>
    inTransaction(harness.deps.database, (db) =>
      mailOwner(db, harness.deps, scope, 'withdrawn', (names, locale) => ({
        ...names,
        service: `Books ${locale}`,
        withdrawnAt: new Date(0),
        reference: 'R-7',
      })),
    )

  it('goes to the address of the company, in its language, however many were sent', async () => {
    await keep('owner@example.com', 'fr-CA')
    for (let count = 0; count < 6; count += 1) expect(await write()).toBe(true)
    const sent = await mails()
    expect(sent.length).toBe(6)
    expect(sent[0]).toMatchObject({ kind: 'withdrawn', companyId: scope.companyId, to: 'owner@example.com', fromName: 'Érable Lending' })
    for (const words of ['Boulangerie du Plateau', 'Books fr-CA', 'R-7']) expect(sent[0]?.text).toContain(words)
  })

  it('is none without an address, or without a mail server', async () => {
    expect(await write()).toBe(false)
    await keep('owner@example.com')
    delete harness.deps.mail
    expect([await write(), await mails()]).toEqual([false, []])
  })

  it('names the instance as its pages do', async () => {
    const { logo: _, ...pages } = await getOwnerPages(harness.deps.database, scope.instanceId)
    await saveOwnerPages(harness.deps.database, scope.instanceId, { ...pages, publicName: 'Érable', contact: 'help@example.com' })
    await keep('owner@example.com')
    await write()
    expect(await mails()).toMatchObject([{ fromName: 'Érable', replyTo: 'help@example.com' }])
  })
})

describe('the address of the own page', () => {
  const send = () => recorded.acting(() => mailOwnerPage(harness.deps, scope))

  it('is mailed to the owner, who can open the page with it', async () => {
    await keep('owner@example.com', 'fr-CA')
    const id = await send()
    const [mail] = await mails()
    expect(mail).toMatchObject({ id, kind: 'ownerPage', companyId: scope.companyId, to: 'owner@example.com' })
    expect(await entries()).toEqual([{ action: 'owner-page.mailed', subject: subject() }])
    const [address = ''] = /http:\/\/\S+token=\S+/.exec(mail?.text ?? '') ?? []
    const { searchParams } = new URL(address)
    expect(searchParams.get('lang')).toBe('fr-CA')
    const { database, hashToken } = harness.deps
    expect((await openOwnerAccess(database, hashToken, searchParams.get('token') ?? ''))?.company.id).toBe(scope.companyId)
  })

  it('is mailed to nobody without an address, and not without a mail server', async () => {
    expect([await send(), await mails(), await entries()]).toEqual([null, [], []])
    await keep('owner@example.com')
    delete harness.deps.mail
    await expect(send()).rejects.toThrow(NoMailServer)
    const { rows } = await harness.deps.database.query('select from owner_accesses where company_id = $1', [scope.companyId])
    expect(rows).toEqual([])
  })
})

describe('a link that is mailed', () => {
  type Request = Parameters<typeof mailLink>[2]
  const send = (more: Partial<Request> = {}) =>
    recorded.acting(() =>
      inTransaction(harness.deps.database, (db) =>
        mailLink(db, harness.deps, {
          ...{ ...scope, serviceId: harness.serviceId(books), issuedBy: 'dev@example.com', kind: 'link', to: 'owner@example.com' },
          ...{ locale: 'fr-CA', note: 'Bonjour', options: {} },
          ...more,
        }),
      ),
    )
  const links = async () =>
    (
      await harness.deps.database.query(
        `select company_id as "companyId", service_id as "serviceId", issued_by as "issuedBy", application_id as "applicationId", language,
           purpose_key as "purposeKey", return_url as "returnUrl", round(extract(epoch from expires_at - created_at) / 3600)::int as hours
         from links where instance_id = $1`,
        [scope.instanceId],
      )
    ).rows
  const plain = () => ({ companyId: scope.companyId, serviceId: harness.serviceId(books), issuedBy: 'dev@example.com' })

  it('is a link for this company and service, in the language of the mail', async () => {
    const id = await send()
    expect(await links()).toEqual([{ ...plain(), applicationId: null, language: 'fr-CA', purposeKey: null, returnUrl: null, hours: 168 }])
    const [mail] = await mails()
    expect(mail).toMatchObject({ id, kind: 'link', companyId: scope.companyId, to: 'owner@example.com', replyTo: null })
    for (const words of ['Boulangerie du Plateau', 'Scripted Books', 'Bonjour', '/connect?serviceId=']) expect(mail?.text).toContain(words)
    expect(await entries()).toMatchObject([
      { action: 'link.created', details: { isMailed: true }, after: { companyId: scope.companyId, language: 'fr-CA', lifeHours: 168 } },
    ])
  })

  it('has the options that were asked for, and answers go to another address', async () => {
    const applicationId = '11111111-1111-4111-8111-111111111111'
    const options = { language: 'en', lifeHours: 5, purposeKey: 'service', returnUrl: 'https://a.example/' } as const
    await send({ kind: 'repair', applicationId, options, replyTo: 'dev@example.com', note: '' })
    expect(await links()).toEqual([
      { ...plain(), applicationId, language: 'en', purposeKey: 'service', returnUrl: 'https://a.example/', hours: 5 },
    ])
    expect(await mails()).toMatchObject([{ kind: 'repair', replyTo: 'dev@example.com' }])
  })

  it('is limited to five an hour, unless it is owed', async () => {
    for (let count = 0; count < 5; count += 1) await send()
    await expect(send()).rejects.toThrow(TooManyMails)
    await expect(send({ isOwed: false })).rejects.toThrow(TooManyMails)
    await send({ isOwed: true })
    expect([(await links()).length, (await mails()).length]).toEqual([6, 6])
  })

  it('is none for what is no address, and without a mail server', async () => {
    await expect(send({ to: 'nobody' })).rejects.toThrow(BadMailAddress)
    delete harness.deps.mail
    await expect(send()).rejects.toThrow(NoMailServer)
    expect([await links(), await entries()]).toEqual([[], []])
  })
})

it.each([
  [new BadMailAddress(), 'address'],
  [new TooManyMails(1), 'tooMany'],
  [new NoMailServer(), 'noServer'],
  [new Error('other'), null],
  ['text', null],
])('a refusal is told by its kind: %s', (error, expected) => {
  expect(mailRefusalOf(error)).toBe(expected)
})
