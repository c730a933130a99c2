import { beforeEach, describe, expect, it } from 'vitest'
import { NoMailServer } from '../../src/mail/queue.ts'
import { LinkAlreadyUsed } from '../../src/sync/links/errors.ts'
import {
  answerHandOff,
  findIncomingHandOff,
  findOutgoingHandOff,
  type HandOffRequest,
  handOff,
  revokeHandOff,
} from '../../src/sync/links/hand-off.ts'
import { LinkLimitReached } from '../../src/sync/links/link.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from './harness.ts'

const harness = openForTests(openLinksHarness)
const NOOR = { name: 'Noor', email: 'noor@example.com' }

let target: Awaited<ReturnType<typeof harness.target>>
let opened: Awaited<ReturnType<typeof harness.open>>
beforeEach(async () => {
  target = await harness.target()
  opened = await harness.open(target, { purposeKey: 'service', language: 'en', lifeHours: 5, returnUrl: 'https://a.example/' })
})

const hand = (more: Partial<HandOffRequest> = {}) =>
  harness.recorded.acting(() =>
    handOff(harness.sync.deps, {
      ...{ ...opened, onceId: 'page-1', institutionId: null, helper: NOOR, locale: 'fr-CA' },
      names: { requester: 'Érable', company: 'Boulangerie', service: 'Livre' },
      ...more,
    }),
  )
const entries = () => harness.recorded.entriesOf(target.instanceId)
const mails = () => harness.recorded.mailsOf(target.instanceId)
const helpers = async () => (await harness.linksOf(target.instanceId)).slice(1)
const tokenOf = (address: string) => new URL(address).searchParams.get('token') ?? ''
const owners = () => ({ instanceId: target.instanceId, id: opened.open.link.id })

describe('a link that is handed on', () => {
  it('is a link of its own for the same company, which is mailed to the helper and recorded without a name', async () => {
    const address = await hand({ institutionId: 'bank-7' })
    const [link, ...others] = await helpers()
    const { instanceId, ...of } = target
    expect([link, others]).toEqual([
      {
        ...{ ...of, id: link?.id, issuedBy: 'dev@example.com', applicationId: null, purposeKey: 'service', parentId: opened.open.link.id },
        ...{ language: null, returnUrl: null, hours: 5, isRevoked: false },
      },
      [],
    ])
    expect(await harness.isUsable(tokenOf(address))).toBe(true)
    expect(new URL(address).searchParams.get('accountId')).toBe(target.companyId)
    const [mail] = await mails()
    expect(mail).toMatchObject({ kind: 'handOff', companyId: target.companyId, to: 'noor@example.com' })
    for (const words of ['Noor', 'Boulangerie', 'Livre', address]) expect(mail?.text).toContain(words)
    expect(await entries()).toEqual([{ action: 'hand-off.created', subject: `link/${link?.id}` }])
    const outgoing = await findOutgoingHandOff(harness.sync.deps.database, harness.sync.deps.sealer, owners())
    expect(outgoing).toMatchObject({ linkId: link?.id, institutionId: 'bank-7', helper: NOOR, mailState: 'waiting', declinedAt: null })
    expect(await findIncomingHandOff(harness.sync.deps.database, harness.sync.deps.sealer, { instanceId, id: link?.id ?? '' })).toEqual(
      outgoing,
    )
    const { rows } = await harness.sync.deps.database.query('select t::text as text from hand_offs t where instance_id = $1', [instanceId])
    expect(rows[0]?.text).not.toContain(Buffer.from('Noor').toString('hex'))
  })

  it('is the same link when the page is sent twice, and one mail', async () => {
    const first = await hand()
    expect([await hand(), (await helpers()).length, (await mails()).length, (await entries()).length]).toEqual([first, 1, 1, 1])
  })

  it.each<[string, Partial<HandOffRequest>]>([
    ['page', { onceId: 'page-2' }],
    ['bank', { institutionId: 'bank-8' }],
    ['name', { helper: { ...NOOR, name: 'Anna' } }],
    ['address', { helper: { ...NOOR, email: 'anna@example.com' } }],
  ])('is another link for another %s, and ends the one before', async (_what, more) => {
    const [first, second] = [await hand(), await hand(more)]
    expect([await harness.isUsable(tokenOf(first)), await harness.isUsable(tokenOf(second))]).toEqual([false, true])
    await expect(hand()).rejects.toThrow(LinkAlreadyUsed)
  })

  it('is mailed to nobody without an address', async () => {
    await hand({ helper: { name: '', email: null } })
    expect([await mails(), (await entries()).length]).toEqual([[], 1])
    const found = await findOutgoingHandOff(harness.sync.deps.database, harness.sync.deps.sealer, owners())
    expect(found).toMatchObject({ helper: { name: '', email: null }, mailState: null })
  })

  it('is none at all where the mail cannot be queued', async () => {
    const { mail, ...without } = harness.sync.deps
    await expect(
      handOff(without, {
        ...{ ...opened, onceId: 'page-1', institutionId: null, helper: NOOR, locale: 'en' },
        names: { requester: '', company: '', service: '' },
      }),
    ).rejects.toThrow(NoMailServer)
    expect([await helpers(), mail !== undefined]).toEqual([[], true])
  })

  it('is none once the owner’s link was used, or was handed on twenty times', async () => {
    for (let turn = 0; turn < 20; turn += 1) await hand({ onceId: `page-${turn}`, helper: { name: '', email: null } })
    await expect(hand({ onceId: 'page-20' })).rejects.toThrow(LinkLimitReached)
    await harness.sync.deps.database.query('update links set completed_at = now() where id = $1', [opened.open.link.id])
    await expect(hand({ onceId: 'page-21' })).rejects.toThrow(LinkAlreadyUsed)
    expect((await helpers()).length).toBe(20)
  })
})

describe('a hand-off', () => {
  const outgoing = () => findOutgoingHandOff(harness.sync.deps.database, harness.sync.deps.sealer, owners())

  it('that is revoked ends the helper’s link, and no other', async () => {
    const neighbour = await harness.target(target.instanceId)
    const theirs = await harness.open(neighbour)
    const [address, kept] = [await hand(), await hand({ ...theirs, onceId: 'other' })]
    await harness.recorded.acting(() => revokeHandOff(harness.sync.deps.database, owners()))
    expect([await harness.isUsable(tokenOf(address)), await harness.isUsable(tokenOf(kept)), await outgoing()]).toEqual([false, true, null])
    expect(await harness.isUsable(opened.token)).toBe(true)
  })

  it('can be declined by the helper, and accepted after all', async () => {
    await hand()
    const [link] = await helpers()
    const helper = { instanceId: target.instanceId, id: link?.id ?? '' }
    await answerHandOff(harness.sync.deps.database, helper, true)
    expect((await outgoing())?.declinedAt).toBeInstanceOf(Date)
    await answerHandOff(harness.sync.deps.database, helper, false)
    expect((await outgoing())?.declinedAt).toBeNull()
  })

  it('is known in its own instance only', async () => {
    await hand()
    const [link] = await helpers()
    const { instanceId } = await harness.target()
    const { database, sealer } = harness.sync.deps
    expect(await findOutgoingHandOff(database, sealer, { ...owners(), instanceId })).toBeNull()
    expect(await findIncomingHandOff(database, sealer, { instanceId, id: link?.id ?? '' })).toBeNull()
    await answerHandOff(database, { instanceId, id: link?.id ?? '' }, true)
    expect((await outgoing())?.declinedAt).toBeNull()
  })

  it('without what it stored of the helper has no name', async () => {
    await hand()
    await harness.sync.deps.database.query('update hand_offs set helper = null where instance_id = $1', [target.instanceId])
    expect((await outgoing())?.helper).toEqual({ name: '', email: null })
  })
})
