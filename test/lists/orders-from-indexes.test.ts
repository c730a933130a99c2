import { beforeAll, expect, it } from 'vitest'
import { addCrowd } from '../../bench/scale/crowd.ts'
import { insertSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

const COMPANIES = 700
const PAGE = 90
/** A filter that everything matches: a list with a filter is sorted as a whole. */
const ALL = '>=2000-01-01'

const ORDERS = {
  '/normalized-data/companies': ['createdOn', ['externalId']],
  '/normalized-data/data-connection/statuses': ['createdOn', ['serviceName', 'serviceId', 'statusName', 'statusCode', 'updateScheduledOn']],
  '/normalized-data/consents': ['givenOn', ['expiresOn', 'endedOn', 'purpose']],
  '/webhooks/deliveries': ['createdOn', ['eventId', 'subscriptionId', 'status', 'nextAttemptOn']],
} as const
const CASES = Object.entries(ORDERS).flatMap(([path, [range, names]]) =>
  names.flatMap((name) => [false, true].map((isDescending) => ({ path, range, name, isDescending }))),
)

const api = openForTests(openApiHarness)

beforeAll(async () => {
  const { deps, instanceId, companyId } = api.syncHarness
  const { database } = deps
  const subscriptionId = crypto.randomUUID()
  await insertSubscription(database, instanceId, subscriptionId, { event: 'NormalizedData', callbackUrl: 'https://receiver.example/' })
  const [serviceId, connectorKey] = [crypto.randomUUID(), 'bank']
  await addCrowd(database, { instanceId, companyId, subscriptionId, serviceId, connectorKey }, 1, COMPANIES)
  for (const text of MIXED) await database.query(text, [instanceId])
}, 60_000)

/** So that every order has equal values, absent ones, and several parts or groups within one page. */
const MIXED = [
  `update companies set external_id = null where instance_id = $1 and hashtextextended(id::text, 0) % 3 = 0`,
  `update connections set status = (array[2, 6, 8, 9, 15, 19, 26, 27])[1 + abs(hashtextextended(id::text, 0)) % 8] where instance_id = $1`,
  `update connections set update_scheduled_at = timestamptz '9999-12-31 00:00:00+00' where instance_id = $1 and hashtextextended(id::text, 1) % 4 = 0`,
  `update connections set update_scheduled_at = timestamptz '2026-12-01' where instance_id = $1 and hashtextextended(id::text, 1) % 4 = 1`,
  `insert into child_services (instance_id, id, connector_key, institution_id, name)
     select distinct instance_id, service_id, connector_key, service_id::text, 'Caisse ' || (abs(hashtextextended(service_id::text, 0)) % 3) from connections
     where instance_id = $1 and entity_id like '%1' and published_at is null`,
  `update deliveries set status = (array['pending', 'failed', 'delivered', 'delivered'])[1 + abs(hashtextextended(id::text, 0)) % 4] where instance_id = $1`,
]

async function readAll({ path, name, isDescending }: (typeof CASES)[number], pageSize: number, filter: string): Promise<unknown[]> {
  const all: unknown[] = []
  for (let number = 1; ; number += 1) {
    const query = `PageSize=${pageSize}&PageNumber=${number}&OrderBy=${name}&Desc=${isDescending}${filter}`
    const answer = await api.call('GET', `${path}?${query}`)
    expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
    const data: { id?: string; sessionId?: string }[] = answer.json().data ?? []
    all.push(...data.map(({ id, sessionId }) => id ?? sessionId))
    if (data.length < pageSize) return all
  }
}

it.each(CASES)('$path by $name (descending: $isDescending) reads from indexes what sorting gives', async (one) => {
  const sorted = await readAll(one, 500, `&FilterQuery=${encodeURIComponent(`${one.range}${ALL}`)}`)
  expect(new Set(sorted).size).toBeGreaterThan(500)
  expect(await readAll(one, PAGE, '')).toEqual(sorted)
})
