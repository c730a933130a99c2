import { createEgress } from '../../src/egress/egress.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { pageMover } from '../../src/sync/pages/move-pages.ts'
import { createPageObjects } from '../../src/sync/pages/page-objects.ts'
import { runSyncJob } from '../harness/app/jobs.ts'
import { SILENT, sourcesWithKits, syncDeps } from '../harness/app/sync-deps.ts'
import { crashPoint, toCrashPoint } from '../harness/crash-point.ts'
import { manyAccounts } from './many-accounts.ts'

/**
 * Syncs a connection, or moves all raw pages, with a bucket, and is killed on its way: `node page-process.ts DATABASE_URL
 * KEYS_FOLDER ENDPOINT INSTANCE CONNECTION CRASH_POINT sync|move`.
 */
const [url = '', keysFolder = '', endpoint = '', instanceId = '', connectionId = '', point = '', work = ''] = process.argv.slice(2)
const egress = createEgress({ allowPrivate: true })
const bucket = { endpoint, region: 'us-east-1', bucket: 'pages', prefix: 'ours/', accessKeyId: 'AK', secretAccessKey: 'sk' }
const pageObjects = createPageObjects(egress, { ...bucket, isDestination: true })
const deps = syncDeps({
  database: openDatabase(url, { max: 4 }),
  keys: await openKeys(keysFolder),
  sources: sourcesWithKits([manyAccounts().description]),
  ...{ log: SILENT, readLeaseMs: 0, pageObjects, crashPoint: crashPoint(toCrashPoint(point)) },
})
if (work === 'move') await pageMover({ ...deps, pageObjects }, () => false)()
else await runSyncJob(deps, { instanceId, connectionId }, { reason: 'first' })
await egress.close()
await deps.database.end()
