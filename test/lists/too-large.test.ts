import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { listCompanies } from '../../src/store/connections/company-list.ts'
import { listConnections } from '../../src/store/connections/connection-list.ts'
import { readConsents } from '../../src/store/connections/consent-lists.ts'
import type { Selection } from '../../src/store/db/list-selection.ts'
import { listDeadJobs } from '../../src/store/jobs/dead-jobs.ts'
import { listMails } from '../../src/store/mail/mails.ts'
import { listReceipts } from '../../src/store/owners/receipts.ts'
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const test = databaseForTests()
const instanceId = randomUUID()
afterEach(() => {
  vi.restoreAllMocks()
})

const LISTS: Record<string, (selection: Selection) => Promise<unknown>> = {
  companies: (selection) => listCompanies(test.database, instanceId, selection),
  connections: (selection) => listConnections(test.database, instanceId, null, new Map(), selection),
  consents: (selection) => readConsents(test.database, { instanceId }, selection),
  'dead jobs': (selection) => listDeadJobs(test.database, instanceId, selection),
  deliveries: (selection) => listDeliveries(test.database, instanceId, { ...selection, mayReadAudit: true }),
  mails: (selection) => listMails(test.database, instanceId, selection),
  receipts: (selection) => listReceipts(test.database, instanceId, selection),
}

/** A property of the list that no index finds, an instant that one does, and the parameter of the API for a range of those. */
it.each([
  ['companies', 'words', 'createdOn', 'createdOn'],
  ['connections', 'parentServiceName', 'createdOn', 'createdOn'],
  ['consents', 'endedHow', 'givenOn', 'givenOn'],
  ['dead jobs', 'provider', 'diedAt', 'diedOn'],
  ['deliveries', 'kind', 'createdAt', 'createdOn'],
  ['mails', 'kind', 'createdOn', 'createdOn'],
  ['receipts', 'sessionId', 'issuedOn', 'issuedOn'],
])('a list of too many %s that match no index asks for a range of an instant', async (name, property, orderBy, range) => {
  const list = LISTS[name]
  const selection = {
    filter: [[{ property, operator: '=', value: randomUUID() } as const]],
    orderBy,
    descending: false,
    limit: 10,
    offset: 0,
  }
  await list?.(selection)
  const query = vi.spyOn(test.database, 'query').mockResolvedValueOnce({ rows: [{ isMore: true }] } as never)
  await expect(list?.(selection)).rejects.toMatchObject({ parameter: 'FilterQuery', range })
  expect(query).toHaveBeenCalledOnce()
})
