import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { saveMailSettings } from '../../src/store/mail/mail-settings.ts'
import { keepOwnerAddress } from '../../src/sync/owner/owner-mail.ts'
import { queueReminders } from '../../src/sync/owner/reminders.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from '../links/harness.ts'

const harness = openForTests(openLinksHarness)
const NOW = new Date('2026-11-20T12:00:00Z')
const DAY_MS = 86_400_000
const APPLICATION = '11111111-1111-4111-8111-111111111111'
const query = async (text: string, values: unknown[] = []) => (await harness.sync.deps.database.query(text, values)).rows

let target: Awaited<ReturnType<typeof harness.target>>
let connectionId: string
/** A connection of a company whose owner has an address, under a consent for a purpose. */
beforeEach(async () => {
  const { deps } = harness.sync
  await query('delete from consents')
  await query(`update connections set status = 26`)
  target = await harness.target()
  const { instanceId, companyId, serviceId } = target
  await keepOwnerAddress(deps.database, deps.sealer, target, 'owner@example.com', 'fr-CA')
  connectionId = randomUUID()
  await query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, status, refresh_hours, email, update_scheduled_at,
       entity_id, application_id)
     values ($1, $2, $3, $4, 'books', 'Accounting', 15, 24, 'dev@example.com', now(), 'books', $5)`,
    [instanceId, connectionId, companyId, serviceId, APPLICATION],
  )
  const { open } = await harness.open(target, { purposeKey: 'loan' })
  await query(`insert into consent_texts (instance_id, hash, texts) values ($1, '\\x01', '{}')`, [instanceId])
  await query(
    `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash, language,
       duration_days, given_at, expires_at) values ($1, $2, $3, $4, $5, $6, 'loan', 1, '\\x01', 'en', 90, $7, $8)`,
    [instanceId, randomUUID(), companyId, serviceId, open.link.id, connectionId, NOW, new Date(NOW.getTime() + 20 * DAY_MS)],
  )
})

const remind = (more = {}) => harness.recorded.acting(() => queueReminders({ ...harness.sync.deps, now: () => NOW, ...more }))
const made = async () => (await harness.linksOf(target.instanceId)).slice(1)
const mails = () => harness.recorded.mailsOf(target.instanceId)
const linked = () => ({
  ...{ companyId: target.companyId, serviceId: target.serviceId, issuedBy: 'dev@example.com', applicationId: APPLICATION },
  ...{ purposeKey: 'loan', language: 'fr-CA', returnUrl: null, parentId: null },
})

it('a consent that ends is mailed with a link for the same purpose that lives for thirty days', async () => {
  expect([await remind(), await remind()]).toEqual([1, 0])
  const links = await made()
  expect(links).toMatchObject([{ ...linked(), hours: 720 }])
  const [mail, ...others] = await mails()
  expect([mail, others]).toMatchObject([{ kind: 'consentEnding', companyId: target.companyId, to: 'owner@example.com' }, []])
  for (const words of ['Test Lender', 'Scripted Books', 'Boulangerie du Plateau', '/connect?serviceId='])
    expect(mail?.text).toContain(words)
  expect(await harness.recorded.entriesOf(target.instanceId)).toMatchObject([
    { action: 'link.created', subject: `link/${links[0]?.id}`, details: { isMailed: true } },
  ])
})

it('a connection that needs its owner is mailed with a link, where the instance allows that', async () => {
  await query('delete from consents where connection_id <> $1', [connectionId])
  await query(`update consents set ended_at = given_at, ended_how = 'expired'`)
  await query('update connections set status = 8 where id = $1', [connectionId])
  await query('insert into connection_timeline (instance_id, connection_id, to_status) values ($1, $2, 8)', [
    target.instanceId,
    connectionId,
  ])
  expect([await remind(), await made()]).toEqual([0, []])
  await saveMailSettings(harness.sync.deps.database, target.instanceId, { writesToOwners: true })
  expect([await remind(), await remind()]).toEqual([1, 0])
  expect(await made()).toMatchObject([{ ...linked(), hours: 168 }])
  expect(await mails()).toMatchObject([{ kind: 'repair', companyId: target.companyId, to: 'owner@example.com' }])
})

it('nobody is reminded of anything without a mail server, and it is not taken for done', async () => {
  expect([await remind({ mail: undefined }), await made()]).toEqual([0, []])
  expect(await remind()).toBe(1)
})

it('an owner without an address is not reminded, and no link is made', async () => {
  await keepOwnerAddress(harness.sync.deps.database, harness.sync.deps.sealer, target, '', 'en')
  expect([await remind(), await made(), await mails()]).toEqual([0, [], []])
})
