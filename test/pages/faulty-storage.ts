import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEgress } from '../../src/egress/egress.ts'
import type { PageObjects } from '../../src/sync/context/groups.ts'
import { createPageObjects } from '../../src/sync/pages/page-objects.ts'

/**
 * Fault of one request. `lost`: it is done, and the connection ends without an answer; `late`: done, and answered long after
 * anyone waits; `doubled`: not done, and answered like the request before; `refused`: not done, 503; `forgotten`: not done, and
 * answered as if it were, by a storage that names no digest; `away`: not done, and the connection ends; `misrouted`: not done,
 * and answered 404 by a proxy that does not find the storage.
 */
export type Fault = 'lost' | 'late' | 'doubled' | 'refused' | 'forgotten' | 'away' | 'misrouted'

/** A storage that speaks S3, keeps objects, and fails as it is told. */
export interface FaultyStorage {
  objects: Map<string, Buffer>
  /** `METHOD /bucket/key` of each request. */
  asked: string[]
  /** Faults of the next requests, one each. */
  faults: Fault[]
  /** Of each request that has no other fault. */
  always: Fault | null
  open(isDestination?: boolean): PageObjects
  close(): Promise<void>
}

interface Answer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

export async function openFaultyStorage(): Promise<FaultyStorage> {
  const egress = createEgress({ allowPrivate: true })
  let last: Answer = { status: 200, headers: {}, body: Buffer.alloc(0) }
  const waiting = new Set<ServerResponse>()
  const server = createServer(async (incoming, reply) => {
    const bytes = await readAll(incoming)
    storage.asked.push(`${incoming.method} ${incoming.url}`)
    const fault = storage.faults.shift() ?? storage.always
    if (fault === 'doubled') return send(reply, last)
    if (fault === 'refused') return send(reply, { status: 503, headers: {}, body: Buffer.from('<Code>SlowDown</Code>') })
    if (fault === 'forgotten') return send(reply, { status: 200, headers: {}, body: Buffer.alloc(0) })
    if (fault === 'misrouted') return send(reply, { status: 404, headers: {}, body: Buffer.from('<h1>404 Not Found</h1>') })
    if (fault === 'away') return incoming.socket.destroy()
    last = perform(storage.objects, incoming.method ?? '', incoming.url ?? '', bytes)
    if (fault === 'lost') incoming.socket.destroy()
    else if (fault === 'late') waiting.add(reply)
    else send(reply, last)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const bucket = { endpoint, region: 'us-east-1', bucket: 'pages', prefix: 'ours/', accessKeyId: 'AK', secretAccessKey: 'sk-canary-4410' }
  const storage: FaultyStorage = {
    objects: new Map(),
    asked: [],
    faults: [],
    always: null,
    open: (isDestination = true) => createPageObjects(egress, { ...bucket, isDestination }, { waitsMs: [0, 0], timeoutMs: 400 }),
    close: async () => {
      await egress.close()
      for (const reply of waiting) reply.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
  return storage
}

function perform(objects: Map<string, Buffer>, method: string, url: string, bytes: Buffer): Answer {
  const key = decodeURIComponent(url)
  const found = objects.get(key)
  if (method === 'PUT') objects.set(key, bytes)
  if (method === 'DELETE') objects.delete(key)
  if (method === 'GET' && !found) return { status: 404, headers: {}, body: Buffer.from('<Error><Code>NoSuchKey</Code></Error>') }
  if (method === 'DELETE') return { status: 204, headers: {}, body: Buffer.alloc(0) }
  const headers = method === 'PUT' ? { 'x-amz-checksum-sha256': hash('sha256', bytes, 'base64') } : {}
  return { status: 200, headers, body: method === 'GET' && found ? found : Buffer.alloc(0) }
}

function send(reply: ServerResponse, { status, headers, body }: Answer): void {
  reply.writeHead(status, headers).end(body)
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece)
  return Buffer.concat(pieces)
}
