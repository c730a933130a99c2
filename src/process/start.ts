import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ProcessLife } from '../api/routes/health.ts'
import { makeDataFolder } from '../store/keys/data-folder.ts'
import { refuseUnfinishedRestore } from '../store/snapshot/unfinished-restore.ts'
import type { ProcessParts } from './open-service.ts'
import { checkPort } from './port.ts'
import { type Config, ConfigError } from './settings/config.ts'
import { beginEmbedded } from './start-embedded.ts'
import { lowerPriority } from './system/below-normal-priority.ts'

// What follows is loaded while the embedded PostgreSQL starts on another processor; here only what has to be there before.
const loadService = async () => await import('./open-service.ts')

export interface Running {
  /** Banner for the console of a sandbox; null where the log is enough. */
  banner: string | null
  /** Graceful stop: finishes work in progress, 20 s at most, then releases all resources. */
  stop(): Promise<void>
}

/** Starts everything the role needs; a failed start closes what it had opened. */
export async function start(config: Config, process: ProcessParts): Promise<Running> {
  const { log } = process
  const closers: (() => Promise<unknown>)[] = []
  const life: ProcessLife = { phase: 'starting' }
  const stop = async (): Promise<void> => {
    life.phase = 'stopping'
    for (const close of closers.splice(0).reverse()) {
      await close().catch((error: unknown) => log.error({ err: error }, 'could not be closed'))
    }
  }
  if (config.role === 'worker') lowerPriority()
  try {
    await checkMachine(config)
    const embedded = config.databaseUrl === null ? beginEmbedded(config, { ...process, closers }) : null
    await embedded?.spawned
    const { openService } = await loadService()
    void loadCode(config)
    const banner = await openService(config, process, { embeddedUrl: embedded?.url ?? null, life, closers })
    life.phase = 'running'
    return { banner, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Checks that the addresses are free, then makes the data directory. */
async function checkMachine({ role, host, port, metricsListen, dataDir }: Config): Promise<void> {
  if (role !== 'worker') await checkPort({ host, port })
  if (metricsListen) await checkPort(metricsListen, 'METRICS_LISTEN')
  await makeDataFolder(dataDir).catch((error: unknown) => {
    throw error instanceof Error ? new ConfigError([error.message]) : error
  })
  await refuseUnfinishedRestore(dataDir)
}

/**
 * Loads what the role needs later, piece by piece: loading blocks this process, which notices in between how far
 * PostgreSQL is. A module that cannot be loaded is reported where it is used.
 */
async function loadCode({ role, environment }: Config): Promise<void> {
  const pieces: (() => Promise<unknown>)[] = [
    ...(environment === 'sandbox' ? [async () => await (await import('./sandbox/start-sandbox.ts')).loadSimulators()] : []),
    ...(role === 'worker' ? [] : [async () => await import('./seed.ts'), async () => await import('./start-server.ts')]),
    ...(role === 'api' ? [] : [async () => await import('./start-workers.ts')]),
  ]
  for (const load of pieces) {
    await nextTurn()
    await load().catch(() => undefined)
  }
}
