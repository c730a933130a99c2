import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress, type Egress } from '../../src/egress/egress.ts'
import { type LoopbackServer, serveHttp } from '../../src/egress/loopback-server.ts'
import { simulatedSource } from '../simulation/connector.ts'
import { Provider } from '../simulation/provider.ts'
import { Random } from '../simulation/random.ts'
import { type Fault, type FaultProxy, openFaultProxy } from './fault-proxy.ts'

/** Long enough for loopback, short enough for a test. */
const TIMEOUT_MS = 400

let provider: Provider
let source: LoopbackServer
let proxy: FaultProxy
let egress: Egress

beforeEach(async () => {
  provider = new Provider(new Random(1), () => Date.now())
  provider.faultShare = 0
  provider.pageSize = 10
  for (let id = 100; id < 105; id += 1) provider.put('accounts', { id: `a${id}`, name: `Account ${id}`, kind: 'asset', isBroken: false })
  source = await serveHttp((request, response) => {
    const { response: answer } = provider.answer({
      url: `http://source${request.url}`,
      headers: { authorization: String(request.headers.authorization) },
    })
    response.writeHead(answer?.status ?? 503, answer?.headers).end(answer?.body)
  })
  proxy = await openFaultProxy(source.url)
  egress = createEgress({ allowPrivate: true })
})
afterEach(async () => {
  await egress.close()
  await proxy.close()
  await source.close()
})

/** Fetches one page of accounts through the proxy, as a run would. */
async function fetchPage(): Promise<{ records: number }> {
  const kit = createKit({ egress, app: {}, hosts: { api: proxy.url }, now: () => new Date(), allowPrivate: true })
  const impatient = { ...kit, http: (request: Parameters<typeof kit.http>[0]) => kit.http({ ...request, timeoutMs: TIMEOUT_MS }) }
  const connector = await simulatedSource.load()
  if (connector.authorize.step !== 'form') throw new Error('the simulated source has no form')
  const direct = createKit({ egress, app: {}, hosts: { api: source.url }, now: () => new Date(), allowPrivate: true })
  const { credentials } = await connector.authorize.submit(direct, {})
  const [pull] = connector.pulls
  if (!pull) throw new Error('the simulated source has no pulls')
  const page = await pull.fetch({ kit: impatient, credentials, entityId: 'books-1', nextFile: async () => null }, null)
  return { records: [...pull.read(page.answers)].length }
}

const KINDS: Record<Fault, SourceError['kind']> = {
  reset: 'unavailable',
  empty: 'unavailable',
  malformedChunk: 'unavailable',
  hang: 'unavailable',
  halfBody: 'unavailable',
  resetMidway: 'unavailable',
  slowDrip: 'unavailable',
  // A complete but unexpected answer: a retry rarely helps.
  html: 'badData',
}

describe('a page with a network fault between us and the source', () => {
  test.each(Object.entries(KINDS))('%s: is a failure of kind %s, never a list', async (fault, kind) => {
    proxy.next = [fault as Fault]
    const failure = await fetchPage().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SourceError)
    expect(failure).toMatchObject({ kind })
  })

  test('is complete when requested again', async () => {
    for (const fault of Object.keys(KINDS)) {
      proxy.next = [fault as Fault]
      await fetchPage().catch(() => undefined)
    }
    expect(await fetchPage()).toEqual({ records: 5 })
    expect(proxy.seen).toBe(Object.keys(KINDS).length + 1)
  })
})
