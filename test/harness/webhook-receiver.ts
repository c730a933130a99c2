import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { WebhookRequest } from '../../src/connectors/contract/hints.ts'
import { serveHttp } from '../../src/egress/loopback-server.ts'
import type { LinkRequest } from './redirect.ts'

/** Webhooks that a source sent to our address, oldest first. */
export interface WebhookReceiver {
  webhookUrl: string
  received: WebhookRequest[]
}

/** Reads headers and body of a request to a test's own server. */
export async function readRequest(request: IncomingMessage): Promise<WebhookRequest> {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return { headers, body: await buffer(request) }
}

/** Opens a receiver of a source's webhooks; `answer` returns the response body of a handshake. */
export async function openReceiver(
  path = '/',
  answer: (query: Record<string, string>) => string | null | undefined = () => null,
): Promise<WebhookReceiver & { close(): Promise<void> }> {
  const received: WebhookRequest[] = []
  const { url, close } = await serveHttp(async (request, response) => {
    const read = await readRequest(request)
    if (request.method === 'POST') received.push(read)
    const query = Object.fromEntries(new URL(request.url ?? '/', 'http://receiver').searchParams)
    response.end((request.method === 'GET' ? answer(query) : null) ?? '')
  })
  return { received, webhookUrl: `${url}${path}`, close }
}

/** Wraps the opening function with a webhook receiver that links name. */
export function withReceiver<S, H extends { request: Partial<LinkRequest>; close(): Promise<void> }>(
  open: (settings?: S) => Promise<H>,
  path: string,
  answer?: (query: Record<string, string>) => string | null | undefined,
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
