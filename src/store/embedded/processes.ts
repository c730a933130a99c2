import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { hasCode } from '../../model/error-code.ts'

const run = promisify(execFile)

/**
 * Start time of a process in the system's own notation. Together with the process id it identifies a process forever,
 * although ids are reused. Null when the process does not run. On Linux with the boot id, since start times there count
 * from boot.
 */
export async function findStartOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return findLinuxStart(pid)
  const [program, ...args] =
    process.platform === 'win32'
      ? ['powershell', '-NoProfile', '-Command', `(Get-Process -Id ${pid}).StartTime.Ticks`]
      : ['ps', '-o', 'lstart=', '-p', String(pid)]
  try {
    const { stdout } = await run(program ?? '', args)
    const start = stdout.trim().replace(/[^0-9A-Za-z]+/g, '.')
    return start === '' ? null : start
  } catch (error) {
    if (isExitStatus(error)) return null
    throw error
  }
}

/** Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html (field 3 is the state, field 22 the start in ticks since boot). */
async function findLinuxStart(pid: number): Promise<string | null> {
  const stat = await readOrNull(`/proc/${pid}/stat`)
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const isDead = fields[0] === 'Z' || fields[0] === 'X'
  if (isDead) return null
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
  return `${fields[19]}.${boot.slice(0, 8)}`
}

/** PostgreSQL processes whose working directory is `cluster`; PostgreSQL works inside its data directory. */
export async function listProcessesIn(cluster: string, postmasterPid: number): Promise<number[]> {
  if (process.platform !== 'linux') return (await isPostgresOf(cluster, postmasterPid)) ? [postmasterPid] : []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map(async (pid) => ((await readCwd(pid)) === cluster ? [Number(pid)] : [])))
  return found.flat()
}

async function readCwd(pid: string): Promise<string | null> {
  try {
    return await readlink(`/proc/${pid}/cwd`)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES', 'ESRCH', 'EPERM')) return null
    throw error
  }
}

async function isPostgresOf(cluster: string, pid: number): Promise<boolean> {
  if (process.platform === 'win32') return (await findStartOf(pid)) !== null
  try {
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)])
    return stdout.includes(cluster)
  } catch (error) {
    if (isExitStatus(error)) return false
    throw error
  }
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return null
    throw error
  }
}

/** True when the program ran and exited with a status, as `ps` does for an unknown process. */
function isExitStatus(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
}
