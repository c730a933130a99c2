import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { endProcess, nextMessage } from '../processes.ts'

/** A server in its own process. */
export interface BenchServer {
  port: number
  pid: number
  /** Processor time used so far by all its threads, in microseconds. */
  cpuMicros(): Promise<number>
  close(): Promise<void>
}

/**
 * Forks `name.ts` of this folder, after the modules `before` of it; `hasSession`: in a session of its own, which the
 * scheduler treats as one, as a service manager starts it.
 */
export async function startServer(
  name: 'bare' | 'express' | 'countinghouse',
  request: unknown,
  { before = [], hasSession = false }: { before?: readonly string[]; hasSession?: boolean } = {},
): Promise<BenchServer> {
  const child = fork(join(import.meta.dirname, `${name}.ts`), [JSON.stringify(request)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: hasSession,
    execArgv: [...process.execArgv, ...before.flatMap((module) => ['--import', join(import.meta.dirname, module)])],
  })
  const port = await answerOf(child, 'port')
  return {
    port,
    pid: child.pid ?? 0,
    cpuMicros: async () => {
      child.send('cpu')
      return await answerOf(child, 'cpuMicros')
    },
    close: () => endProcess(child),
  }
}

async function answerOf(child: ChildProcess, name: string): Promise<number> {
  const answer = await nextMessage(child)
  const value = typeof answer === 'object' && answer !== null ? Object.entries(answer).find(([key]) => key === name)?.[1] : undefined
  if (typeof value !== 'number') throw new Error(`the server did not report its ${name}`)
  return value
}
