import { beforeEach, describe, expect, it } from 'vitest'
import { findActiveConnection } from '../../src/store/connections/connections.ts'
import { listConsentsOfCompany } from '../../src/store/connections/consents.ts'
import { openConnectHarness } from '../connect/kit/harness.ts'
import { Owner } from '../connect/kit/owner.ts'
import { connectQuickbooks } from '../connect/kit/quickbooks-owner.ts'
import { openForTests } from '../harness/for-tests.ts'

const REALM = '4620816365200000101'
const OTHER_REALM = '4620816365200000202'

const harness = openForTests(openConnectHarness)
let owner: Owner
let companyId: string
beforeEach(async () => {
  owner = new Owner(harness.origin)
  companyId = await harness.addCompany('Boulangerie du Plateau')
})

const ledger = async (id = companyId) => await listConsentsOfCompany(harness.deps.database, harness.instanceId, id)

async function connect(realmId = REALM): Promise<void> {
  await connectQuickbooks(owner, await harness.link('quickbooks', companyId), realmId)
}

describe('a consent', () => {
  it('is in the ledger from the click on, with the exact words of the page in both languages', async () => {
    const page = await owner.get(await harness.link('quickbooks', companyId))
    await owner.submit(page, { choice: 'agree' })
    const [consent, ...others] = await ledger()
    expect(others).toEqual([])
    expect(consent).toMatchObject({
      companyId,
      connectionId: null,
      purposeKey: 'service',
      purposeVersion: 0,
      language: 'en',
      durationDays: 365,
      endedAt: null,
      endedHow: null,
    })
    for (const line of consent?.texts.en ?? []) {
      for (const part of line.split(': ').slice(-1)) expect(page.text).toContain(part)
    }
    const french = await owner.get('/connect/consent?lang=fr-CA')
    for (const line of consent?.texts['fr-CA'] ?? []) {
      for (const part of line.split('\u00a0: ').slice(-1)) expect(french.text).toContain(part)
    }
  })

  it('is not given by declining', async () => {
    await owner.submit(await owner.get(await harness.link('quickbooks', companyId)), { choice: 'decline' })
    expect(await ledger()).toMatchObject([{ endedHow: 'declined', connectionId: null }])
  })

  it('given twice with one link is one', async () => {
    const page = await owner.get(await harness.link('quickbooks', companyId))
    await Promise.all([owner.submit(page, { choice: 'agree' }), owner.submit(page, { choice: 'agree' })])
    await owner.submit(page, { choice: 'agree' })
    expect(await ledger()).toHaveLength(1)
  })

  it('is stored in the language in which it was read', async () => {
    const page = await owner.get(`${await harness.link('quickbooks', companyId)}&lang=fr-CA`)
    await owner.submit(page, { choice: 'agree' })
    expect((await ledger())[0]?.language).toBe('fr-CA')
  })

  it('given again in the other language replaces the first, and each stores the words that were read', async () => {
    await owner.submit(await owner.get(await harness.link('quickbooks', companyId)), { choice: 'agree' })
    await owner.submit(await owner.get('/connect/consent?lang=fr-CA'), { choice: 'agree' })
    const given = (await ledger()).toSorted((a, b) => a.givenAt.getTime() - b.givenAt.getTime())
    expect(given.map(({ language, endedHow }) => [language, endedHow])).toEqual([
      ['en', 'replaced'],
      ['fr-CA', null],
    ])
  })

  it('names the resulting connection', async () => {
    await connect()
    const [consent] = await ledger()
    const living = await findActiveConnection(harness.deps.database, harness.instanceId, companyId, consent?.serviceId ?? '')
    expect([consent?.connectionId, consent?.endedAt]).toEqual([living?.id, null])
  })

  it('is not given to words that changed after the page was opened: the page is shown again', async () => {
    const page = await owner.get(await harness.link('quickbooks', companyId))
    await harness.deps.database.query('update companies set name = $2 where id = $1', [companyId, 'Another Bakery'])
    const again = await owner.submit(page, { choice: 'agree' })
    expect([again.status, again.text.includes('has changed since you opened it'), await ledger()]).toEqual([409, true, []])
    await owner.submit(again, { choice: 'agree' })
    expect(await ledger()).toHaveLength(1)
  })

  it.each([
    ['nothing', ''],
    ['another hash', 'f'.repeat(64)],
    ['ten thousand characters', 'a'.repeat(10_000)],
  ])('is not accepted from a form that repeats %s of what was read', async (_name, terms) => {
    const page = await owner.get(await harness.link('quickbooks', companyId))
    expect((await owner.submit(page, { choice: 'agree', terms })).status).toBe(409)
    expect(await ledger()).toEqual([])
  })

  it('is replaced by that of a renewal, which the same connection continues with', async () => {
    await connect()
    await connect()
    const [first, second] = await ledger()
    expect([first?.endedHow, second?.endedHow, second?.connectionId]).toEqual(['replaced', null, first?.connectionId])
  })

  it('of a renewal that selected other books ends nothing', async () => {
    await connect()
    await connect(OTHER_REALM)
    const [first, second] = await ledger()
    expect([first?.endedAt, second?.connectionId]).toEqual([null, null])
  })

  it('of another instance looks nonexistent', async () => {
    await owner.agree(await harness.link('quickbooks', companyId))
    expect(await ledger()).toHaveLength(1)
    const foreign = '5d0c7f0e-8a53-4a9a-a9c5-0b4a8f6b0d11'
    expect(await listConsentsOfCompany(harness.deps.database, foreign, companyId)).toEqual([])
  })
})

describe('the ledger', () => {
  it.each(['given_at = clock_timestamp()', "purpose_key = 'other'", "expires_at = expires_at + interval '1 day'", "language = 'fr-CA'"])(
    'refuses to rewrite a row by %s',
    async (change) => {
      await owner.agree(await harness.link('quickbooks', companyId))
      const [consent] = await ledger()
      const rewrite = harness.deps.database.query(`update consents set ${change} where id = $1`, [consent?.id])
      await expect(rewrite).rejects.toThrow('a consent is not rewritten')
    },
  )

  it('refuses to undo an end', async () => {
    await connect()
    await connect()
    const [first] = await ledger()
    const revival = harness.deps.database.query('update consents set ended_at = null, ended_how = null where id = $1', [first?.id])
    await expect(revival).rejects.toThrow('a consent is not rewritten')
  })
})
