import { openDatabase } from '../../src/store/db/database.ts'
import { checkServer } from '../../src/store/db/server-check.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { beginAuthorization, submitForm } from '../../src/sync/authorize/authorize.ts'
import { openLink } from '../../src/sync/links/link.ts'
import { crashPoint, toCrashPoint } from '../harness/crash-point.ts'
import { startEngine } from './engine.ts'

/**
 * A worker in its own process, to be killed: `node worker-process.ts DATABASE_URL NAME KEYS_FOLDER SOURCE_URL
 * [CRASH_POINT] [LINK_TOKEN]`. Follows the link as its owner, if given. Prints `ready` once it works.
 */
const [databaseUrl = '', name = '', keysFolder = '', sourceUrl = '', point = '', token = ''] = process.argv.slice(2)
const database = openDatabase(databaseUrl, { max: 8, name })
await checkServer(database)
const { sync } = startEngine({
  database,
  keys: await openKeys(keysFolder),
  sourceUrl,
  crashPoint: crashPoint(toCrashPoint(point)),
  onError: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
})
process.stdout.write('ready\n')
if (token !== '') {
  const open = await openLink(sync, token)
  if (!open) throw new Error('the link cannot be opened')
  const { connectionId } = await beginAuthorization(sync.database, open)
  await submitForm(sync, open, connectionId, {})
}
setInterval(() => undefined, 1_000)
