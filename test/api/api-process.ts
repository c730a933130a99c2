import pg from 'pg'
import { createApi } from '../../src/api/server.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { checkServer } from '../../src/store/db/server-check.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { SILENT, sourcesWithKits, syncDeps } from '../harness/app/sync-deps.ts'

/**
 * Runs the API in its own process: `node api-process.ts DATABASE_URL KEYS_FOLDER [before|after]`. With a third
 * argument it kills itself with SIGKILL before or after it has created a company. Prints its port once it listens.
 */
const [databaseUrl = '', keysFolder = '', dies = ''] = process.argv.slice(2)
const database = openDatabase(databaseUrl, { max: 8 })
await checkServer(database)
const query: (...args: unknown[]) => Promise<unknown> = pg.Client.prototype.query
let isCreated = false
Object.assign(pg.Client.prototype, {
  query: async function (this: pg.Client, ...args: unknown[]) {
    isCreated ||= textOf(args[0]).startsWith('insert into companies')
    if (isCreated && dies === 'before') process.kill(process.pid, 'SIGKILL')
    const result = await query.apply(this, args)
    if (isCreated && dies === 'after' && args[0] === 'commit') process.kill(process.pid, 'SIGKILL')
    return result
  },
})
/** Of a statement, or of a query with statements before it. */
function textOf(asked: unknown): string {
  return typeof asked === 'object' && asked !== null && 'text' in asked ? String(asked.text) : String(asked)
}

const keys = await openKeys(keysFolder)
const sync = syncDeps({ database, keys, sources: sourcesWithKits([]), log: SILENT })
const settings = { requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }
const app = createApi(apiDeps({ sync, keys, settings }))
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
