import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)
const TASKSET = '/usr/bin/taskset'

/**
 * Whether the server under measurement can be pinned to the first core, and the load generator to the others, so that
 * neither slows the other. PostgreSQL runs where the process does that starts it. Pinning does nothing where it is not
 * available.
 */
export const canPinCores: boolean = process.platform === 'linux' && existsSync(TASKSET) && availableParallelism() > 1

/** Moves all threads of the process, and the processes that it starts later. */
export async function moveToServerCore(pid: number): Promise<void> {
  if (canPinCores) await run(TASKSET, ['-apc', '0', String(pid)])
}

export async function moveToLoadCores(pid: number): Promise<void> {
  if (canPinCores) await run(TASKSET, ['-apc', `1-${availableParallelism() - 1}`, String(pid)])
}
