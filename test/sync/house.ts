import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { ConnectorDescription, Kit } from '../../src/connectors/contract.ts'
import { createSources } from '../../src/connectors/sources.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { createCompany } from '../../src/store/companies.ts'
import { createInstance } from '../../src/store/instances.ts'
import { createSealer } from '../../src/store/sealing.ts'
import { beginAuthorization, submitForm } from '../../src/sync/authorize.ts'
import type { SyncDeps } from '../../src/sync/deps.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { issueLink, openLink } from '../../src/sync/link.ts'
import { testDatabase } from '../database.ts'
import { testKeys } from '../keys.ts'
import type { ScriptedSource } from './scripted-source.ts'

/** A whole house on a database of its own, with scripted sources outside. */
export interface House {
  deps: SyncDeps
  instanceId: string
  companyId: string
  /** Links the company to the source, as the owner would; gives the connection's id. */
  connect(source: ScriptedSource): Promise<string>
  /** Works one sync job off, now. */
  sync(connectionId: string, options?: { isAwaited?: boolean; attempt?: number; reason?: string }): Promise<Outcome>
  erase(connectionId: string): Promise<Outcome>
  serviceId(source: ScriptedSource): string
  close(): Promise<void>
}

/** `others` are sources that stand in the catalogue and are never read. */
export async function openHouse(sources: ScriptedSource[], others: ConnectorDescription[] = []): Promise<House> {
  const { database, drop } = await testDatabase()
  const keys = await testKeys()
  const secret = randomBytes(32)
  const kit: Kit = { http: () => Promise.reject(new Error('scripted sources do no HTTP')), app: {}, hosts: {}, now: () => new Date() }
  const quiet = {
    info: () => undefined,
    warn: () => undefined,
    error: (fields: Record<string, unknown>) => {
      throw fields.err
    },
  }
  const deps: SyncDeps = {
    database,
    sealer: createSealer(keys),
    sources: createSources([...sources.map((source) => source.description), ...others], {
      settings: {},
      simulators: {},
      createKit: () => kit,
    }),
    log: quiet,
    hide: () => undefined,
    now: () => new Date(),
    hashToken: (token) => createHmac('sha256', secret).update(token).digest(),
    baseUrl: 'http://127.0.0.1:8480',
  }
  const instanceId = randomUUID()
  const companyId = randomUUID()
  await createInstance(database, { id: instanceId, name: 'Test Lender' })
  await createCompany(database, instanceId, companyId, {
    name: 'Boulangerie du Plateau',
    industry: '',
    fullAddress: '',
    country: 'CA',
    city: 'Montréal',
    companyContactNumber: '',
  })
  const handlers = syncHandlers(deps)
  const signal = { isStopping: () => false }
  return {
    deps,
    instanceId,
    companyId,
    serviceId: (source) => toServiceId(source.description.key),
    connect: async (source) => {
      const address = await issueLink(deps, {
        instanceId,
        companyId,
        serviceId: toServiceId(source.description.key),
        issuedBy: 'dev@example.com',
      })
      const open = await openLink(deps, new URL(address).searchParams.get('token') ?? '')
      if (!open) throw new Error('the link does not open')
      const { connectionId } = await beginAuthorization(deps, open)
      const [linked] = await submitForm(deps, open, connectionId, {})
      if (!linked) throw new Error('nothing was linked')
      await database.query(`delete from jobs where kind = 'sync'`)
      return linked.connectionId
    },
    sync: async (connectionId, options = {}) =>
      await handlers.sync(
        {
          id: randomUUID(),
          instanceId,
          kind: 'sync',
          key: `connection/${connectionId}`,
          payload: { connectionId, reason: options.reason ?? 'schedule', isAwaited: options.isAwaited ?? false },
          attempts: options.attempt ?? 1,
        },
        signal,
      ),
    erase: async (connectionId) => {
      const { rows } = await database.query(`delete from jobs where kind = 'erase' and key = $1 returning payload`, [
        `erase/${connectionId}`,
      ])
      return await handlers.erase(
        { id: randomUUID(), instanceId, kind: 'erase', key: `erase/${connectionId}`, payload: rows[0]?.payload, attempts: 1 },
        signal,
      )
    },
    close: drop,
  }
}
