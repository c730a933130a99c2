import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { ownScope, withinActor } from '../../src/audit/actor.ts'
import { auditWriter } from '../../src/audit/record.ts'
import { listAudit } from '../../src/store/access/audit.ts'
import { answerHandOff, revokeHandOff } from '../../src/sync/links/hand-off.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'

const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  return { database, writer: auditWriter({ keys: await testKeys(), now: () => new Date() }), close: drop }
})

/** A link, and links by which it was handed on. */
async function handedOn(times: number) {
  const instanceId = await addInstance(opened.database)
  const companyId = await addCompany(opened.database, instanceId)
  const ids = Array.from({ length: times + 1 }, () => randomUUID())
  for (const [at, id] of ids.entries())
    await opened.database.query(
      `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at, parent_id)
       values ($1, $2, decode(replace($2::uuid::text, '-', ''), 'hex'), $3, $3, 'x', clock_timestamp() + interval '1 day', $4)`,
      [instanceId, id, companyId, at === 0 ? null : ids[0]],
    )
  return { instanceId, id: ids[0] ?? '', helpers: ids.slice(1) }
}

const acting = <T>(work: () => Promise<T>) => withinActor(ownScope(opened.writer, 'job', 'test'), work)
const entriesOf = async (instanceId: string) =>
  (await listAudit(opened.database, instanceId, 100)).map(({ entry: { action, subject, details } }) => ({ action, subject, details }))

it('a hand-off that is revoked is noted once, with the number of links that end by it', async () => {
  const { instanceId, id } = await handedOn(2)
  await acting(() => revokeHandOff(opened.database, { instanceId, id }))
  await acting(() => revokeHandOff(opened.database, { instanceId, id }))
  expect(await entriesOf(instanceId)).toEqual([{ action: 'hand-off.revoked', subject: `link/${id}`, details: { links: 2 } }])
})

it('a link that was never handed on leaves no entry, and ends none of another instance', async () => {
  const [ours, theirs] = [await handedOn(0), await handedOn(1)]
  await acting(() => revokeHandOff(opened.database, ours))
  await acting(() => revokeHandOff(opened.database, { instanceId: ours.instanceId, id: theirs.id }))
  expect([await entriesOf(ours.instanceId), await entriesOf(theirs.instanceId)]).toEqual([[], []])
  const { rows } = await opened.database.query('select from links where id = any ($1) and revoked_at is not null', [theirs.helpers])
  expect(rows).toEqual([])
})

it.each([
  [true, 'hand-off.declined'],
  [false, 'hand-off.accepted'],
])('the answer of the helper is noted: %s', async (isDeclined, action) => {
  const { instanceId, helpers } = await handedOn(1)
  const [helper = ''] = helpers
  await acting(() => answerHandOff(opened.database, { instanceId, id: helper }, isDeclined))
  expect(await entriesOf(instanceId)).toMatchObject([{ action, subject: `link/${helper}` }])
})
