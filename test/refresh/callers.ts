import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { CrashPoint } from '../../src/model/crash-points.ts'
import { within } from '../process/deadline.ts'
import type { Providers } from './providers.ts'

/** Eight processes start at the same time. */
const READY_LIMIT_MS = 90_000

export interface CallerSettings {
  databaseUrl: string
  keysFolder: string
  providers: Providers
  /** The process dies at this point. */
  crashAt?: CrashPoint
}

/** Command to a process. */
export interface Call {
  id: number
  connectorKey: string
  place: { instanceId: string; id: string }
  rejected: number | null
  times: number
  nowMs: number
}

export type Outcome = { generation: number } | { error: string }

type RefreshRequest = Pick<Call, 'connectorKey' | 'place'> & { times: number; rejected?: number }

/** Processes that request credentials. */
export interface Callers {
  /** Makes `times` concurrent requests, spread over all processes. */
  ask(wanted: RefreshRequest): Promise<Outcome[]>
  /** The same in the process with this index; never answered if it dies. */
  askIn(process: number, wanted: RefreshRequest): Promise<Outcome[]>
  signal(process: number, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void
  ended(process: number): Promise<void>
  stop(): Promise<void>
}

export async function startCallers(processes: number, settings: CallerSettings, now: () => Date): Promise<Callers> {
  const children = Array.from({ length: processes }, () => fork(join(import.meta.dirname, 'caller.ts'), [JSON.stringify(settings)]))
  const stop = async (): Promise<void> => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(ended))
  }
  try {
    await within('the callers are ready', Promise.all(children.map(ready)), READY_LIMIT_MS)
  } catch (error) {
    await stop()
    throw error
  }
  let lastId = 0

  const askIn: Callers['askIn'] = (process, { rejected, ...wanted }) => {
    const child = childAt(children, process)
    lastId += 1
    const call: Call = { ...wanted, id: lastId, rejected: rejected ?? null, nowMs: now().getTime() }
    return new Promise((resolve) => {
      const listen = (message: unknown): void => {
        const answer = message as { id: number; outcomes: Outcome[] }
        if (answer.id !== call.id) return
        child.off('message', listen)
        resolve(answer.outcomes)
      }
      child.on('message', listen)
      child.send(call)
    })
  }

  return {
    askIn,
    ask: async (wanted) => {
      const shares = children.map((_child, index) => Math.floor((wanted.times + index) / children.length))
      return (await Promise.all(shares.map((times, index) => askIn(index, { ...wanted, times })))).flat()
    },
    signal: (process, signal) => {
      childAt(children, process).kill(signal)
    },
    ended: async (process) => await ended(childAt(children, process)),
    stop,
  }
}

function childAt(children: readonly ChildProcess[], index: number): ChildProcess {
  const child = children[index]
  if (!child) throw new Error(`unknown process ${index}`)
  return child
}

async function ready(child: ChildProcess): Promise<void> {
  const isReady = once(child, 'message').then(() => true)
  if (!(await Promise.race([isReady, ended(child).then(() => false)]))) throw new Error('a caller ended at its start')
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
