import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { beforeEach, describe, expect, it } from 'vitest'
import { createAuditSink } from '../../src/audit/sinks/create-sink.ts'
import { AuditPump } from '../../src/audit/sinks/pump.ts'
import type { AuditSink } from '../../src/audit/sinks/sink.ts'
import { recordAudit } from '../../src/store/access/audit.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../harness/identities.ts'

const FIRST = '11111111-1111-4111-8111-111111111111'
const KEY = new Uint8Array(32)
const HOST = '127.0.0.1'
/** RFC 5424, section 6, with no structured data. */
const MESSAGE = /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (\S{1,255}) (\S{1,48}) - (\S{1,32}) - (\{[\x20-\x7e]*\})$/

const made = databaseForTests()
let nowMs = Date.parse('2026-11-20T12:00:00Z')
let logged: string[] = []
beforeEach(async () => {
  logged = []
  await made.database.query('delete from audit_cursors')
})

async function record(instanceId: string | null, count: number, action = 'company.created'): Promise<void> {
  await inTransaction(made.database, async (db) => {
    for (let index = 0; index < count; index += 1)
      await recordAudit(db, KEY, { instanceId, action, userId: null, subject: `company/é${index}` }, new Date(nowMs))
  })
}

const pumpTo = (sink: AuditSink, isStopping = () => false) =>
  new AuditPump({
    ...{ database: made.database, destination: 'sink', sink, now: () => new Date(nowMs), isStopping },
    log: { info: (_fields, message) => void logged.push(message), warn: (_fields, message) => void logged.push(message) },
  })

async function positions(instanceId: string | null): Promise<number[]> {
  const chain = instanceId ?? '00000000-0000-0000-0000-000000000000'
  const { rows } = await made.database.query<{ position: number }>(
    'select position::int from audit_entries where instance_id = $1 order by 1',
    [chain],
  )
  return rows.map(({ position }) => position)
}

/** Takes frames apart (octet counting); each must be a message of RFC 5424. */
function readFrames(bytes: Buffer): { instanceId: string | null; position: number }[] {
  const found: { instanceId: string | null; position: number }[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const space = rest.indexOf(' ')
    const length = Number(rest.subarray(0, space).toString())
    const message = rest.subarray(space + 1, space + 1 + length).toString()
    found.push(readMessage(message))
    rest = rest.subarray(space + 1 + length)
  }
  return found
}

function readMessage(message: string): { instanceId: string | null; position: number } {
  const [, , , , , , json = ''] = MESSAGE.exec(message) ?? expect.fail(`no message of RFC 5424: ${message}`)
  return JSON.parse(json) as { instanceId: string | null; position: number }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, HOST)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Keeps all bytes; `cut` ends a connection after so many, as a server that is killed. */
function keep(taken: Buffer[], cut: { after: number }): (socket: Socket) => void {
  return (socket) => {
    let length = 0
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      length += bytes.length
      if (length > cut.after) return socket.resetAndDestroy()
      taken.push(Buffer.from(bytes))
    })
  }
}

describe('a syslog server', () => {
  it('gets every entry of every chain in order, and later only what is new', async () => {
    await record(FIRST, 1_203)
    await record(null, 2, 'login.failed')
    const taken: Buffer[] = []
    const server = createServer(keep(taken, { after: Number.POSITIVE_INFINITY }))
    const port = await listening(server)
    const pump = pumpTo(createAuditSink({ kind: 'syslog', transport: 'tcp', host: HOST, port }, 'books.example.com'))
    await pump.run()
    const entries = readFrames(Buffer.concat(taken))
    expect(Buffer.concat(taken).toString()).toMatch(/<108>1 \S+ books\.example\.com countinghouse - login\.failed - /)
    for (const instanceId of [FIRST, null])
      expect(entries.filter((entry) => entry.instanceId === instanceId).map(({ position }) => position)).toEqual(
        await positions(instanceId),
      )
    taken.length = 0
    await record(FIRST, 1)
    await pump.run()
    expect(readFrames(Buffer.concat(taken)).map(({ position }) => position)).toEqual((await positions(FIRST)).slice(-1))
    server.close()
  })

  it('that is away, or dies within a batch, misses nothing', async () => {
    await record(FIRST, 700)
    const taken: Buffer[] = []
    const cut = { after: 30_000 }
    const server = createServer(keep(taken, cut))
    const port = await listening(server)
    const pump = pumpTo(createAuditSink({ kind: 'syslog', transport: 'tcp', host: HOST, port }, 'x'))
    await pump.run()
    expect(logged).toEqual(['audit entries could not be passed on; they wait'])
    server.close()
    nowMs += 60_000
    await pump.run()
    const again = createServer(keep(taken, cut))
    again.listen(port, HOST)
    await once(again, 'listening')
    taken.length = 0
    cut.after = Number.POSITIVE_INFINITY
    // It waits longer after each failure.
    await pump.run()
    expect(taken).toEqual([])
    nowMs += 60_000
    await pump.run()
    const got = readFrames(Buffer.concat(taken)).filter(({ instanceId }) => instanceId === FIRST)
    expect(got.map(({ position }) => position)).toEqual(await positions(FIRST))
    expect(logged.at(-1)).toBe('audit entries are passed on again')
    again.close()
  })

  it('gets each batch from one of two processes', async () => {
    await record(FIRST, 600)
    const sent: number[] = []
    const sink: AuditSink = { write: async (entries) => void sent.push(...entries.map(({ position }) => position)) }
    await Promise.all([pumpTo(sink).run(), pumpTo(sink).run(), pumpTo(sink).run()])
    await pumpTo(sink).run()
    expect(sent.length).toBe(new Set(sent).size + (await positions(null)).length)
  })

  it('gets no further batch once the process stops', async () => {
    await record(FIRST, 1_203)
    const sizes: number[] = []
    const sink: AuditSink = { write: async (entries) => void sizes.push(entries.length) }
    await pumpTo(sink, () => sizes.length > 0).run()
    expect(sizes.length).toBe(1)
  })

  it('by UDP gets a datagram for each entry', async () => {
    const socket = createSocket('udp4').bind(0, HOST)
    await once(socket, 'listening')
    const messages: string[] = []
    const all = new Promise<void>((resolve) => {
      socket.on('message', (message) => {
        messages.push(message.toString())
        if (messages.length === 2) resolve()
      })
    })
    await made.database.query(
      `insert into audit_cursors (instance_id, sink, position) select instance_id, 'sink', position from audit_chains`,
    )
    await record(null, 2)
    await pumpTo(createAuditSink({ kind: 'syslog', transport: 'udp', host: HOST, port: socket.address().port }, 'x')).run()
    await all
    expect(messages.map(readMessage).map(({ instanceId }) => instanceId)).toEqual([null, null])
    socket.close()
  })

  it.skipIf(!hasOpenssl)('by TLS gets entries once its certificate is trusted, and none before', async () => {
    const { certificate: cert, privateKey: key } = makeIdentity('logs')
    const taken: Buffer[] = []
    const server = createTlsServer({ cert, key }, keep(taken, { after: Number.POSITIVE_INFINITY }))
    server.on('tlsClientError', () => undefined)
    const port = await listening(server)
    await record(null, 1)
    await pumpTo(createAuditSink({ kind: 'syslog', transport: 'tls', host: HOST, port }, 'x')).run()
    expect([taken.length, logged.length]).toEqual([0, 1])
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, cert])
    await pumpTo(createAuditSink({ kind: 'syslog', transport: 'tls', host: HOST, port }, 'x')).run()
    setDefaultCACertificates(before)
    expect(readFrames(Buffer.concat(taken)).map(({ position }) => position)).toEqual(expect.arrayContaining(await positions(null)))
    server.close()
  })
})

describe('a file', () => {
  it('gets whole lines, also after a process that died within one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'audit-sink-'))
    const path = join(folder, 'audit.jsonl')
    const pump = pumpTo(createAuditSink({ kind: 'file', path }, 'x'))
    await pump.run()
    await appendFile(path, '{"instanceId":"cut o')
    await record(FIRST, 3)
    await pump.run()
    const lines = (await readFile(path, 'utf8')).split('\n')
    const entries = lines.flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as { instanceId: string; position: number }] : []))
    expect(entries.filter(({ instanceId }) => instanceId === FIRST).map(({ position }) => position)).toEqual(await positions(FIRST))
    expect(lines.filter((line) => line !== '' && !line.endsWith('}'))).toEqual(['{"instanceId":"cut o'])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await rm(folder, { recursive: true })
  })

  it('whose folder is missing takes nothing, and nothing is lost', async () => {
    const path = join(tmpdir(), 'no-such-folder-of-audit', 'audit.jsonl')
    await pumpTo(createAuditSink({ kind: 'file', path }, 'x')).run()
    const { rows } = await made.database.query('select max(position)::int as position from audit_cursors')
    expect([rows, logged.length]).toEqual([[{ position: 0 }], 1])
  })
})
