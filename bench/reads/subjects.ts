import { isDeepStrictEqual } from 'node:util'
import jwt from 'jsonwebtoken'
import type { LoadRequest } from '../load/load.ts'
import type { BenchServer } from '../servers/start.ts'
import type { Reader } from './tenants.ts'

/** A server under measurement, the requests sent to it, and the expected size of its answers. */
export interface Subject {
  name: string
  server: BenchServer
  requests: LoadRequest[]
  bytes: { least: number; most: number }
}

export interface Servers {
  bare: BenchServer
  cached: BenchServer
  uncached: BenchServer
  express: BenchServer
}

/** Upper bound of the headers of an answer. */
const HEAD_BYTES = 2_000

export function toPageRequest({ companyId, token }: Reader, serviceId: string): LoadRequest {
  const path = `/admin/api/v1/normalized-data/${companyId}/banking/accounts/${serviceId}?PageSize=100`
  return { path, headers: { authorization: `Bearer ${token}` } }
}

/** Requests of each kind of read, rotating over the tenants; every answer is checked once before it is measured. */
export async function listSubjects(servers: Servers, readers: readonly Reader[], place: { serviceId: string; secret: string }) {
  const ours = readers.map((reader) => toPageRequest(reader, place.serviceId))
  const plain = readers.map((reader) => toPlainRequest(reader, place.secret))
  const etags: string[] = []
  let bodyBytes = 0
  for (const [index, request] of ours.entries()) {
    const page = await read(servers.cached, request)
    etags.push(page.headers.get('etag') ?? '')
    bodyBytes += page.body.length / readers.length
    for (const server of [servers.uncached, servers.bare]) {
      if (!(await read(server, request)).body.equals(page.body)) throw new Error('the servers send different bytes')
    }
    const rows = await read(servers.express, plain[index] ?? request)
    if (!isDeepStrictEqual(recordsOf(rows.body), recordsOf(page.body))) throw new Error('the Express server has different rows')
  }
  const whole = { least: bodyBytes, most: bodyBytes + HEAD_BYTES }
  const withHeader = (name: string, value: (index: number) => string) =>
    ours.map(({ path, headers }, index) => ({ path, headers: { ...headers, [name]: value(index) } }))
  const subject = (name: string, server: BenchServer, requests: LoadRequest[], bytes = whole): Subject => ({
    name,
    server,
    requests,
    bytes,
  })
  return {
    bodyBytes,
    bare: subject('bare', servers.bare, ours),
    bareOne: subject('bare, one page', servers.bare, ours.slice(0, 1)),
    bareAnonymous: subject(
      'bare, requests without headers',
      servers.bare,
      ours.map(({ path }) => ({ path, headers: {} })),
    ),
    warm: subject('warm', servers.cached, ours),
    gzip: subject(
      'gzip',
      servers.cached,
      withHeader('accept-encoding', () => 'gzip'),
      { least: 1_000, most: bodyBytes / 2 },
    ),
    unchanged: subject(
      'unchanged',
      servers.cached,
      withHeader('if-none-match', (index) => etags[index] ?? ''),
      { least: 100, most: HEAD_BYTES },
    ),
    keyed: subject(
      'keyed',
      servers.cached,
      readers.map((reader) => toPageRequest({ ...reader, token: reader.key }, place.serviceId)),
    ),
    uncached: subject('uncached', servers.uncached, ours),
    express: subject('express', servers.express, plain),
  }
}

function toPlainRequest({ companyId, instanceId }: Reader, secret: string): LoadRequest {
  const token = jwt.sign({ instanceId }, secret, { algorithm: 'HS256', expiresIn: '12h' })
  return { path: `/companies/${companyId}/accounts?PageSize=100`, headers: { authorization: `Bearer ${token}` } }
}

function recordsOf(body: Buffer): unknown {
  return (JSON.parse(body.toString()) as { data: unknown }).data
}

export async function read(server: BenchServer, { path, headers }: LoadRequest): Promise<{ headers: Headers; body: Buffer }> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { 'accept-encoding': 'identity', ...headers } })
  const body = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${body.toString().slice(0, 200)}`)
  return { headers: response.headers, body }
}
