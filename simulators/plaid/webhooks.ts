import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import type { Fields } from '../kit/http/json-body.ts'
import { PlaidFailure } from './api/failures.ts'
import { type Context, requireText } from './context.ts'
import type { PlaidState } from './state.ts'

const ATTEMPTS = 4
const FIRST_WAIT_MS = 250
const TIMEOUT_MS = 10_000

export interface SentWebhook {
  url: string
  body: string
  signature: string
  /** Status of the last attempt; null if there was no response. */
  status: number | null
}

export interface WebhookSender {
  /** Queues a webhook; webhooks are delivered in order, with a few attempts each. */
  send(url: string, body: Record<string, unknown>): void
  sent: readonly SentWebhook[]
  /** Resolves once every queued webhook was delivered or abandoned. */
  settled(): Promise<void>
  close(): Promise<void>
}

export function createWebhookSender(state: PlaidState, save: () => void, signingTime: () => Date): WebhookSender {
  const sent: SentWebhook[] = []
  const closing = new AbortController()
  let queue = Promise.resolve()
  return {
    sent,
    send(url, body) {
      const text = JSON.stringify(body, null, 2)
      queue = queue.then(async () => {
        if (closing.signal.aborted) return
        const signature = await signWebhook(state, save, text, signingTime())
        const status = await deliver(url, text, signature, closing.signal)
        sent.push({ url, body: text, signature, status })
      })
    },
    settled: () => queue,
    async close() {
      closing.abort()
      await queue
    },
  }
}

/** The `Plaid-Verification` header. Source: https://plaid.com/docs/api/webhooks/webhook-verification/ */
async function signWebhook(state: PlaidState, save: () => void, body: string, at: Date): Promise<string> {
  const key = signingKey(state, save)
  return new SignJWT({ request_body_sha256: createHash('sha256').update(body).digest('hex') })
    .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'JWT' })
    .setIssuedAt(at)
    .sign(await importJWK(key.privateKey, 'ES256'))
}

export function getVerificationKey(context: Context, save: () => void, body: Fields): Fields {
  const key = signingKey(context.state, save)
  if (requireText(body, 'key_id') !== key.kid) {
    throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_WEBHOOK_VERIFICATION_KEY_ID', 'invalid key_id provided')
  }
  const { x = '', y = '' } = key.publicKey
  return { key: { alg: 'ES256', crv: 'P-256', kid: key.kid, kty: 'EC', use: 'sig', x, y, created_at: key.createdAt, expired_at: null } }
}

function signingKey(state: PlaidState, save: () => void): NonNullable<PlaidState['signingKey']> {
  if (state.signingKey) return state.signingKey
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = {
    kid: randomUUID(),
    privateKey: pair.privateKey.export({ format: 'jwk' }),
    publicKey: pair.publicKey.export({ format: 'jwk' }),
    createdAt: 1_560_466_150,
  }
  state.signingKey = key
  save()
  return key
}

async function deliver(url: string, body: string, signature: string, closing: AbortSignal): Promise<number | null> {
  let status: number | null = null
  for (let attempt = 0; attempt < ATTEMPTS && !closing.aborted; attempt++) {
    if (attempt > 0) await pause(FIRST_WAIT_MS * 4 ** (attempt - 1), closing)
    status = await post(url, body, signature, closing)
    if (status !== null && status < 300) return status
  }
  return status
}

async function post(url: string, body: string, signature: string, closing: AbortSignal): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'plaid-verification': signature },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    // Best effort, as at the source: delivery is retried a few times, then abandoned.
    if (error instanceof Error) return null
    throw error
  }
}

function pause(ms: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    closing.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
