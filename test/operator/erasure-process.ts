import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { ERASE_INSTANCE, eraseInstance } from '../../src/sync/instances/erase.ts'
import { createSync } from '../crash/engine.ts'

/**
 * The erasure job in a process of its own, to be killed: `node erasure-process.ts DATABASE_URL KEYS_FOLDER ERASURE_ID
 * [CHECK]`. Kills itself at the check number CHECK of whether it has to stop, that is between two transactions.
 */
const [databaseUrl = '', keysFolder = '', erasureId = '', check = ''] = process.argv.slice(2)
const database = openDatabase(databaseUrl, { max: 2 })
const keys = await openKeys(keysFolder)
const onError = (error: unknown) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
const sync = createSync({ database, keys, sourceUrl: 'http://127.0.0.1:9', onError })
const job = { id: erasureId, instanceId: erasureId, kind: ERASE_INSTANCE, key: '', payload: { erasureId }, attempts: 1 }
let checks = 0
process.stdout.write('ready\n')
const outcome = await eraseInstance({ ...sync, signing: keys.signing, settleMs: 0 }, job, () => {
  checks += 1
  if (checks === Number(check)) process.kill(process.pid, 'SIGKILL')
  return false
})
process.stdout.write(`${JSON.stringify(outcome)}\n`)
await sync.egress.close()
await database.end()
