import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A running `run-postgres.ts`. */
export interface Child {
  pid: number
  /** Waits until it has acknowledged `count` more rows, kills it at once, and returns the last acknowledged row. */
  killAfter(count: number): Promise<number>
  /** Stops it gracefully. */
  stop(): Promise<void>
}

export interface ChildOptions {
  dataDir: string
  systemFolder: string
  /** Runs it as this user. */
  user?: { uid: number; gid: number }
  /** The checkout to run from; defaults to this one. */
  checkout?: string
}

const CHECKOUT = join(import.meta.dirname, '..', '..')

/** Starts one and waits until its database is up. Throws with its output if it ends before. */
export async function startChild({ dataDir, systemFolder, user, checkout = CHECKOUT }: ChildOptions): Promise<Child> {
  const script = join(checkout, 'test', 'embedded', 'run-postgres.ts')
  const child = spawn(process.execPath, [script, dataDir, systemFolder], { ...user, cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  let last = 0
  let faults = ''
  child.stderr.on('data', (chunk: Buffer) => {
    faults += chunk.toString()
  })
  lines.on('line', (line) => {
    last = Number(line) || last
  })
  await Promise.race([once(lines, 'line'), closed.then(() => Promise.reject(new Error(faults)))])
  return {
    pid: child.pid ?? 0,
    killAfter: async (count) => {
      const goal = last + count
      while (last < goal) await Promise.race([once(lines, 'line'), closed.then(() => Promise.reject(new Error(faults)))])
      child.kill('SIGKILL')
      await closed
      return last
    },
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}
