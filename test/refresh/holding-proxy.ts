import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** Proxy between callers and an identity provider: counts requests, and holds a response back on command. */
export interface HoldingProxy {
  url: string
  /** Status of each response of the provider, oldest first. */
  answers: number[]
  /** Holds the next response: the provider has sent it, and the caller waits for it. */
  hold(): { given: Promise<void>; letGo(): void }
  close(): Promise<void>
}

export async function openHoldingProxy(target: string): Promise<HoldingProxy> {
  const answers: number[] = []
  const holds: { give(): void; gone: Promise<void> }[] = []

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request)
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      ['host', 'connection', 'content-length', 'accept-encoding'].includes(name) || typeof value !== 'string' ? [] : [[name, value]],
    )
    const body = sent.length > 0 ? { body: sent } : {}
    const answer = await fetch(`${target}${request.url}`, { method: request.method ?? 'GET', headers, ...body })
    const bytes = Buffer.from(await answer.arrayBuffer())
    answers.push(answer.status)
    const hold = holds.shift()
    hold?.give()
    await hold?.gone
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      date: answer.headers.get('date') ?? new Date().toUTCString(),
      connection: 'close',
    })
    response.end(bytes)
  }

  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address !== 'object') throw new Error('the proxy has no address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    answers,
    hold: () => {
      const given = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      holds.push({ give: given.resolve, gone: gone.promise })
      return { given: given.promise, letGo: gone.resolve }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
