import { type EmbeddedPostgres, startEmbeddedPostgres } from '../store/embedded/postgres.ts'
import { clusterFolder } from './built/cluster-files.ts'
import type { Logger } from './log.ts'
import type { Config } from './settings/config.ts'

interface EmbeddedParts {
  log: Logger
  onFatal(error: Error): void
  closers: (() => Promise<unknown>)[]
}

/** Embedded PostgreSQL that is starting. */
export interface BegunPostgres {
  /** Resolves when its program runs, or when it cannot be started. */
  spawned: Promise<void>
  /** Address of the database once it accepts connections. */
  url: Promise<string>
}

/** Starts the embedded PostgreSQL of the data directory, without waiting for it; adds to `closers` what stops it. */
export function beginEmbedded({ dataDir }: Config, { log, onFatal, closers }: EmbeddedParts): BegunPostgres {
  const spawned = Promise.withResolvers<void>()
  const started: Promise<EmbeddedPostgres> = startEmbeddedPostgres({
    dataDir,
    template: clusterFolder,
    log: (line) => log.debug({ postgres: line }, 'postgres'),
    onSpawn: spawned.resolve,
    onUnexpectedExit: onFatal,
  })
  // Whoever waits for the address is told of a failure.
  started.then(
    () => spawned.resolve(),
    () => spawned.resolve(),
  )
  const url = started.then((postgres) => postgres.url)
  url.catch(() => undefined)
  closers.push(async () => {
    const postgres = await started.catch(() => null)
    await postgres?.stop()
  })
  return { spawned: spawned.promise, url }
}
