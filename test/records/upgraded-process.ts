import pino from 'pino'
import { Registry } from 'prom-client'
import { createUser } from '../../src/api/access/account/user-accounts.ts'
import { PasswordHashing } from '../../src/api/access/passwords/password-hashing.ts'
import { defaultApiSettings } from '../../src/api/context/settings.ts'
import { createPageCache } from '../../src/api/read-cache/create-page-cache.ts'
import { createApi } from '../../src/api/server.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { refreshCoverage } from '../../src/sync/runs/coverage.ts'
import { NO_PROVIDERS } from '../harness/app/api-deps.ts'
import { sourcesWithKits, syncDeps } from '../harness/app/sync-deps.ts'
import { companyActions } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

/**
 * Processes what an older process has published, with one more field in the schema of bank accounts: `node
 * upgraded-process.ts DATABASE_URL KEYS_FOLDER REQUEST`, run in a copy of the tree. Syncs twice: with the source
 * unchanged, then with the field set for one account. Prints the result as one line of JSON.
 */
const [url = '', keysFolder = '', request = '{}'] = process.argv.slice(2)
const { instanceId, companyId, connectionId, field, accounts, given } = JSON.parse(request)
const database = openDatabase(url, { max: 4 })
const keys = await openKeys(keysFolder)

const source = new ScriptedSource('bank', 'Banking')
source.accounts = accounts
const isGiven = new Set<string>()
const description = {
  ...source.description,
  load: async () => {
    const { connector } = source
    const { Accounts } = connector.entities
    if (!Accounts) throw new Error('the source has no accounts')
    const read = (wire: { id: string }) => (isGiven.has(wire.id) ? given.value : null)
    const map = { ...Accounts.map, fields: { ...Accounts.map.fields, [field]: read } }
    return { ...connector, entities: { Accounts: { ...Accounts, map } } }
  },
}
const deps = syncDeps({ database, keys, sources: sourcesWithKits([description]) })
const { sync } = companyActions(deps, instanceId, companyId)

const hashCost = { memoryKiB: 19 * 1024, passes: 2, lanes: 1 }
const app = createApi({
  database,
  keys,
  sealer: deps.sealer,
  log: pino({ level: 'silent' }),
  metrics: new Registry(),
  settings: { ...defaultApiSettings('http://127.0.0.1:8080'), hashCost },
  providers: NO_PROVIDERS,
  now: deps.now,
  sync: deps,
  pageCache: createPageCache(database, { maxBytes: 1_000_000 }),
  webhooks: { database, sealer: deps.sealer, callbackRules: { allowPrivate: false } },
})
const login = { email: 'avery@example.com', password: 'violet-harbour-teapot-91' }
const access = { database, hashing: new PasswordHashing(hashCost), now: deps.now }
await createUser(access, instanceId, { ...login, name: 'Avery Tremblay', role: 'admin' })
const session = await app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: login })
const headers = { authorization: `Bearer ${session.json().access_token}` }
const { rows: [connection] = [] } = await database.query('select service_id as id from connections where id = $1', [connectionId])
const serviceId: string = connection?.id

async function get(path: string) {
  const response = await app.inject({ url: `/admin/api/v1/normalized-data/${path}`, headers })
  return { status: response.statusCode, etag: response.headers.etag, body: response.json() }
}

async function counts() {
  const { rows } = await database.query(
    `select (select count(*)::int from record_versions) as versions, (select count(*)::int from events where kind = 'AccountsChanged') as changes,
       (select version from publications) as publication`,
  )
  return rows[0]
}

const list = `${companyId}/banking/accounts/${serviceId}`
const before = await counts()
await sync(connectionId)
const unchanged = { before, after: await counts(), accounts: await get(list) }
isGiven.add(given.id)
await sync(connectionId)
await refreshCoverage(database, { instanceId, companyId, serviceId }, 'Banking')
const { rows: events } = await database.query(`select body from events where kind = 'AccountsChanged'`)
const document = (await app.inject({ url: '/admin/api/openapi.json' })).json()
const filtered = await get(`${list}?${new URLSearchParams({ FilterQuery: `${field} = ${given.value}`, OrderBy: field })}`)
const changed = {
  after: await counts(),
  accounts: await get(list),
  events,
  filtered,
  quality: await get(`company/${companyId}/data-connection/${serviceId}/quality`),
  explanation: await get(`${list}/${given.id}/explanation`),
}
process.stdout.write(`${JSON.stringify({ unchanged, changed, schema: document.components.schemas.BankAccount })}\n`)
await app.close()
await database.end()
