import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { eraseInstance } from '../../src/sync/instances/erase.ts'
import { createSync } from '../crash/engine.ts'
import { erasureJob } from '../harness/app/jobs.ts'

/**
 * The erasure job in a process of its own, to be killed: `node erasure-process.ts DATABASE_URL KEYS_FOLDER ERASURE_ID
 * [QUERY]`. Kills itself instead of sending its query number QUERY.
 */
const [databaseUrl = '', keysFolder = '', erasureId = '', last = ''] = process.argv.slice(2)
const database = openDatabase(databaseUrl, { max: 2 })
let queries = 0
database.on('connect', (client) => {
  const query = client.query.bind(client)
  const counted = (...given: Parameters<typeof query>) => {
    queries += 1
    if (queries === Number(last)) process.kill(process.pid, 'SIGKILL')
    return query(...given)
  }
  Object.assign(client, { query: counted })
})
const keys = await openKeys(keysFolder)
const onError = (error: unknown) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
const sync = createSync({ database, keys, sourceUrl: 'http://127.0.0.1:9', onError })
await eraseInstance({ ...sync, signing: keys.signing, settleMs: 0 }, erasureJob(erasureId), () => false)
process.stdout.write(`${queries}\n`)
await sync.egress.close()
await database.end()
