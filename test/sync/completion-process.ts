import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { handleCompletionJob } from '../../src/sync/authorize/completion.ts'
import { sourcesWithKits, syncDeps } from '../harness/app/sync-deps.ts'
import { crashPoint } from '../harness/crash-point.ts'
import { HostedSource } from './hosted-source.ts'

/**
 * Runs a completion and is killed before the source's grant is connected: `node completion-process.ts DATABASE_URL
 * KEYS_FOLDER MATCH`.
 */
const [url = '', keysFolder = '', match = ''] = process.argv.slice(2)
const deps = syncDeps({
  database: openDatabase(url, { max: 2 }),
  keys: await openKeys(keysFolder),
  sources: sourcesWithKits([new HostedSource('hosted').description]),
})
await handleCompletionJob({ ...deps, crashPoint: crashPoint('before-grant-commit') }, { match: Buffer.from(match, 'hex'), attempt: 1 })
