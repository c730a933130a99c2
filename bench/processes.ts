import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Resident memory of a process in MiB, as reported by the system. */
export async function residentMiB(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number((await run('ps', ['-o', 'rss=', '-p', String(pid)])).stdout) / 1_024
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
}

/** Fields of `/proc/PID/stat` behind the name. */
export async function statFields(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
}

/** Processor time that a process has used, in all its threads. Linux counts it in hundredths of a second. */
export async function processorMs(pid: number): Promise<number> {
  const [user, system] = (await statFields(pid)).slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

/** Waits for the next message of a process. Throws if it ends without one. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const waiting = new AbortController()
  const ended = once(child, 'exit', { signal: waiting.signal }).then(() => Promise.reject(new Error('the process ended without a message')))
  // After the race, the loser is ignored.
  ended.catch(() => undefined)
  const [message]: unknown[] = await Promise.race([once(child, 'message', { signal: waiting.signal }), ended])
  waiting.abort()
  return message
}

/** Ends a process and waits until it has ended. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** A port that was free when checked. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Whether the address answers with status 200 now. */
export async function answers(url: string): Promise<boolean> {
  return await new Promise((resolve) => {
    get(url, { agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}
