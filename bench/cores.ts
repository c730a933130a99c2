import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)
const TASKSET = '/usr/bin/taskset'

/**
 * Parts the machine between the server under measurement (the first core) and what measures it, the database included (the others), so
 * that neither takes from the other. Does nothing where that cannot be done.
 */
export const canPartCores: boolean = process.platform === 'linux' && existsSync(TASKSET) && availableParallelism() > 1

/** All threads of the process, and the processes that it starts from then on. */
export async function moveToServerCore(pid: number): Promise<void> {
  if (canPartCores) await run(TASKSET, ['-apc', '0', String(pid)])
}

export async function moveToLoadCores(pid: number): Promise<void> {
  if (canPartCores) await run(TASKSET, ['-apc', `1-${availableParallelism() - 1}`, String(pid)])
}
