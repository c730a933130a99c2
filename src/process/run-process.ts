import { SecretRedactor } from '../model/secret-redactor.ts'
import { createLog } from './log.ts'
import { watchParent } from './parent.ts'
import { readConfig } from './settings/config.ts'
import { systemFolders } from './settings/folders.ts'
import { type Running, start } from './start.ts'
import { releaseStartMemory } from './start-memory.ts'

/** How long a stop waits for the start in progress; supervisors wait longer for a stop. */
const START_LIMIT_MS = 25_000

/**
 * Runs the service until a signal ends the process with code 0, or a fault with code 1. Returns when it is ready; throws
 * `ConfigError` and whatever keeps it from starting.
 */
export async function runProcess(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Promise<void> {
  const config = readConfig(env, args, systemFolders)
  const secrets = new SecretRedactor()
  const log = createLog({ level: config.logLevel, secrets })
  for (const doubt of config.doubts) log.warn(doubt)
  let starting: Promise<Running> | null = null
  const stopping = new AbortController()
  const stop = async (code: number): Promise<void> => {
    if (stopping.signal.aborted) return
    stopping.abort()
    // A start that neither ends nor fails would keep the process, which no supervisor would then start again.
    const limit = setTimeout(() => {
      log.error({ seconds: START_LIMIT_MS / 1_000 }, 'the start in progress has not ended in time, and is given up')
      process.exit(1)
    }, START_LIMIT_MS)
    let running: Running | null = null
    try {
      // A start in progress is completed, because only then is it known what to stop; one that waits is aborted.
      running = await starting
    } catch (error) {
      // A failed start ends the process itself.
      if (!isAbort(error)) return
    } finally {
      clearTimeout(limit)
    }
    await running?.stop()
    process.exit(code)
  }
  const onFatal = (error: Error): void => {
    if (stopping.signal.aborted) log.error({ err: error }, 'a fault while the process stops')
    else log.fatal({ err: error }, 'the process cannot continue')
    void stop(1)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0))
  watchParent(env, () => void stop(0))
  process.on('unhandledRejection', (reason) => onFatal(reason instanceof Error ? reason : new Error(String(reason))))
  process.on('uncaughtException', onFatal)
  starting = start(config, { log, secrets, onFatal, signal: stopping.signal })
  try {
    const { banner } = await starting
    releaseStartMemory()
    if (banner !== null && !stopping.signal.aborted) process.stdout.write(`${banner}\n`)
  } catch (error) {
    // The signal that aborted the start ends the process.
    if (!isAbort(error)) throw error
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
