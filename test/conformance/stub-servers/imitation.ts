import type { IncomingMessage, ServerResponse } from 'node:http'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { Grant, Kit } from '../../../src/connectors/contract/contract.ts'
import { createKit } from '../../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import { toOpened } from '../opened-source.ts'
import type { Opened } from '../subject.ts'

export interface Reply {
  status: number
  body: string
  headers?: Record<string, string>
}

/** Whether a fault is armed; consumes one occurrence. */
export type TakeFault = (name: string) => boolean

/** The reply of a small imitated source to a request. */
export type Answer = (request: IncomingMessage, body: string, takeFault: TakeFault) => Reply

/** Serves an imitation on loopback and lets the owner fill in its form. Time stands still unless it is moved. */
export async function openImitation(answer: Answer, submit: (kit: Kit, url: string) => Promise<Grant>): Promise<Opened> {
  let time = Date.UTC(2026, 6, 1, 12)
  const armed = new Map<string, number>()
  const takeFault: TakeFault = (name) => {
    const left = armed.get(name) ?? 0
    if (left > 0) armed.set(name, left - 1)
    return left > 0
  }
  const { url, close } = await serveSimulator(() => ({
    handle: (request, response) => void reply(request, response, (body) => answer(request, body, takeFault)),
    close: async () => {},
  }))
  const egress = createEgress({ allowPrivate: true })
  const kit = createKit({ egress, app: {}, hosts: { imitation: url }, now: () => new Date(time), allowPrivate: true })
  const moveClock = (ms: number): void => {
    time += ms
  }
  const simulator = { fault: (name: string, times = 1) => void armed.set(name, times), moveClock }
  const closeAll = async () => {
    await close()
    await egress.close()
  }
  try {
    return toOpened({ kit, simulator, close: closeAll }, await submit(kit, url))
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function reply(request: IncomingMessage, response: ServerResponse, answer: (body: string) => Reply): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const { status, body, headers } = answer(Buffer.concat(parts).toString())
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
