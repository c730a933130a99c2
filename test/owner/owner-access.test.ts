import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteSuspension, insertSuspension } from '../../src/store/operators/suspensions.ts'
import { InstanceSuspended } from '../../src/sync/links/errors.ts'
import { addressOfUsedLink, issueOwnerAccess, openOwnerAccess, replaceOwnerAccess } from '../../src/sync/owner/owner-access.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { openRecorded } from './recorded.ts'

const harness = openForTests(() => openSyncHarness([]))
const recorded = openForTests(() => openRecorded(harness.deps.database, harness.deps.sealer))

let scope: { instanceId: string; companyId: string }
beforeEach(async () => {
  const instanceId = await addInstance(harness.deps.database)
  scope = { instanceId, companyId: await addCompany(harness.deps.database, instanceId) }
})

const tokenOf = (address: string) => new URL(address).searchParams.get('token') ?? ''
const open = (address: string) => openOwnerAccess(harness.deps.database, harness.deps.hashToken, tokenOf(address))
const issue = (of = scope) => issueOwnerAccess(harness.deps, { ...of, language: 'fr-CA' })
const replace = (of = scope) => recorded.acting(() => replaceOwnerAccess(harness.deps, { ...of, language: 'en' }))
const ofLink = (linkToken: string, completedAt: Date | null = new Date(), of = scope) =>
  recorded.acting(() => addressOfUsedLink(harness.deps, { ...of, completedAt }, linkToken, 'fr-CA'))
const companyOf = async (address: string) => (await open(address))?.company.id ?? null

describe('the address of a company’s own page', () => {
  it('opens that company, in the language for which it was issued, and only its hash is stored', async () => {
    const address = await issue()
    expect(address).toMatch(new RegExp(`^${harness.deps.baseUrl}/connect/yours\\?token=[A-Za-z0-9_-]{43}&lang=fr-CA$`))
    expect(await open(address)).toMatchObject({
      access: scope,
      instance: { id: scope.instanceId },
      company: { id: scope.companyId },
      pages: { publicName: '' },
    })
    const { rows } = await harness.deps.database.query('select t::text as text from owner_accesses t where company_id = $1', [
      scope.companyId,
    ])
    expect([rows.length, rows[0]?.text.includes(tokenOf(address))]).toEqual([1, false])
    expect(await issue()).not.toBe(address)
  })

  it.each([
    ['empty', ''],
    ['truncated', 'a'.repeat(42)],
    ['longer', 'a'.repeat(44)],
    ['unknown', 'a'.repeat(43)],
    ['no token', `${'a'.repeat(42)} `],
  ])('with a token that is %s opens nothing', async (_what, token) => {
    expect(await openOwnerAccess(harness.deps.database, harness.deps.hashToken, token)).toBeNull()
  })

  it('opens nothing while the instance is suspended, and says so', async () => {
    const address = await issue()
    await insertSuspension(harness.deps.database, scope.instanceId, 'unpaid')
    await expect(open(address)).rejects.toThrow(InstanceSuspended)
    await deleteSuspension(harness.deps.database, scope.instanceId)
    expect(await companyOf(address)).toBe(scope.companyId)
  })

  it('that is replaced ends all others of the company, and none of another', async () => {
    const neighbour = { ...scope, companyId: await addCompany(harness.deps.database, scope.instanceId) }
    const [first, second, other] = [await issue(), await issue(), await issue(neighbour)]
    const address = await replace()
    expect(address).toContain('&lang=en')
    expect(await Promise.all([first, second, address, other].map(companyOf))).toEqual([
      ...[null, null, scope.companyId, neighbour.companyId],
    ])
    expect(await recorded.entriesOf(scope.instanceId)).toEqual([
      { action: 'owner-page.address-replaced', subject: `company/${scope.companyId}` },
    ])
  })
})

describe('the address that belongs to a used link', () => {
  it('is the same each time, and is noted once', async () => {
    const linkToken = randomUUID()
    const address = await ofLink(linkToken)
    expect([await companyOf(address ?? ''), address]).toEqual([scope.companyId, expect.stringContaining('&lang=fr-CA')])
    expect([await ofLink(linkToken), (await ofLink(randomUUID())) === address]).toEqual([address, false])
    const entry = { action: 'owner-page.address-issued', subject: `company/${scope.companyId}` }
    expect(await recorded.entriesOf(scope.instanceId)).toEqual([entry, entry])
  })

  it('is none before the link is used', async () => {
    expect(await ofLink(randomUUID(), null)).toBeNull()
    expect(await recorded.entriesOf(scope.instanceId)).toEqual([])
  })

  it('is none once it was revoked, for good', async () => {
    const linkToken = randomUUID()
    await ofLink(linkToken)
    await replace()
    expect(await ofLink(linkToken, new Date(Date.now() + 60_000))).toBeNull()
  })

  it('is none and not noted where those of the company were revoked before it was asked for', async () => {
    await issue()
    await replace()
    expect(await ofLink(randomUUID(), new Date(Date.now() - 60_000))).toBeNull()
    expect((await recorded.entriesOf(scope.instanceId)).length).toBe(1)
  })
})
