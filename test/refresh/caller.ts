import { createHmac } from 'node:crypto'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { openCredentials } from '../../src/sync/credentials/credentials-open.ts'
import { crashPoint } from '../harness/crash-point.ts'
import type { Call, CallerSettings, Outcome } from './callers.ts'
import { toSources } from './providers.ts'

/** A process of its own that asks for credentials when it is told to, many times at once; settings come as its argument. */
const { databaseUrl, keysFolder, providers, crashAt } = JSON.parse(process.argv[2] ?? '') as CallerSettings
const quiet = () => undefined
let nowMs = 0
const now = () => new Date(nowMs)
const deps: SyncDeps = {
  database: openDatabase(databaseUrl, { max: 6 }),
  sealer: createSealer(await openKeys(keysFolder)),
  sources: toSources(providers, createEgress({ allowPrivate: true }), now),
  log: { info: quiet, warn: quiet, error: quiet },
  hide: quiet,
  hashToken: (token) => createHmac('sha256', 'test').update(token).digest(),
  baseUrl: 'http://127.0.0.1:8480',
  now,
  crashPoint: crashPoint(crashAt ?? null),
}

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
