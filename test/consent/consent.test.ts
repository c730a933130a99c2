import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Consent, listConsentsOfLink } from '../../src/store/connections/consents.ts'
import {
  bindConsentToConnections,
  ConsentTakenBack,
  expiryOf,
  type GivenConsent,
  recordAgreedConsent,
  recordBeginning,
  recordDeclinedConsent,
} from '../../src/sync/authorize/consent.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from '../links/harness.ts'

const harness = openForTests(openLinksHarness)
const DAY_MS = 86_400_000
const GIVEN_AT = new Date('2026-03-01T12:00:00Z')

let target: Awaited<ReturnType<typeof harness.target>>
let opened: Awaited<ReturnType<typeof harness.open>>['open']
beforeEach(async () => {
  target = await harness.target()
  opened = (await harness.open(target)).open
})

function given(words: string, more: Partial<GivenConsent> = {}): GivenConsent {
  const texts = { en: [words], 'fr-CA': [`${words} (fr)`] }
  const textHash = createHash('sha256').update(words).digest()
  return { texts, textHash, language: 'en', timeZone: 'America/Toronto', givenAt: GIVEN_AT, ...more }
}
const db = () => harness.sync.deps.database
const agree = (words: string, more: Partial<GivenConsent> = {}) => recordAgreedConsent(db(), opened, given(words, more))
const decline = (words: string, more: Partial<GivenConsent> = {}) => recordDeclinedConsent(db(), opened, given(words, more))
const bind = (...ids: string[]) => bindConsentToConnections(db(), { instanceId: target.instanceId, id: opened.link.id }, ids, GIVEN_AT)
const ledger = () => listConsentsOfLink(db(), target.instanceId, opened.link.id)
const short = ({ texts, language, connectionId, endedHow, endedAt }: Consent) => [texts.en[0], language, connectionId, endedHow, endedAt]

describe('a consent that is recorded', () => {
  it('has the words, the purpose, and when it ends', async () => {
    await agree('We agree.')
    const textHash = createHash('sha256').update('We agree.').digest('hex')
    const { instanceId, companyId, serviceId } = target
    expect(await ledger()).toEqual([
      {
        ...{ instanceId, companyId, serviceId, id: expect.any(String), linkId: opened.link.id, connectionId: null },
        ...{ purposeKey: 'service', purposeVersion: 0, texts: { en: ['We agree.'], 'fr-CA': ['We agree. (fr)'] }, textHash },
        ...{ language: 'en', timeZone: 'America/Toronto', durationDays: 365, givenAt: GIVEN_AT },
        ...{ expiresAt: new Date(GIVEN_AT.getTime() + 365 * DAY_MS), endedAt: null, endedHow: null },
      },
    ])
    expect(expiryOf({ ...opened, purpose: { ...opened.purpose, durationDays: 2 } }, GIVEN_AT)).toEqual(new Date('2026-03-03T12:00:00Z'))
  })

  it('is one for the same words in the same language, and another one otherwise, which replaces it', async () => {
    await agree('One.')
    await agree('One.', { givenAt: new Date(0) })
    expect((await ledger()).map(short)).toEqual([['One.', 'en', null, null, null]])
    const later = new Date('2026-03-02T12:00:00Z')
    await agree('One.', { language: 'fr-CA', givenAt: later })
    const last = new Date('2026-03-03T12:00:00Z')
    await agree('Two.', { language: 'fr-CA', givenAt: last })
    expect((await ledger()).map(short)).toEqual([
      ['One.', 'en', null, 'replaced', later],
      ['One.', 'fr-CA', null, 'replaced', last],
      ['Two.', 'fr-CA', null, null, null],
    ])
  })

  it('may be declined, once for each text', async () => {
    await decline('One.')
    await decline('One.', { givenAt: new Date('2026-03-02T12:00:00Z') })
    await decline('Two.', { givenAt: new Date('2026-03-03T12:00:00Z') })
    expect((await ledger()).map(short)).toEqual([
      ['One.', 'en', null, 'declined', GIVEN_AT],
      ['Two.', 'en', null, 'declined', new Date('2026-03-03T12:00:00Z')],
    ])
  })
})

describe('what begins with an owner', () => {
  const entries = async (given_: GivenConsent | undefined) => {
    await harness.recorded.acting(() => recordBeginning(db(), opened, 'c-1', given_))
    return await harness.recorded.entriesOf(target.instanceId)
  }
  const change = () => ({ subject: 'connection/c-1', details: { linkId: opened.link.id } })

  it('is a consent where one was given', async () => {
    expect(await entries(given('One.', { language: 'fr-CA' }))).toEqual([
      {
        ...{ ...change(), action: 'consent.given' },
        after: { purposeKey: 'service', language: 'fr-CA', expiresAt: '2027-03-01T12:00:00.000Z' },
      },
    ])
  })

  it('is a step at the source otherwise', async () => {
    expect(await entries(undefined)).toEqual([{ ...change(), action: 'authorization.started' }])
  })
})

describe('the connections that resulted from a consent', () => {
  const [first, second] = [randomUUID(), randomUUID()]

  it('each have it, once', async () => {
    await agree('One.')
    await bind(first, second, first)
    const rows = await ledger()
    expect(rows.map(({ connectionId }) => connectionId).sort()).toEqual([first, second].sort())
    const [one, other] = rows.map(({ id: _id, connectionId: _connectionId, ...rest }) => rest)
    expect(other).toEqual(one)
  })

  it('have no earlier one any more, and those of others stay', async () => {
    await agree('Before.')
    await bind(first, second)
    await agree('Now.', { givenAt: new Date('2026-03-02T12:00:00Z') })
    await bind(first)
    expect((await ledger()).map((consent) => [...short(consent).slice(0, 1), consent.connectionId, consent.endedHow]).sort()).toEqual(
      [
        ['Before.', first, 'replaced'],
        ['Before.', second, null],
        ['Now.', first, null],
      ].sort(),
    )
  })

  it('are none where the owner took it back, and are kept where none was given', async () => {
    await bind(first)
    expect(await ledger()).toEqual([])
    await decline('One.')
    await expect(bind(first)).rejects.toThrow(ConsentTakenBack)
  })

  it('may be none, and then it waits', async () => {
    await agree('One.')
    await bind()
    expect((await ledger()).map(short)).toEqual([['One.', 'en', null, null, null]])
  })
})
