import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { CATEGORY_IDS } from '../../src/model/catalogue.ts'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { insertEvent } from '../../src/store/webhooks/events.ts'

/** Records the arrival of each event's first byte: Node reports a request once it has its headers. */
export async function openReceiver(arrivals: Map<string, number>): Promise<Server> {
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']).replace('evt_', '')
    if (!arrivals.has(id)) arrivals.set(id, performance.now())
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Commits an event of the instance; returns its id. */
export async function raiseEvent(database: Database, instanceId: string): Promise<string> {
  const id = randomUUID()
  const data = { serviceName: 'Harbor Bank', categoryName: 'Banking', categoryId: CATEGORY_IDS.Banking, email: 'owner@example.com' }
  const ids = { companyId: randomUUID(), serviceId: randomUUID(), sessionId: randomUUID() }
  await inTransaction(database, (db) => insertEvent(db, { instanceId, id, kind: 'NormalizedData', ...ids, dedupeKey: id, data }))
  return id
}
