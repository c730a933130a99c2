import type pg from 'pg'
import { instanceScopedHandler } from '../../jobs/instance-scoped-handler.ts'
import type { Handler } from '../../jobs/worker.ts'
import { Secret } from '../../model/values/secret.ts'
import { openDatabase } from '../../store/db/database.ts'
import { Replicas } from '../../store/db/replicas/replicas.ts'
import { createSealer } from '../../store/keys/sealing.ts'
import type { Log } from '../../sync/context/groups.ts'
import { RecordPace } from '../../sync/exports/record-pace.ts'
import { runExport } from '../../sync/exports/run-export.ts'
import { watchKeys } from '../keys/key-rotation.ts'
import { applyDatabasePassword } from '../settings/database-settings.ts'
import { openKeysOf } from '../settings/keys-setting.ts'
import type { SecretSource } from '../settings/secret-source.ts'
import { lowerPriorityOf } from '../system/below-normal-priority.ts'
import type { ExportSettings, FromExportProcess, ToExportProcess } from './messages.ts'

/** Connections at most: a few exports, each of which reads a piece while it stores another. */
const POOL_SIZE = 4

const log: Log = {
  info: (fields, message) => sendLog('info', fields, message),
  warn: (fields, message) => sendLog('warn', fields, message),
  error: (fields, message) => sendLog('error', fields, message),
}
const stopped = new Set<number>()
const opened = Promise.withResolvers<Handler>()
opened.promise.catch((error: unknown) => {
  sendLog('error', { err: error }, 'exports cannot be written')
  // The parent tries again with another process; this one ends when the line has been sent.
  process.disconnect?.()
})

process.on('message', (message: ToExportProcess) => {
  if (message.ask === 'open') opened.resolve(open(message.settings))
  else if (message.ask === 'stop') stopped.add(message.run)
  else void run(message)
})

function send(message: FromExportProcess): void {
  // A parent that has gone needs no answer.
  process.send?.(message, undefined, undefined, () => undefined)
}

function sendLog(level: 'info' | 'warn' | 'error', fields: Record<string, unknown>, message: string): void {
  // The channel passes an error on without its properties.
  const code = fields.err instanceof Error && 'code' in fields.err ? { code: fields.err.code } : {}
  send({ told: 'logged', level, fields: { ...fields, ...code }, message })
}

async function run({ run, job }: Extract<ToExportProcess, { ask: 'run' }>): Promise<void> {
  const handle = await opened.promise.catch(() => null)
  if (handle === null) return
  try {
    const signal = {
      isStopping: () => stopped.has(run),
      advance: (position: number) => send({ told: 'advanced', run, position }),
    }
    send({ told: 'ended', run, outcome: await handle(job, signal) })
  } catch (error) {
    send({ told: 'failed', run, error: error instanceof Error ? error : new Error(String(error)) })
  } finally {
    stopped.delete(run)
  }
}

async function open(settings: ExportSettings): Promise<Handler> {
  const { databaseUrl: url, databaseDirectUrl, databaseReadUrl, databasePassword, isDistributed, isEmbedded, maxStalenessMs } = settings
  applyDatabasePassword({ databasePassword })
  const own = { max: POOL_SIZE, name: 'countinghouse exports', isDistributed }
  const database = openDatabase(url, { ...own, ...(databaseDirectUrl === null ? {} : { directUrl: databaseDirectUrl }) })
  // What reads for an export competes with what reads for answers.
  if (isEmbedded) database.on('connect', lowerServer)
  const keys = await openKeysOf({ dataDir: settings.dataDir, keys: toSource(settings.keys) })
  // Never stopped: it ends with the process.
  watchKeys(keys, log)
  const clocks = { elapsedMs: () => performance.now(), now: () => new Date() }
  const replicas = databaseReadUrl === null ? undefined : new Replicas(database, { url: databaseReadUrl, maxStalenessMs, ...clocks })
  const pace = new RecordPace()
  const deps = {
    database,
    replicas,
    sealer: createSealer(keys),
    log,
    pace,
    ...(settings.pieceRecords && { pieceRecords: settings.pieceRecords }),
  }
  return instanceScopedHandler((job, signal) => runExport(deps, job, signal))
}

function toSource(keys: ExportSettings['keys']): SecretSource | null {
  return keys?.kind === 'text' ? { kind: 'text', value: new Secret(keys.text) } : keys
}

/** Lowers the priority of the process of PostgreSQL that serves a connection, and ends with it. */
function lowerServer(client: pg.PoolClient): void {
  if ('processID' in client && typeof client.processID === 'number') lowerPriorityOf(client.processID)
}
