import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { Type } from 'typebox'
import { afterEach, describe, expect, it } from 'vitest'
import { Api, ApiFailure } from '../../src/cli/client/api.ts'
import { pollUntil } from '../../src/cli/client/polling.ts'
import { runCommand } from './run-command.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  return `http://127.0.0.1:${bound && typeof bound === 'object' ? bound.port : 0}`
}

const REFUSAL = JSON.stringify({ detail: 'Too many requests.' })

describe('a deployment that refuses for a while', () => {
  it.each([
    ['40', 40_000],
    [new Date(Date.now() + 90_000).toUTCString(), 90_000],
    ['99999999999', 86_400_000],
  ])('is left alone as long as Retry-After says: %s', async (retryAfter, wantedMs) => {
    const address = await serve((_request, response) => void response.writeHead(429, { 'retry-after': retryAfter }).end(REFUSAL))
    const failure = await new Api({ address, key: 'k' }).read(Type.Object({}), '/companies').catch((error: unknown) => error)
    if (!(failure instanceof ApiFailure)) throw failure
    expect([failure.status, failure.message, failure.isTemporary]).toEqual([429, 'Too many requests.', true])
    expect(failure.retryAfterMs).toBeGreaterThan(wantedMs - 10_000)
    expect(failure.retryAfterMs).toBeLessThanOrEqual(wantedMs)
  })

  it('is not asked before that time', async () => {
    const asked: number[] = []
    const answer = await pollUntil({ signal: new AbortController().signal, say: () => undefined }, async () => {
      asked.push(performance.now())
      if (asked.length === 1) throw new ApiFailure('later', 503, undefined, 2_600)
      return 'now'
    })
    const [first = 0, second = 0] = asked
    expect(answer).toBe('now')
    expect(second - first).toBeGreaterThanOrEqual(2_590)
  })
})

describe('changes without a file for the cursor', () => {
  it('end with the cursor of what was printed, also when the next page is refused', async () => {
    const address = await serve((request, response) => {
      if (request.url?.includes('Cursor=') !== true) response.end(JSON.stringify({ data: [{ n: 1 }], cursor: 'after-1', hasMore: true }))
      else response.writeHead(400).end(JSON.stringify({ detail: 'The feed is gone.' }))
    })
    const env = { COUNTINGHOUSE_ADDRESS: address, COUNTINGHOUSE_API_KEY: 'k' }
    const run = await runCommand(['changes'], env)
    expect([run.code, run.stdout, run.stderr]).toEqual([1, '{"n":1}\n', 'cursor: after-1\nThe feed is gone.\n'])
    const nothing = await runCommand(['changes', '--cursor', 'mine'], env)
    expect([nothing.code, nothing.stderr]).toEqual([1, 'The feed is gone.\n'])
  })
})
