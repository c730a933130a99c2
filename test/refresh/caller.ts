import { SourceError } from '../../src/connectors/contract/contract.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { openCredentials } from '../../src/sync/credentials/credentials-open.ts'
import { SILENT, syncDeps } from '../harness/app/sync-deps.ts'
import { crashPoint } from '../harness/crash-point.ts'
import type { Call, CallerSettings, Outcome } from './callers.ts'
import { toSources } from './providers.ts'

/** A separate process that requests credentials on command, many times at once; settings are its argument. */
const { databaseUrl, keysFolder, providers, crashAt } = JSON.parse(process.argv[2] ?? '') as CallerSettings
let nowMs = 0
const now = () => new Date(nowMs)
const deps = syncDeps({
  database: openDatabase(databaseUrl, { max: 6 }),
  keys: await openKeys(keysFolder),
  sources: toSources(providers, createEgress({ allowPrivate: true }), now),
  log: SILENT,
  now,
  crashPoint: crashPoint(crashAt ?? null),
})

process.on('message', (message) => {
  const call = message as Call
  nowMs = call.nowMs
  const calls = Array.from({ length: call.times }, () => ask(call))
  void Promise.all(calls).then((outcomes) => process.send?.({ id: call.id, outcomes }))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function ask({ connectorKey, place, rejected }: Call): Promise<Outcome> {
  const source = deps.sources.get(connectorKey)
  if (!source) return { error: `no source ${connectorKey}` }
  try {
    return { generation: (await openCredentials(deps, source, await source.load(), place, rejected)).generation }
  } catch (error) {
    return { error: error instanceof SourceError ? error.kind : String(error) }
  }
}
