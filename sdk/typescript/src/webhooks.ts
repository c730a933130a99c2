import type { Webhooks } from './generated/types.gen.ts'

/** What a deployment sends; `MessageType` tells which. */
export type WebhookEvent = Webhooks['body']

/** Not from the deployment, changed on its way, or sent too long ago. Answer 401 and do nothing. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

/** `Headers`, or the headers of a request in Node. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>

export interface VerifyOptions {
  /** How far the time of sending may be from now, before or after. */
  toleranceMs?: number
  now?: Date
}

/**
 * The event in a request, once its signature is found to be right. `body` is the text exactly as received; `secrets`
 * the subscription’s, or several while one replaces another. Events may come twice: keep each `Identifier`.
 */
export async function verifyEvent(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  { toleranceMs = 300_000, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => readHeader(headers, name))
  if (!id || !timestamp || !signatures) throw new WebhookError('The request is not signed: a webhook header is missing.')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('The time of sending is not a number.')
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) > toleranceMs) {
    throw new WebhookError('The event was sent too long ago, or the clock of this machine is wrong.')
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  const keys = await Promise.all([secrets].flat().map(importSecret))
  let isRight = false
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined
    if (!bytes) continue
    // `verify` compares in constant time.
    for (const key of keys) isRight = (await crypto.subtle.verify('HMAC', key, bytes, signed)) || isRight
  }
  if (!isRight) throw new WebhookError('The signature is not right: it is another secret’s, or the body was changed.')
  const event = parse(text)
  if (!isEvent(event)) throw new WebhookError('The body is not an event.')
  return event
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) throw new TypeError('The secret of a subscription begins with whsec_; this is none.')
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : value?.join(' ')
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEvent(value: unknown): value is WebhookEvent {
  return typeof value === 'object' && value !== null && 'MessageType' in value && 'Identifier' in value && 'Data' in value
}
