import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasCode } from '../../src/model/error-code.ts'
import { until } from './deadline.ts'
import { findFreePort, openTestFolder } from './service.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')

describe('npm start', () => {
  let folder: Awaited<ReturnType<typeof openTestFolder>>
  let npm: ChildProcess
  let printed: string
  /** The service and its PostgreSQL. */
  let pids: number[]

  beforeEach(async () => {
    folder = await openTestFolder()
    printed = ''
    const environment = { PATH: process.env.PATH, HOME: folder.path, DATA_DIR: folder.path, PORT: String(await findFreePort()) }
    npm = spawn('npm', ['start'], { cwd: CHECKOUT, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [npm.stdout, npm.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    }
    await until('the greeting', () => (printed.includes('Countinghouse is ready.') ? true : null), 60_000)
    const postgres = await readFile(join(folder.path, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')
    const postmaster = Number.parseInt(postgres, 10)
    const status = await readFile(`/proc/${postmaster}/status`, 'utf8')
    pids = [postmaster, Number(/^PPid:\s*(\d+)/m.exec(status)?.[1])]
  })
  afterEach(async () => {
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL')
    await folder.remove()
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ended by %s leaves nothing running, and no stack trace in the log', async (signal) => {
    const closed = once(npm, 'exit')
    npm.kill(signal)
    await closed
    expect(pids.filter(isRunning)).toEqual([])
    expect(printed).not.toMatch(/"stack"|\n {4}at /)
  })

  it('killed with SIGKILL leaves nothing running', async () => {
    npm.kill('SIGKILL')
    await until('the service and its PostgreSQL end', () => (pids.some(isRunning) ? null : true))
    expect(printed).not.toMatch(/"stack"|\n {4}at /)
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
    throw error
  }
}
