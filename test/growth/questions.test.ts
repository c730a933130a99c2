import { afterAll, beforeAll, expect, it } from 'vitest'
import { addCrowd, toCompanyId } from '../../bench/scale/crowd.ts'
import { listQuestions } from '../../bench/scale/questions.ts'
import { createApi } from '../../src/api/server.ts'
import { MOST_COUNTED } from '../../src/store/db/list-selection.ts'
import { insertSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { addUser, tokenOf } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { openRowCounter, type RowCounter, type RowsRead } from './rows-read.ts'
import { vacuumAll } from './vacuum.ts'

const FEW = 300
const MANY = 2_400
/**
 * What is read of small tables, of the pages of indexes that grow by a level, and of a page of 100 rows, each an entry and a
 * row, that few companies do not fill: of receipts there are 15 and 120.
 */
const SLACK = 250
const MOST_GROWTH = 1.5
const NO_LIMITS = { perSession: 0, perInstance: 0, perNetwork: 0 }

/**
 * Lists whose orders and filters have no index: all rows are looked at, and beyond 100,000 they are refused
 * (`src/store/db/list-selection.ts`).
 */
const BOUNDED = [/^\/webhooks\/deliveries by (kind|attemptCount|deliveredOn)/, /^\/normalized-data\/companies where metadata/]
/** Up to 10,001 parts of each word are counted; test/search/companies-at-scale.test.ts counts what else is read. */
const SEARCHED = /^\/normalized-data\/companies where Search=/
/** Counted on each request, beyond 10,000 rows once a minute; see docs/scale.md. */
const COUNTED = ['/usage?Days=7', '/usage/quotas']

const harness = openForTests(() => openSyncHarness([bank]))
let counter: RowCounter
let app: ReturnType<typeof createApi>
let headers: { authorization: string }
const bank = new ScriptedSource('bank', 'Banking')
const fill = async (from: number, to: number): Promise<void> => {
  const { deps, instanceId, companyId } = harness
  const { rows } = await deps.database.query<{ id: string }>('select id from subscriptions')
  const scope = { instanceId, companyId, serviceId: harness.serviceId(bank), connectorKey: 'bank', subscriptionId: rows[0]?.id ?? '' }
  await addCrowd(deps.database, scope, from, to)
  // The feed places what is new once, and leaves dead rows behind.
  await app.inject({ url: '/admin/api/v1/normalized-data/changes', headers })
  await vacuumAll(deps.database)
}

beforeAll(async () => {
  const { deps, instanceId } = harness
  bank.accounts = [{ id: 'chequing', name: 'Chequing', balance: '1234.50' }]
  await harness.sync(await harness.connect(bank), { reason: 'first' })
  const subscription = { event: 'NormalizedData', callbackUrl: 'https://receiver.example/' } as const
  await insertSubscription(deps.database, instanceId, crypto.randomUUID(), subscription)
  counter = openRowCounter(harness.url)
  // In small tables PostgreSQL prefers scans to the indexes that it uses in large ones.
  counter.database.on('connect', (client) => void client.query('set enable_seqscan = off; set enable_bitmapscan = off'))
  const sync = { ...deps, database: counter.database }
  app = createApi(apiDeps({ sync, keys: await testKeys(), settings: { requestLimits: NO_LIMITS }, pageCacheBytes: 0 }))
  headers = { authorization: `Bearer ${await tokenOf(app, (await addUser(deps.database, instanceId)).email)}` }
}, 60_000)
afterAll(async () => {
  await app.close()
  await counter.close()
})

interface Read {
  rows: number
  tables: RowsRead[]
}

/**
 * Rows read by each question, less those that its total counts. What a filter finds by an index is read up to twice, each
 * time an entry and a row.
 */
async function readAll(companies: number): Promise<Map<string, Read>> {
  const serviceId = harness.serviceId(bank)
  const all = new Map<string, Read>()
  for (const { name, path } of listQuestions(toCompanyId)) {
    let counted = 0
    const tables = await counter.count(async () => {
      const answer = await app.inject({ url: `/admin/api/v1${path(companies, serviceId)}`, headers })
      expect(answer.statusCode, `${name}: ${answer.body.slice(0, 200)}`).toBe(200)
      counted = Math.min(MOST_COUNTED, Number(answer.headers['x-total-count'] ?? 0))
    })
    const sum = tables.reduce((rows, { scanned, looked }) => rows + scanned + looked, 0)
    all.set(name, { rows: Math.max(0, sum - counted * (name.includes(' where ') ? 4 : 2)), tables })
  }
  return all
}

it(`a request reads about as many rows of ${MANY} companies as of ${FEW}, but for those that are bounded`, async () => {
  await fill(1, FEW)
  const few = await readAll(FEW)
  await fill(FEW + 1, MANY)
  const grown = [...(await readAll(MANY))].filter(([name, { rows }]) => rows > (few.get(name)?.rows ?? 0) * MOST_GROWTH + SLACK)
  const unknown = grown.filter(([name]) => !COUNTED.includes(name) && ![...BOUNDED, SEARCHED].some((pattern) => pattern.test(name)))
  expect(Object.fromEntries(unknown)).toEqual({})
}, 300_000)
