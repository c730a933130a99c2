import { createServer, type IncomingMessage } from 'node:http'
import type { WebhookRequest } from '../../src/connectors/contract/hints.ts'
import type { LinkRequest } from './redirect.ts'

/** What a source sent to our address, oldest first. */
export interface WebhookReceiver {
  webhookUrl: string
  received: WebhookRequest[]
}

/** Opens a receiver of a source's webhooks; `answer` gives the body of the answer to a handshake. */
async function openReceiver(path: string, answer: (query: Record<string, string>) => string | null | undefined) {
  const received: WebhookRequest[] = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      if (request.method === 'POST') received.push({ headers, body })
      const query = Object.fromEntries(new URL(request.url ?? '/', 'http://receiver').searchParams)
      response.end((request.method === 'GET' ? answer(query) : null) ?? '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { received, webhookUrl: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}${path}`, close }
}

/** The same opening function, with a receiver of webhooks that links name. */
export function withReceiver<S, H extends { request: Partial<LinkRequest>; close(): Promise<void> }>(
  open: (settings?: S) => Promise<H>,
  path: string,
  answer: (query: Record<string, string>) => string | null | undefined = () => null,
) {
  return async (settings?: S): Promise<H & WebhookReceiver> => {
    const receiver = await openReceiver(path, answer)
    const harness = await open(settings)
    harness.request.webhookUrl = receiver.webhookUrl
    const close = async () => {
      await harness.close()
      await receiver.close()
    }
    return { ...harness, ...receiver, close }
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
