import { createHmac } from 'node:crypto'

const TIMEOUT_MS = 10_000

/** The receiver's response to a webhook. */
export interface WebhookAnswer {
  status: number
  body: string
}

/** Posts a webhook as a provider does, without following redirects. Throws if the receiver cannot be reached. */
export async function sendWebhook(url: string, body: string, headers: Record<string, string>): Promise<WebhookAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
  return { status: response.status, body: await response.text() }
}

/** Base64 of the HMAC-SHA256 of the body. */
export function hmacBase64(body: string, key: string): string {
  return createHmac('sha256', key).update(body).digest('base64')
}
