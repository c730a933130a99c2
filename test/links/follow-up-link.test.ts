import { beforeEach, expect, it } from 'vitest'
import { listConsentsOfLink } from '../../src/store/connections/consents.ts'
import { recordAgreedConsent } from '../../src/sync/authorize/consent.ts'
import { issueFollowUpLink } from '../../src/sync/authorize/follow-up-link.ts'
import { findLink, LinkLimitReached } from '../../src/sync/links/link.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from './harness.ts'

const harness = openForTests(openLinksHarness)
const query = async (text: string, values: unknown[] = []) => (await harness.sync.deps.database.query(text, values)).rows
const GIVEN_AT = new Date('2026-03-01T12:00:00Z')

let target: Awaited<ReturnType<typeof harness.target>>
let used: Awaited<ReturnType<typeof harness.open>>
beforeEach(async () => {
  target = await harness.target()
  used = await harness.open(target, { language: 'en', lifeHours: 1 })
  const texts = { en: ['We agree.'], 'fr-CA': ['D’accord.'] }
  await recordAgreedConsent(harness.sync.deps.database, used.open, {
    ...{ texts, textHash: Buffer.from('07', 'hex'), language: 'en', timeZone: 'UTC', givenAt: GIVEN_AT },
  })
  await query('update links set completed_at = now() where id = $1', [used.open.link.id])
})

const issue = () => harness.recorded.acting(() => issueFollowUpLink(harness.sync.deps, used))
const linkOf = async (token: string) => {
  const link = await findLink(harness.sync.deps, token)
  if (!link) throw new Error('no link')
  return link
}
const consentsOf = async (token: string) =>
  await listConsentsOfLink(harness.sync.deps.database, target.instanceId, (await linkOf(token)).id)

it('one more bank is connected by a link of its own, under the same consent, given now', async () => {
  const { token, agreed } = await issue()
  const [model, made, ...others] = await harness.linksOf(target.instanceId)
  expect([agreed, await harness.isUsable(token), others]).toEqual([true, true, []])
  expect({ ...made, id: '', hours: 1 }).toEqual({ ...model, id: '' })
  const [before] = await listConsentsOfLink(harness.sync.deps.database, target.instanceId, used.open.link.id)
  const [consent, ...more] = await consentsOf(token)
  const now = { id: expect.any(String), linkId: made?.id, givenAt: expect.any(Date) }
  expect([consent, more]).toEqual([{ ...before, ...now }, []])
  expect(consent?.givenAt.getTime()).toBeGreaterThan(GIVEN_AT.getTime())
  expect(await query('select status from connections where instance_id = $1', [target.instanceId])).toEqual([{ status: 6 }])
  const actions = (await harness.recorded.entriesOf(target.instanceId)).map((entry) => ('action' in entry ? entry.action : ''))
  expect(actions).toEqual(['link.created', 'consent.given', 'authorization.started'])
})

it('two clicks make one link and one consent', async () => {
  const { token } = await issue()
  expect(await issue()).toEqual({ token, agreed: true })
  expect([(await harness.linksOf(target.instanceId)).length, (await consentsOf(token)).length]).toEqual([2, 1])
})

it('the link lives for an hour, whatever the age of the one before', async () => {
  const { token } = await issue()
  await query(`update links set expires_at = now() - interval '1 day' where id = $1`, [(await linkOf(token)).id])
  expect(await issue()).toEqual({ token, agreed: true })
  const minutes = ((await linkOf(token)).expiresAt.getTime() - Date.now()) / 60_000
  expect([minutes > 58, minutes <= 61]).toEqual([true, true])
})

it('the next bank has the next link', async () => {
  const first = await issue()
  await query('update links set completed_at = now() where id = $1', [(await linkOf(first.token)).id])
  const second = await issue()
  expect([second.agreed, second.token === first.token, await harness.isUsable(second.token)]).toEqual([true, false, true])
})

it('a consent that has ended is asked for again', async () => {
  await query(`update consents set ended_at = now(), ended_how = 'withdrawn' where instance_id = $1`, [target.instanceId])
  const { token, agreed } = await issue()
  expect([agreed, await consentsOf(token)]).toEqual([false, []])
  expect(await query('select from connections where instance_id = $1', [target.instanceId])).toEqual([])
})

it('thirty links in a row are the most', async () => {
  for (let turn = 0; turn < 30; turn += 1) {
    const { token } = await issue()
    await query('update links set completed_at = now() where id = $1', [(await linkOf(token)).id])
  }
  await expect(issue()).rejects.toThrow(LinkLimitReached)
})
