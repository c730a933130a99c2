import { expect, it } from 'vitest'
import { listInstitutionRequests } from '../../src/store/sources/institutions.ts'
import { LinkAlreadyUsed } from '../../src/sync/links/errors.ts'
import { LinkLimitReached } from '../../src/sync/links/link.ts'
import { missingBankId, recordMissingBank } from '../../src/sync/links/missing-bank.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openLinksHarness } from './harness.ts'

const harness = openForTests(openLinksHarness)
const CAISSE = { name: 'Caisse des Îles', country: 'CA', website: 'https://caisse.example' }

async function stand() {
  const target = await harness.target()
  const { open } = await harness.open(target)
  const record = (bank = CAISSE, link = open) => harness.recorded.acting(() => recordMissingBank(harness.sync.deps.database, link, bank))
  return { target, open, record, requests: () => listInstitutionRequests(harness.sync.deps.database, target.instanceId) }
}

it('a bank that an owner could not find is recorded with the service, in the name of the company', async () => {
  const { target, open, record, requests } = await stand()
  const id = await record()
  expect(id).toBe(missingBankId(open.link, CAISSE.name))
  const { website: url, ...bank } = CAISSE
  expect(await requests()).toEqual([
    {
      ...{ id, serviceId: target.serviceId, ...bank, url, note: '', state: 'open', requestedBy: 'Boulangerie du Plateau', answer: '' },
      ...{ createdOn: expect.any(Date), answeredOn: null },
    },
  ])
  const { rows } = await harness.sync.deps.database.query('select link_id as link from institution_requests where id = $1', [id])
  expect(rows).toEqual([{ link: open.link.id }])
  expect(await harness.recorded.entriesOf(target.instanceId)).toMatchObject([
    { action: 'institution.requested', subject: `institution-request/${id}`, after: { serviceId: target.serviceId, country: 'CA' } },
  ])
})

it('the same bank is one request of a link, however it is written, and another one of another link', async () => {
  const { target, record, requests } = await stand()
  const id = await record()
  expect([await record({ ...CAISSE, name: 'CAISSE DES ÎLES' }), (await requests()).length]).toEqual([id, 1])
  const other = await harness.open(target)
  expect([await record(CAISSE, other.open), (await requests()).length]).not.toEqual([id, 1])
  expect((await requests()).length).toBe(2)
})

it('twenty banks can be named with a link, and none once it was used', async () => {
  const { target, record, requests } = await stand()
  for (let count = 0; count < 20; count += 1) await record({ ...CAISSE, name: `Bank ${count}` })
  await expect(record()).rejects.toThrow(LinkLimitReached)
  expect(await record({ ...CAISSE, name: 'Bank 3' })).toBe((await requests())[3]?.id)
  await harness.sync.deps.database.query('update links set completed_at = now() where company_id = $1', [target.companyId])
  await expect(record({ ...CAISSE, name: 'Bank 3' })).rejects.toThrow(LinkAlreadyUsed)
  expect([(await requests()).length, (await harness.recorded.entriesOf(target.instanceId)).length]).toEqual([20, 21])
})
