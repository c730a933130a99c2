import { createHmac, randomUUID } from 'node:crypto'
import { sendWebhook } from '../kit/http/webhook-sender.ts'

export interface Post {
  /** Sends a Data Connect event, signed with the partner's secret. */
  event(url: string, body: object): void
  /** Sends a TxPUSH notice, signed with the subscription's own key. */
  push(url: string, body: object, signingKey: string): void
  /** Sends a verification code for the listener to echo. */
  verify(url: string): void
  /** Codes that listeners echoed correctly. */
  verified: string[]
  /** Resolves once every queued webhook was delivered or abandoned. */
  settled(): Promise<void>
}

export function createPost(partnerSecret: () => string): Post {
  let queue = Promise.resolve()
  const verified: string[] = []
  const later = (work: () => Promise<unknown>) => {
    queue = queue.then(work).then(
      () => undefined,
      // Best effort, as at the source: an unreachable listener is skipped.
      () => undefined,
    )
  }
  return {
    verified,
    event: (url, body) => {
      const text = JSON.stringify(body)
      const signature = createHmac('sha256', partnerSecret()).update(text).digest('hex')
      later(() => sendWebhook(url, text, { 'content-type': 'application/json', 'x-finicity-signature': signature }))
    },
    push: (url, body, signingKey) => {
      const text = JSON.stringify(body)
      const signed = `application/json${new URL(url).host}${Buffer.from(text).toString('base64')}`
      const signature = createHmac('sha256', signingKey).update(signed).digest('hex')
      later(() => sendWebhook(url, text, { 'content-type': 'application/json', 'txpush-signature': signature }))
    },
    verify: (url) => {
      const code = randomUUID()
      const address = new URL(url)
      address.searchParams.set('txpush_verify_code', code)
      later(async () => {
        const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(10_000) })
        if ((await response.text()) === code) verified.push(code)
      })
    },
    settled: () => queue,
  }
}
