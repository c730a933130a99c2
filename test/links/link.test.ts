import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { insertSuspension } from '../../src/store/operators/suspensions.ts'
import { InstanceSuspended } from '../../src/sync/links/errors.ts'
import { createOwnerLink, deriveLinkToken, issueCopy, issueLink, linkAddress, openLink, recordLink } from '../../src/sync/links/link.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from './harness.ts'

const harness = openForTests(openLinksHarness)
const HOUR_MS = 3_600_000
const APPLICATION = '11111111-1111-4111-8111-111111111111'
const OPTIONS = { purposeKey: 'service', language: 'en', lifeHours: 5, returnUrl: 'https://a.example/' } as const

const mark = (target: { companyId: string }, assignment: string) =>
  harness.sync.deps.database.query(`update links set ${assignment} where company_id = $1`, [target.companyId])

describe('a new link', () => {
  it('is for a week, without options, and is recorded', async () => {
    const target = await harness.target()
    const address = await harness.recorded.acting(() => issueLink(harness.sync.deps, { ...target, issuedBy: 'dev@example.com' }))
    const { searchParams } = new URL(address)
    const token = searchParams.get('token') ?? ''
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(address).toBe(
      `${harness.sync.deps.baseUrl}/connect?serviceId=${target.serviceId}&instanceId=${target.instanceId}&accountId=${target.companyId}&token=${token}`,
    )
    expect(address).toBe(linkAddress(harness.sync.deps.baseUrl, target, token))
    const [link, ...others] = await harness.linksOf(target.instanceId)
    const { instanceId, ...of } = target
    const none = { applicationId: null, purposeKey: null, language: null, returnUrl: null, parentId: null, isRevoked: false }
    expect([link, others]).toEqual([{ ...none, ...of, id: link?.id, issuedBy: 'dev@example.com', hours: 168 }, []])
    expect(await harness.recorded.entriesOf(instanceId)).toEqual([
      {
        ...{ action: 'link.created', subject: `link/${link?.id}`, details: {} },
        after: { ...of, lifeHours: 168 },
      },
    ])
  })

  it('has the options that were asked for, and each has a token of its own', async () => {
    const target = await harness.target()
    const { deps } = harness.sync
    const at = new Date('2026-03-01T12:00:00Z')
    const request = { ...target, issuedBy: 'dev@example.com', applicationId: APPLICATION }
    const created = await createOwnerLink(deps.database, { ...deps, now: () => at }, request, OPTIONS)
    expect([created.isNew, created.expiresAt.getTime() - at.getTime()]).toEqual([true, 5 * HOUR_MS])
    const { lifeHours, ...stored } = OPTIONS
    expect(await harness.linksOf(target.instanceId)).toMatchObject([{ ...stored, applicationId: APPLICATION, hours: lifeHours }])
    const other = await createOwnerLink(deps.database, deps, request)
    expect(other.address).not.toBe(created.address)
  })

  it('of a derived token is made and recorded once', async () => {
    const target = await harness.target()
    const { deps } = harness.sync
    const token = await deriveLinkToken(deps, randomUUID())
    const issue = () => harness.recorded.acting(() => issueLink(deps, { ...target, issuedBy: 'dev@example.com' }, { token }))
    expect(await issue()).toBe(await issue())
    expect([(await harness.linksOf(target.instanceId)).length, (await harness.recorded.entriesOf(target.instanceId)).length]).toEqual([
      1, 1,
    ])
    const again = await createOwnerLink(deps.database, deps, { ...target, issuedBy: '' }, { token })
    await harness.recorded.acting(() => recordLink(deps.database, again, { isMailed: true }))
    expect([again.isNew, (await harness.recorded.entriesOf(target.instanceId)).length]).toEqual([false, 1])
  })
})

describe('a copy of a link', () => {
  it('has its options for another service, and is made and recorded once', async () => {
    const target = await harness.target()
    const { open } = await harness.open(target, OPTIONS)
    const serviceId = harness.sync.serviceId(harness.files)
    const { deps } = harness.sync
    const copy = () =>
      harness.recorded.acting(() => issueCopy(deps.database, open.link, { tokenHash: deps.hashToken(target.companyId), serviceId }))
    await copy()
    await copy()
    const [model, made, ...others] = await harness.linksOf(target.instanceId)
    expect(others).toEqual([])
    expect({ ...made, id: model?.id }).toEqual({ ...model, serviceId })
    expect(await harness.recorded.entriesOf(target.instanceId)).toEqual([
      { action: 'link.created', subject: `link/${made?.id}`, after: { companyId: target.companyId, serviceId } },
    ])
  })
})

describe('a link that is opened', () => {
  it('shows the company, the service, and how often it will be read', async () => {
    const target = await harness.target()
    const { open } = await harness.open(target)
    expect(open).toMatchObject({
      ...{ state: 'open', refreshMinutes: 24 * 60, instance: { id: target.instanceId }, company: { id: target.companyId } },
      ...{ service: { id: target.serviceId, name: 'Scripted Books', isEnabled: true }, purpose: { key: 'service', version: 0 } },
      link: { companyId: target.companyId, completedAt: null },
    })
  })

  it.each([
    ['expired', `expires_at = now() - interval '1 second'`, null],
    ['revoked', 'revoked_at = now()', null],
    ['used', 'completed_at = now()', 'completed'],
    ['used and expired', `completed_at = now(), expires_at = now() - interval '1 second'`, 'completed'],
  ])('that is %s has no other page than a used one', async (_what, assignment, state) => {
    const target = await harness.target()
    const { token } = await harness.open(target)
    await mark(target, assignment)
    expect((await openLink(harness.sync.deps, token))?.state ?? null).toBe(state)
  })

  it.each([
    ['truncated', 'a'.repeat(42)],
    ['longer', 'a'.repeat(44)],
    ['unknown', 'a'.repeat(43)],
    ['no token', `${'a'.repeat(42)}!`],
  ])('with a token that is %s has no page', async (_what, token) => {
    expect(await openLink(harness.sync.deps, token)).toBeNull()
  })

  it('by a token with something before or after it has no page', async () => {
    const { token } = await harness.open(await harness.target())
    for (const given of [`x${token}`, `${token}x`, token.slice(1)]) expect(await openLink(harness.sync.deps, given)).toBeNull()
  })

  it('has no page for a service that is gone, or while the instance is suspended', async () => {
    const target = await harness.target()
    const { token } = await harness.open(target)
    await mark(target, `service_id = gen_random_uuid()`)
    expect(await openLink(harness.sync.deps, token)).toBeNull()
    await insertSuspension(harness.sync.deps.database, target.instanceId, 'unpaid')
    await expect(openLink(harness.sync.deps, token)).rejects.toThrow(InstanceSuspended)
  })

  it('shows a service that the instance does not offer as closed', async () => {
    const target = await harness.target()
    const { token } = await harness.open(target)
    await harness.sync.deps.database.query('insert into hidden_sources (instance_id, connector_key) values ($1, $2)', [
      target.instanceId,
      'books',
    ])
    expect((await openLink(harness.sync.deps, token))?.service.isEnabled).toBe(false)
  })
})
