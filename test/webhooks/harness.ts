import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createEgress, type Egress, type EgressRequest, type EgressResponse } from '../../src/egress/egress.ts'
import { type LoopbackServer, serveHttp } from '../../src/egress/loopback-server.ts'
import { CATEGORY_IDS } from '../../src/model/catalogue.ts'
import type { ConnectionEventKind, SubscribableEvent } from '../../src/model/events.ts'
import { type Db, inTransaction } from '../../src/store/db/database.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { insertEvent, type NewEvent } from '../../src/store/webhooks/events.ts'
import type { Subscription } from '../../src/store/webhooks/subscriptions.ts'
import type { DispatcherDeps, WebhookDeps, WebhookLog } from '../../src/webhooks/deps.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { subscribe } from '../../src/webhooks/subscriptions.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { readRequest } from '../harness/webhook-receiver.ts'

/** Request to a receiver. */
interface Received {
  path: string
  headers: Record<string, string>
  body: string
  identifier: string
}

export interface Receiver {
  url: string
  received: Received[]
  /** Resolves after the given total number of requests. */
  reached(count: number): Promise<void>
  close(): Promise<void>
}

/** Database with one instance, webhook dependencies, and a dispatcher whose clock can be moved. */
export interface WebhookHarness {
  deps: WebhookDeps
  egress: Egress
  instanceId: string
  test: TestDatabase
  sealingKey: Buffer
  dispatcher: Dispatcher
  /** Log entries of the dispatcher. */
  reports: { level: string; message: string; fields: Record<string, unknown> }[]
  /** Another dispatcher, which sends to no network: `answer` answers. */
  openStubbed(answer: (request: EgressRequest) => Promise<EgressResponse>, deps?: Partial<DispatcherDeps>): Dispatcher
  /** Requests of stubbed dispatchers. */
  sent: EgressRequest[]
  /** Attempts that they have recorded; `isTimed`: with a delay of less than a minute. */
  attempts: { result: string; isTimed: boolean }[]
  /** The log of deliveries of the instance. */
  deliveries(): Promise<Awaited<ReturnType<typeof listDeliveries>>['deliveries']>
  travel(ms: number): void
  newInstance(): Promise<string>
  receive(answer?: (request: Received, response: ServerResponse, count: number) => void): Promise<Receiver>
  subscribeTo(url: string, event?: SubscribableEvent, instanceId?: string): Promise<Subscription & { secret: string }>
  raise(kind?: ConnectionEventKind, instanceId?: string): Promise<string>
  close(): Promise<void>
}

export async function openWebhookHarness(): Promise<WebhookHarness> {
  const reports: WebhookHarness['reports'] = []
  const note = (level: string) => (fields: Record<string, unknown>, message: string) => void reports.push({ level, message, fields })
  const test = await testDatabase()
  // Dropping the database cuts connections that the pool has only started to close.
  test.database.on('error', (error) => note('pool')({ error }, 'connection lost'))
  const sealingKey = randomBytes(32)
  const key = { id: '0011223344556677', bytes: sealingKey }
  const sealer = createSealer({ sealing: { newest: key, find: (id) => (id === key.id ? key : undefined), all: [key] } })
  const deps: WebhookDeps = { database: test.database, sealer, callbackRules: { allowPrivate: true } }
  const egress = createEgress({ allowPrivate: true })
  const servers: LoopbackServer[] = []
  const log: WebhookLog = { info: note('info'), warn: note('warn'), error: note('error') }
  let aheadMs = 0
  const dispatcher = new Dispatcher({ ...deps, egress, log, clock: { aheadMs: () => aheadMs }, random: () => 0.5 })

  const sent: EgressRequest[] = []
  const attempts: WebhookHarness['attempts'] = []
  const newInstance = () => addInstance(test.database)
  const instanceId = await newInstance()

  return {
    ...{ deps, egress, instanceId, test, sealingKey, dispatcher, reports, sent, attempts, newInstance },
    openStubbed: (answer, more = {}) => {
      const request = async (asked: EgressRequest) => {
        sent.push(asked)
        return await answer(asked)
      }
      const onAttempt: DispatcherDeps['onAttempt'] = ({ result, delaySeconds }) =>
        void attempts.push({ result, isTimed: delaySeconds !== null && delaySeconds >= 0 && delaySeconds < 60 })
      return new Dispatcher({ ...deps, egress: { request, close: async () => undefined }, log, onAttempt, ...more })
    },
    deliveries: async () => {
      const page = { filter: [], orderBy: 'createdAt', descending: false, limit: 50, offset: 0, mayReadAudit: true }
      return (await listDeliveries(test.database, instanceId, page)).deliveries
    },
    travel: (ms) => {
      aheadMs += ms
    },
    receive: async (answer = (_request, response) => response.end()) => {
      const receiver = await openReceiver(answer)
      servers.push(receiver)
      return receiver
    },
    subscribeTo: (url, event = 'NormalizedData', owner = instanceId) => subscribe(deps, owner, { event, callbackUrl: url }),
    raise: (kind = 'NormalizedData', owner = instanceId) => inTransaction(test.database, (db) => raiseEvent(db, owner, kind)),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
      await dispatcher.stop()
      await egress.close()
      await test.drop()
    },
  }
}

/** An empty answer of a receiver. */
export function answerOf(status: number): EgressResponse {
  return { status, headers: {}, body: Buffer.alloc(0), truncated: false }
}

/** Inserts an event of a generated connection; returns its id. */
export async function raiseEvent(db: Db, instanceId: string, kind: ConnectionEventKind, override: Partial<NewEvent> = {}): Promise<string> {
  const id = randomUUID()
  await insertEvent(db, {
    ...{ instanceId, id, kind, companyId: randomUUID(), serviceId: randomUUID(), sessionId: randomUUID(), dedupeKey: id },
    data: { serviceName: 'Harbor Bank', categoryName: 'Banking', categoryId: CATEGORY_IDS.Banking, email: 'owner@example.com' },
    ...override,
  })
  return id
}

async function openReceiver(answer: (request: Received, response: ServerResponse, count: number) => void): Promise<Receiver> {
  const received: Received[] = []
  const waiting: { count: number; resolve(): void }[] = []
  const server = await serveHttp(async (request, response) => {
    const got = await read(request)
    received.push(got)
    answer(got, response, received.length)
    for (const { count, resolve } of waiting) if (received.length >= count) resolve()
  })
  return {
    ...server,
    received,
    reached: (count) =>
      new Promise((resolve) => {
        if (received.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}

async function read(request: IncomingMessage): Promise<Received> {
  const { headers, body } = await readRequest(request)
  const text = Buffer.from(body).toString()
  return { path: request.url ?? '', headers, body: text, identifier: String(JSON.parse(text).Identifier) }
}
