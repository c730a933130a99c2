import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { findOwnedConnection, type OwnedConnection } from '../../src/store/owners/owner-connections.ts'
import { LinkLimitReached } from '../../src/sync/links/link.ts'
import { renewalLink } from '../../src/sync/links/renewal-link.ts'
import { openForTests } from '../harness/for-tests.ts'
import { companyActions } from '../sync/harness.ts'
import { openLinksHarness } from './harness.ts'

const harness = openForTests(openLinksHarness)
const APPLICATION = '11111111-1111-4111-8111-111111111111'
const query = (text: string, values: unknown[]) => harness.sync.deps.database.query(text, values)

let instanceId: string
let connection: OwnedConnection
beforeEach(async () => {
  const target = await harness.target()
  instanceId = target.instanceId
  const id = await companyActions(harness.sync.deps, instanceId, target.companyId).connect(harness.books)
  const found = await findOwnedConnection(harness.sync.deps.database, { ...target, connectionId: id })
  if (!found) throw new Error('no connection')
  connection = found
})

const renew = (language: 'en' | 'fr-CA' = 'fr-CA') => renewalLink(harness.sync.deps, connection, language)
/** Links that were made to renew, oldest first. */
const renewals = async () => (await harness.linksOf(instanceId)).slice(1)

/** Gives the connection a consent for a purpose of the instance, by a link of an application. */
async function consent(purpose: { key: string; version: number }): Promise<void> {
  const linkId = randomUUID()
  await query(
    `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, application_id, expires_at, created_at, completed_at)
     values ($1, $2, $3, $4, $5, 'key@example.com', $6, now(), '2020-01-01', now())`,
    [instanceId, linkId, Buffer.from(linkId), connection.companyId, connection.serviceId, APPLICATION],
  )
  await query(`insert into consent_texts (instance_id, hash, texts) values ($1, '\\x01', '{}') on conflict do nothing`, [instanceId])
  await query(
    `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
       duration_days, given_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, '\\x01', 'en', 90, now() + interval '1 minute', now() + interval '90 days')`,
    [instanceId, randomUUID(), connection.companyId, connection.serviceId, linkId, connection.id, purpose.key, purpose.version],
  )
}

it('a link that renews a connection is for the same company and service, for a day, in the language that is asked for', async () => {
  const address = await renew()
  const token = new URL(address).searchParams.get('token') ?? ''
  expect(await harness.isUsable(token)).toBe(true)
  const { companyId, serviceId } = connection
  expect(await renewals()).toMatchObject([
    { companyId, serviceId, language: 'fr-CA', hours: 24, purposeKey: null, returnUrl: null, issuedBy: '', applicationId: null },
  ])
})

it.each([
  [{ key: 'loan', version: 2 }, 'loan'],
  [{ key: 'service', version: 0 }, null],
])('it has the purpose of the consent, %o, and is issued for whoever made the link of that', async (purpose, purposeKey) => {
  await consent(purpose)
  await renew()
  const made = (await renewals()).at(-1)
  expect(made).toMatchObject({ purposeKey, issuedBy: 'key@example.com', applicationId: APPLICATION, hours: 24 })
})

it('it is the same link while that can be used, and another one afterwards', async () => {
  const first = await renew()
  expect([await renew('en'), (await renewals()).length]).toEqual([first, 1])
  await query(`update links set expires_at = now() - interval '1 second' where instance_id = $1`, [instanceId])
  const second = await renew()
  expect([second === first, await renew(), (await renewals()).length]).toEqual([false, second, 2])
})

it('it is another one for another consent, and for another connection', async () => {
  const first = await renew()
  const other = { ...connection, id: randomUUID() }
  expect(await renewalLink(harness.sync.deps, other, 'en')).not.toBe(first)
  await consent({ key: 'service', version: 0 })
  const second = await renew()
  await consent({ key: 'service', version: 0 })
  expect(new Set([first, second, await renew()]).size).toBe(3)
})

it('sixty in a row may expire unused', async () => {
  for (let turn = 0; turn < 60; turn += 1) {
    await renew()
    await query('update links set revoked_at = now() where instance_id = $1', [instanceId])
  }
  await expect(renew()).rejects.toThrow(LinkLimitReached)
  expect((await renewals()).length).toBe(60)
})
