import { createHash } from 'node:crypto'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { listConsentsOfConnection } from '../../src/store/connections/consents.ts'
import { addressOfUsedLink, replaceOwnerAccess } from '../../src/sync/owner/owner-access.ts'
import { keepOwnerAddress } from '../../src/sync/owner/owner-mail.ts'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openOwnerPageHarness } from './harness.ts'

const harness = openForTests(openOwnerPageHarness)
let owner: Owner
let connectionId: string
let page: LoadedPage
let receipt: { [name: string]: unknown; signed: string }
beforeAll(async () => {
  ;({ owner, connectionId } = await harness.connected())
  page = await owner.submit(await owner.get(`/connect/yours/withdraw?connection=${connectionId}`))
  receipt = (await (await owner.ask(page.linkTo('Download as JSON'))).json()) as typeof receipt
})

async function readKeys(): Promise<JSONWebKeySet> {
  return (await (await fetch(`${harness.connectHarness.origin}/connect/receipts/keys`)).json()) as JSONWebKeySet
}

describe('the receipt of a withdrawal', () => {
  it('can be verified by anyone with the public keys, and says what the page says', async () => {
    const { payload, protectedHeader } = await compactVerify(receipt.signed, createLocalJWKSet(await readKeys()))
    const { signed: _, ...stated } = receipt
    expect(JSON.parse(Buffer.from(payload).toString('utf8'))).toEqual(stated)
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'countinghouse-receipt+json' })
  })

  it('publishes no private key', async () => {
    expect((await readKeys()).keys.flatMap((key) => Object.keys(key)).includes('d')).toBe(false)
  })

  it('states who, what, when, how much had been read, and the words that were agreed to', async () => {
    const [consent] = await listConsentsOfConnection(harness.connectHarness.deps.database, harness.connectHarness.instanceId, connectionId)
    expect(receipt).toMatchObject({
      kind: 'withdrawal',
      company: { name: 'Boulangerie du Plateau' },
      permissionGivenTo: { id: harness.connectHarness.instanceId, name: 'Érable Lending' },
      connection: { id: connectionId, service: { en: expect.stringMatching(/./), 'fr-CA': expect.stringMatching(/./) } },
      held: { accounts: 3, transactions: 7 },
      consents: [
        { id: consent?.id, textHash: consent?.textHash, purpose: `${consent?.purposeKey}/${consent?.purposeVersion}`, language: 'en' },
      ],
      statement: {
        en: [expect.stringContaining('was withdrawn'), expect.any(String)],
        'fr-CA': [expect.stringContaining('a été retirée'), expect.any(String)],
      },
    })
    const daysLeft = (Date.parse(String(receipt.deletedBy)) - Date.parse(String(receipt.issuedAt))) / 86_400_000
    expect(daysLeft).toBeCloseTo(7, 2)
    expect(receipt).not.toHaveProperty('destinations')
    expect(createHash('sha256').update(JSON.stringify(consent?.texts)).digest('hex')).toBe(consent?.textHash)
  })

  it('is in both languages, on the page and in the text', async () => {
    const text = await (await owner.ask(page.linkTo('Download as text'))).text()
    for (const words of ['Withdrawal receipt', 'Reçu de retrait', receipt.signed]) expect(text).toContain(words)
    for (const words of ['was withdrawn', 'a été retirée']) expect(page.text).toContain(words)
    expect((await owner.get(`${page.address}&lang=fr-CA`)).title).toBe('Votre autorisation est retirée')
    await owner.get(`${page.address}&lang=en`)
  })

  it('can be found later on the owner’s own page, and by nobody else', async () => {
    expect((await owner.get('/connect/yours')).linkTo('Receipt')).toBe(page.address)
    const other = await harness.connected()
    expect((await other.owner.get(page.address)).status).toBe(404)
    expect((await new Owner(harness.connectHarness.origin).get(page.address)).status).toBe(400)
  })
})

describe('the end of a permission', () => {
  it.each([['withdraw'], ['delete'], ['withdraw', 'delete']])(
    'is mailed once to the address that the owner gave: by %s %s',
    async (...actions) => {
      const { deps, instanceId } = harness.connectHarness
      const other = await harness.connected()
      deps.mail = { sealer: deps.sealer, hashToken: deps.hashToken }
      await keepOwnerAddress(deps.database, deps.sealer, { instanceId, companyId: other.companyId }, 'owner@example.com', 'en')
      for (const action of actions)
        await other.owner.submit(await other.owner.get(`/connect/yours/${action}?connection=${other.connectionId}`))
      delete deps.mail
      const { rows } = await deps.database.query('select kind from mails where company_id = $1', [other.companyId])
      expect(rows).toEqual([{ kind: 'withdrawn' }])
    },
  )
})

describe('a new address of the own page', () => {
  it('excludes anyone with a link that was used before and had none yet', async () => {
    const { deps, instanceId } = harness.connectHarness
    const companyId = await harness.connectHarness.addCompany('Café perdu')
    const place = { instanceId, companyId }
    const old = { ...place, completedAt: new Date(Date.now() - 60_000) }
    await replaceOwnerAccess(deps, { ...place, language: 'en' })
    await replaceOwnerAccess(deps, { ...place, language: 'en' })
    expect(await addressOfUsedLink(deps, old, 'token of the old link', 'en')).toBeNull()
    const newer = { ...place, completedAt: new Date(Date.now() + 60_000) }
    expect(await addressOfUsedLink(deps, newer, 'token of a newer link', 'en')).toContain('/connect/yours?token=')
  })
})

describe('the receipt verification page', () => {
  const check = async (signed: string) => {
    const visitor = new Owner(harness.connectHarness.origin)
    return await visitor.submit(await visitor.get('/connect/receipts/verify'), { signed })
  }

  it('recognizes its own, even if lines were wrapped on the way', async () => {
    const shown = await check(receipt.signed.replace(/(.{60})/g, '$1\r\n'))
    expect([shown.status, shown.title]).toEqual([200, 'This receipt is genuine'])
  })

  it('refuses a changed one, anything else that we sign, and nonsense', async () => {
    const [head = '', body = '', signature = ''] = receipt.signed.split('.')
    const changed = Buffer.from(JSON.stringify({ ...receipt, kind: 'deletion' })).toString('base64url')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
    for (const text of [`${head}.${changed}.${signature}`, unsigned, 'nonsense', '', `${head}.${body}`]) {
      const shown = await check(text)
      expect([shown.status, shown.title]).toEqual([422, 'This is not one of our receipts'])
    }
  })
})
