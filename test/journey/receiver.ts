import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { readRequest } from '../harness/webhook-receiver.ts'
import { until } from '../process/deadline.ts'

export const ReceivedEvent = Type.Object({
  MessageType: Type.String(),
  Identifier: Type.String(),
  Data: Type.Object({ SessionShareId: Type.String(), CompanyId: Type.String(), ServiceId: Type.String(), CategoryName: Type.String() }),
})
export type ReceivedEvent = Static<typeof ReceivedEvent>

/** One request of the service to the receiver. */
export interface Arrival {
  headers: Record<string, string>
  /** Body as received, byte for byte. */
  body: string
  event: ReceivedEvent
}

export interface Receiver {
  url: string
  arrivals: readonly Arrival[]
  /** Leaves requests unanswered from now on. */
  hold(): void
  /** Answers again, including the requests held. */
  release(): void
  /** The first matching arrival, past or future. */
  first(what: string, fits: (event: ReceivedEvent) => boolean, withinMs?: number): Promise<Arrival>
  close(): Promise<void>
}

/** A subscriber's own server on loopback. `onArrival` is awaited before each response. */
export async function openReceiver(onArrival: (arrival: Arrival) => Promise<void> = async () => undefined): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const held: ServerResponse[] = []
  let isHolding = false
  const server = createServer((request, response) => {
    void take(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { headers, body: bytes } = await readRequest(request)
      const body = Buffer.from(bytes).toString('utf8')
      const event: unknown = JSON.parse(body)
      if (!Check(ReceivedEvent, event)) throw new Error('not an event')
      const arrival = { headers, body, event }
      await onArrival(arrival)
      arrivals.push(arrival)
      if (isHolding) held.push(response)
      else response.writeHead(204).end()
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error))
    }
  }

  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver does not listen')
  return {
    url: `http://127.0.0.1:${address.port}/events`,
    arrivals,
    hold: () => {
      isHolding = true
    },
    release: () => {
      isHolding = false
      for (const response of held.splice(0)) response.writeHead(204).end()
    },
    first: async (what, fits, withinMs) =>
      await until(`the event ${what}`, () => arrivals.find(({ event }) => fits(event)) ?? null, withinMs),
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
