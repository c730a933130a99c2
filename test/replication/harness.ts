import { connect, createServer, type Server } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { expect } from 'vitest'
import type { Identity } from '../../src/egress/connector.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { queueDueReplications, type ReplicationContext, replicate } from '../../src/sync/replication/replicate.ts'
import type { ApiHarness } from '../api/harness.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'

/** Database of a customer, on loopback. */
export interface TargetDatabase extends TestDatabase {
  port: number
  user: string
  name: string
  /** Breaks the next connections after this many bytes from the service; null: none. */
  breakAfter(bytes: number | null): void
}

/** With `identity`, the connection is encrypted, as far as the gate; else not. */
export async function openTargetDatabase(identity: Identity | null = null): Promise<TargetDatabase> {
  const test = await testDatabase({ migrated: false })
  const [, user = '', name = '', host = ''] = /^postgres:\/\/([^@]+)@\/([^?]+)\?host=(.+)$/.exec(test.url) ?? []
  const limit = { bytes: null as number | null }
  const gate = openGate(`${decodeURIComponent(host)}/.s.PGSQL.5432`, identity, limit)
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
  const address = gate.address()
  return {
    ...test,
    ...{ user: decodeURIComponent(user), name, port: address && typeof address === 'object' ? address.port : 0 },
    breakAfter: (bytes) => {
      limit.bytes = bytes
    },
    drop: async () => {
      gate.close()
      await test.drop()
    },
  }
}

/** Source: https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-SSL */
function openGate(path: string, identity: Identity | null, limit: { bytes: number | null }): Server {
  const secureContext = identity && createSecureContext({ cert: identity.certificate, key: identity.privateKey })
  return createServer((socket) => {
    socket.on('error', () => undefined)
    const pass = (outer: NodeJS.ReadWriteStream & { destroy(): unknown }) => {
      const inner = connect(path)
      let seen = 0
      outer.on('data', (bytes: Buffer) => {
        seen += bytes.length
        if (limit.bytes !== null && seen > limit.bytes) socket.destroy()
      })
      outer.pipe(inner).pipe(outer)
      outer.on('error', () => inner.destroy())
      socket.on('close', () => inner.destroy())
      inner.on('error', () => outer.destroy())
    }
    if (!secureContext) return pass(socket)
    socket.once('data', () => {
      socket.write('S')
      pass(new TLSSocket(socket, { isServer: true, secureContext }))
    })
  })
}

/** Request body of an export destination at a database. */
export function toDestination({ port, name: database, user }: TargetDatabase, more: object = {}): object {
  return {
    ...{ kind: 'postgres', name: 'Warehouse', host: '127.0.0.1', port, database, user },
    ...{ password: 'pg-canary-4471', schema: 'countinghouse', tls: 'off', ...more },
  }
}

export async function addDatabase(api: ApiHarness, target: TargetDatabase, more: object = {}): Promise<string> {
  const body = toDestination(target, more)
  const made = await api.call('POST', '/export-destinations', { body })
  expect([made.statusCode, made.body]).toEqual([201, expect.not.stringContaining('canary')])
  return (made.json() as unknown as { id: string }).id
}

/** Runs what is due, until no worker would go on. */
export async function runReplications(deps: SyncDeps, more: Partial<ReplicationContext> = {}): Promise<void> {
  const { database } = deps
  await database.query('update export_replications set next_at = clock_timestamp()')
  await queueDueReplications(database)
  for (const job of await takeJobs(database, 'replicate')) {
    const run = async (): Promise<Outcome> => await replicate({ ...deps, allowPrivate: true, ...more }, job, () => false)
    for (let times = 0; times < 5 && !(await run()).done; times += 1);
  }
}

export interface ShownDestination {
  replication: { state: string; error: string | null; failingSince: string | null; currentOn: string | null; cursor: string | null }
}

export async function show(api: ApiHarness, id: string): Promise<ShownDestination> {
  return (await api.call('GET', `/export-destinations/${id}`)).json() as unknown as ShownDestination
}
