import { generateKeyPairSync } from 'node:crypto'
import { CompactSign, compactVerify, decodeProtectedHeader, exportJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { listReceiptKeys, readReceipt, signReceipt } from '../../../src/connect/owner/receipts.ts'
import { type ConnectionView, describeProgress, donePage, donePath, isMoving, type Result } from '../../../src/connect/views/done.ts'
import { confirmPage, downloadPage, newAddressPage, OWNER_ACTIONS } from '../../../src/connect/views/owner-confirm.ts'
import { type ActiveView, type EndedView, type OwnedState, ownerPage } from '../../../src/connect/views/owner-page.ts'
import { receiptPage, receiptText, verifyPage } from '../../../src/connect/views/receipt.ts'
import { html } from '../../../src/model/texts/html.ts'
import type { Consent } from '../../../src/store/connections/consents.ts'
import type { SigningKey } from '../../../src/store/keys/keys.ts'
import type { Receipt } from '../../../src/store/owners/receipts.ts'
import type { ReceiptFacts } from '../../../src/sync/owner/owner-actions.ts'
import { AT, daysLater, ownedConnection, sampleOwner, sampleVisit, sampleVisitor } from './sample-visit.ts'
import { expectWritten } from './written-pages.ts'

const visit = sampleVisit()
const visitor = sampleVisitor(visit)
const owner = sampleOwner()
const connection = ownedConnection()

const CONSENT: Consent = {
  ...{ instanceId: visit.open.instance.id, id: 'consent-1', companyId: visit.open.company.id, connectionId: connection.id },
  ...{ serviceId: connection.serviceId, linkId: visit.open.link.id, purposeKey: 'loan', purposeVersion: 2, textHash: 'ab'.repeat(32) },
  texts: { en: ['Title', 'Why: a <loan>'], 'fr-CA': ['Titre', 'Pourquoi : un prêt'] },
  ...{ language: 'en', timeZone: null, durationDays: 30, givenAt: AT, expiresAt: daysLater(30), endedAt: null, endedHow: null },
}
const RECEIPT: Receipt = {
  ...{ instanceId: visit.open.instance.id, id: 'receipt-1', companyId: visit.open.company.id, connectionId: connection.id },
  ...{ kind: 'withdrawal', issuedAt: AT, serviceName: 'Bank', signed: 'a.b.c' },
}

describe('the result page', () => {
  const view = (more: Partial<ConnectionView> = {}): ConnectionView => ({
    ...{ id: 'c1', serviceName: 'Bank <1>', entityName: 'Books & Co', institutionId: null, connectorKey: 'quickbooks', progress: 'ready' },
    ...{
      connectedAt: AT,
      readingSince: daysLater(1),
      readyAt: daysLater(2),
      accounts: 2,
      transactions: 3,
      readSoFar: 7,
      notes: [],
      ...more,
    },
  })
  const page = (more: Partial<Result>, at = visitor, of = visit) =>
    donePage(at, of, {
      ...{ connections: [], isAgain: false, heldBanks: [], address: '/connect/done?link=ref-1', ownerPagePath: '/connect/yours' },
      ...{ mayBeReminded: false, ...more },
    })
  const note = { name: 'a.ofx', kind: 'refused', text: { en: 'No statement', 'fr-CA': 'Aucun relevé' } } as const

  it('shows each connection with its progress, and what the owner can do next', async () => {
    const returning = sampleVisit({ link: { returnUrl: 'https://app.example.com/loans' } })
    await expectWritten('done', {
      nothing: page({}),
      ready: page({
        connections: [view(), view({ id: 'c2', serviceName: 'Same', entityName: 'Same', institutionId: 'ins_1' })],
        mayBeReminded: true,
      }),
      reading: page({ connections: [view({ progress: 'reading', readyAt: null, entityName: '' })], isAgain: true }),
      waiting: page({ connections: [view({ progress: 'waiting', connectedAt: null })], heldBanks: [html`<p>held</p>`] }),
      'files in part': page({ connections: [view({ notes: [note] })] }),
      'of a helper': page({ connections: [view()], ownerPagePath: null }),
      'of a bank': page({}, visitor, sampleVisit({ source: 'plaid' })),
      'of a bank, of a helper': page({ ownerPagePath: null }, visitor, sampleVisit({ source: 'plaid' })),
      'with a way back': page({}, sampleVisitor(returning), returning),
      'in a frame': page({}, sampleVisitor(visit, { isFramed: true, returnsTo: 'window' })),
      'in the window of a frame': page({}, sampleVisitor(visit, { returnsTo: 'window' })),
      paths: [donePath(visit, [], false), donePath(visit, ['a', 'b'], true)].join('\n'),
    })
  })

  it('describes progress by counts and times as far as they are known', () => {
    const describeIt = (more: Partial<ConnectionView>) => {
      const { state, counts, times } = describeProgress(visitor, view(more))
      return [state, counts, times.map(({ at }) => at)]
    }
    const { done: words } = visitor.texts
    const [first, second, third] = [AT, daysLater(1), daysLater(2)]
    expect([
      describeIt({}),
      describeIt({ transactions: 0 }),
      describeIt({ accounts: 0 }),
      describeIt({ progress: 'reading', readyAt: null }),
      describeIt({ progress: 'reading', readSoFar: 0 }),
      describeIt({ progress: 'waiting', connectedAt: null }),
    ]).toEqual([
      ['ready', `${words.accounts(2)} · ${words.transactions(3)}`, [first, third]],
      ['ready', words.accounts(2), [first, third]],
      ['ready', '', [first, third]],
      ['reading', expect.stringContaining('7'), [first, second]],
      ['reading', '', [first, second, third]],
      ['waiting', '', [third]],
    ])
    const moving = (['waiting', 'reading', 'ready', 'retrying', 'renewal', 'ended', 'paused'] as const).filter((progress) =>
      isMoving([view({ progress: 'ready' }), view({ progress })]),
    )
    expect(moving).toEqual(['waiting', 'reading'])
  })
})

describe('the owner’s own page', () => {
  const view = (state: OwnedState, more: Partial<ActiveView> = {}): ActiveView => ({
    ...{ connection, serviceName: 'Bank <1>', institutionId: null, isFiles: false, entities: ['Accounts', 'Transactions'], state },
    ...{ accounts: 3, transactions: 5, accountNames: ['Chequing ••1234', 'A <b>'], consent: CONSENT, ...more },
  })
  const endedView = (of = connection, receipts: Receipt[] = []): EndedView => ({
    ...{ connection: of, serviceName: 'Bank <1>', institutionId: null, isFiles: false, receipts },
  })
  const ONLY = { page: 1, last: 1 }
  const page = (active: ActiveView[], ended: EndedView[] = [], isNewAddress = false, pages = { active: ONLY, ended: ONLY }) =>
    ownerPage(visitor, owner, { active, ended, pages, address: '/connect/yours/#token', isNewAddress })

  it('shows each connection by its state, and what can be done with it', async () => {
    const states = ['waiting', 'reading', 'ready', 'retrying', 'renewal', 'paused', 'suspended', 'both'] as const
    const bare = { accounts: 0, transactions: 0, accountNames: [], consent: null }
    const ended = ownedConnection({ endedAt: daysLater(3), eraseAt: daysLater(10) })
    await expectWritten('owner-page', {
      nothing: page([], [], true),
      ...Object.fromEntries(states.map((state) => [state, page([view(state)])])),
      'a bank, never read': page([
        view('ready', {
          ...bare,
          ...{ institutionId: 'ins_1', entities: ['Accounts'] },
          connection: ownedConnection({ category: 'Banking', entityName: '', lastReadAt: null, nextReadAt: null }),
        }),
      ]),
      files: page([view('ready', { isFiles: true, consent: { ...CONSENT, texts: { en: ['Title'], 'fr-CA': ['Titre'] } } })]),
      'the same name': page([view('ready', { serviceName: 'Books & Co' })]),
      'ended and locked': page([], [endedView(ended, [RECEIPT, { ...RECEIPT, id: 'r2', kind: 'deletion' }])]),
      'ended and gone': page([], [endedView()]),
      'with more than a page of each list': page([view('ready')], [endedView()], false, {
        active: { page: 1, last: 2 },
        ended: { page: 2, last: 3 },
      }),
    })
  })

  it('asks before each action, and warns before those that cannot be undone', async () => {
    const cases = OWNER_ACTIONS.flatMap((action) => [
      [action, confirmPage(visitor, owner, connection, { name: 'Bank <1>', isFiles: false }, action)],
      [`${action}, files`, confirmPage(visitor, owner, connection, { name: 'Files', isFiles: true }, action)],
    ])
    const ended = ownedConnection({ endedAt: AT })
    await expectWritten('owner-confirm', {
      ...Object.fromEntries(cases),
      'delete, ended': confirmPage(visitor, owner, ended, { name: 'Bank', isFiles: false }, 'delete'),
      address: newAddressPage(visitor, owner),
      download: downloadPage(visitor, connection, 'Bank <1>'),
    })
  })
})

function signingKeys() {
  const make = (id: string): SigningKey => ({ id, ...generateKeyPairSync('ed25519') })
  const [newest, older] = [make('k2'), make('k1')]
  const all = [newest, older]
  return { newest, older, ring: { newest, all, find: (id: string) => all.find((key) => key.id === id) } }
}

describe('a receipt', () => {
  const { ring, newest, older } = signingKeys()
  const facts = (more: Partial<ReceiptFacts> = {}): ReceiptFacts => ({
    ...{ id: 'receipt-1', kind: 'withdrawal', issuedAt: AT, companyId: connection.companyId, instanceId: connection.instanceId },
    ...{ connection, serviceName: 'Bank <1>', isFiles: false, consents: [CONSENT], held: { accounts: 1, transactions: 2, rawPages: 3 } },
    ...{ isExported: false, ...more },
  })
  const sign = (more: Partial<ReceiptFacts> = {}, by = owner) =>
    signReceipt({ signing: ring, baseUrl: 'https://connect.example.com' }, by, facts(more))
  const read = async (more: Partial<ReceiptFacts> = {}, by = owner) => await readReceipt(ring, await sign(more, by))

  it('states what was withdrawn, by whom, until when data is kept, and where it was exported to', async () => {
    const named = sampleOwner({ publicName: 'Érable' })
    await expectWritten('receipt-documents', {
      withdrawal: JSON.stringify(await read(), null, 1),
      'deletion of files, exported': JSON.stringify(
        await read({ kind: 'deletion', isFiles: true, isExported: true, consents: [] }, named),
        null,
        1,
      ),
      'with a date': JSON.stringify((await read({ connection: ownedConnection({ eraseAt: daysLater(9) }) }))?.deletedBy),
    })
    const signed = await sign()
    expect(decodeProtectedHeader(signed)).toEqual({ alg: 'EdDSA', typ: 'countinghouse-receipt+json', kid: 'k2' })
    expect(JSON.parse(Buffer.from((await compactVerify(signed, newest.publicKey)).payload).toString())).toEqual(await read())
  })

  it('is genuine only as it was signed, by a key of this deployment, as a receipt', async () => {
    const body = Buffer.from('{"id":"receipt-1"}')
    const signAs = (header: { typ?: string; kid?: string }, key = newest, bytes = body) =>
      new CompactSign(bytes).setProtectedHeader({ alg: 'EdDSA', ...header }).sign(key.privateKey)
    const typ = 'countinghouse-receipt+json'
    expect(await readReceipt(ring, await signAs({ typ, kid: 'k1' }, older))).toEqual({ id: 'receipt-1' })
    for (const wrong of [
      await signAs({ typ, kid: 'k1' }, newest),
      await signAs({ typ, kid: 'k3' }),
      await signAs({ typ }),
      await signAs({ typ: 'other', kid: 'k2' }),
      await signAs({ kid: 'k2' }),
      'nonsense',
      '',
    ])
      expect(await readReceipt(ring, wrong)).toBe(null)
    const hmac = await new CompactSign(body).setProtectedHeader({ alg: 'HS256', typ, kid: 'k2' }).sign(Buffer.alloc(32))
    expect(await readReceipt(ring, hmac)).toBe(null)
    await expect(readReceipt(ring, await signAs({ typ, kid: 'k2' }, newest, Buffer.from('no JSON')))).rejects.toThrow(SyntaxError)
  })

  it('is refused unread when it is longer than 20,000 characters', async () => {
    const padded = async (bytes: number) =>
      await new CompactSign(Buffer.from(JSON.stringify({ id: 'a'.repeat(bytes) })))
        .setProtectedHeader({ alg: 'EdDSA', typ: 'countinghouse-receipt+json', kid: 'k2' })
        .sign(newest.privateKey)
    const head = (await padded(0)).length
    const longest = Math.floor(((20_000 - head) * 3) / 4)
    let size = longest - 3
    while ((await padded(size)).length < 20_000) size += 1
    const [fits, tooLong] = [await padded(size), await padded(size + 3)]
    expect([fits.length, tooLong.length > 20_000]).toEqual([20_000, true])
    expect([(await readReceipt(ring, fits))?.id.length, await readReceipt(ring, tooLong)]).toEqual([size, null])
  })

  it('can be verified with public keys that have no private part', async () => {
    const keys = await listReceiptKeys(ring)
    expect(keys).toEqual([
      { ...(await exportJWK(newest.publicKey)), kid: 'k2', alg: 'EdDSA', use: 'sig' },
      { ...(await exportJWK(older.publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' },
    ])
    expect(keys.some((key) => 'd' in key)).toBe(false)
  })

  it('is shown as a page, as a text, and by its verification', async () => {
    const document = await read()
    const bare = await read({ isFiles: true, consents: [], kind: 'deletion' })
    if (!document || !bare) throw new Error('no receipt')
    const { timeZone: _, ...early } = document
    await expectWritten('receipt', {
      page: receiptPage(visitor, RECEIPT, document),
      text: receiptText('en', RECEIPT, document),
      'text in French, without a zone': receiptText('fr-CA', RECEIPT, early),
      'page of files': receiptPage(visitor, { ...RECEIPT, kind: 'deletion' }, bare),
      'verification, before': verifyPage(visitor, '', null),
      'verification, wrong': verifyPage(visitor, 'a<b', 'wrong'),
      'verification, genuine': verifyPage(visitor, 'a.b.c', document),
    })
  })
})
