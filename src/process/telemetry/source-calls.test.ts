import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { createKit } from '../../connectors/toolkit/http/kit.ts'
import { createEgress } from '../../egress/egress.ts'
import { installTracer, type Span } from '../../tracing/spans.ts'
import { observeSourceCalls } from './source-calls.ts'

it('calls to a source are counted by their status, and those without an answer too', async () => {
  const counted: [string, number | null][] = []
  const observe = observeSourceCalls({ countSourceCall: (...call) => counted.push(call) })
  const call = { connectorKey: 'plaid', method: 'GET', host: 'api' }
  const answer = { status: 429, headers: {}, body: new Uint8Array() }
  expect(await observe(call, async () => answer)).toBe(answer)
  await expect(observe(call, () => Promise.reject(new Error('cut')))).rejects.toThrow('cut')
  expect(counted).toEqual([
    ['plaid', 429],
    ['plaid', null],
  ])
})

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
afterEach(() => installTracer(null))

it('calls to sources are spans, and carry no trace context', async () => {
  const opened: string[] = []
  const span: Span = { set: () => undefined, end: () => undefined, run: (work) => work() }
  installTracer({
    open: (name) => {
      opened.push(name)
      return span
    },
    openLeaf: () => null,
    traceParent: () => TRACE,
  })
  let received: IncomingHttpHeaders = {}
  const server = createServer((request, response) => {
    received = request.headers
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : ''
  const egress = createEgress({ allowPrivate: true })
  const kit = createKit({ egress, app: {}, hosts: { api: url }, now: () => new Date(), allowPrivate: true })
  const observe = observeSourceCalls({ countSourceCall: () => undefined })
  await observe({ connectorKey: 'plaid', method: 'GET', host: 'api' }, () => kit.http({ url: `${url}/accounts` }))
  await egress.close()
  server.close()
  expect(opened).toEqual(['GET plaid'])
  expect(received['user-agent']).toBe('Countinghouse')
  expect(Object.keys(received).filter((name) => /^(trace|baggage)/.test(name))).toEqual([])
})
