import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { createPlaidSimulator } from '../../../simulators/plaid/index.ts'
import { createQuickbooksSimulator, type QuickbooksSimulator } from '../../../simulators/quickbooks/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import { OwnerRateLimits } from '../../../src/connect/http/request-limits.ts'
import { connectPages } from '../../../src/connect/pages.ts'
import { bankFiles } from '../../../src/connectors/bank-files/index.ts'
import type { ConnectorDescription } from '../../../src/connectors/contract/contract.ts'
import { plaid } from '../../../src/connectors/plaid/index.ts'
import { quickbooks } from '../../../src/connectors/quickbooks/index.ts'
import { createSources } from '../../../src/connectors/sources.ts'
import { createKit } from '../../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'
import type { Keys } from '../../../src/store/keys/keys.ts'
import type { SyncDeps } from '../../../src/sync/context/deps.ts'
import { issueLink } from '../../../src/sync/links/link.ts'
import { syncDirectory } from '../../../src/sync/sources/directory.ts'
import { SILENT, syncDeps } from '../../harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../../harness/app/tenants.ts'
import { testDatabase } from '../../harness/database.ts'
import { testKeys } from '../../harness/keys.ts'
import { sharedLogin } from '../shared-login.ts'
import { formSource } from './form-source.ts'
import { serveWidgetProvider, type WidgetProvider } from './widget-source.ts'

export type SourceKey = 'quickbooks' | 'plaid' | 'bank-files' | 'form-source' | 'shared-login' | 'widget-source'

/** Sources that a harness only has on request. */
export type MoreKey = 'teller' | 'stripe' | 'mx' | 'yodlee'

/** The owner's pages on a real server and database, with the simulators of QuickBooks and Plaid. */
export interface ConnectHarness {
  deps: SyncDeps
  limits: OwnerRateLimits
  /** Address of the server. */
  origin: string
  instanceId: string
  quickbooks: QuickbooksSimulator
  widget: WidgetProvider
  /** Registered routes, e.g. `GET /connect/done`. */
  routes: ReadonlySet<string>
  /** Routes that have returned a page. */
  pages: ReadonlySet<string>
  /** Errors that were logged. */
  faults: Record<string, unknown>[]
  addCompany(name: string, country?: string): Promise<string>
  /** A link for a new company, or for the given one. */
  link(source: SourceKey | MoreKey, companyId?: string): Promise<string>
  /** Removes the source's keys, or restores them. */
  setEnabled(source: SourceKey, isEnabled: boolean): void
  /** Row counts of the tables that pages write to. */
  countRows(): Promise<Record<string, string>>
  close(): Promise<void>
}

/** An additional source, served by its simulator. */
export interface MoreSource {
  description: ConnectorDescription
  app: Record<string, string>
  hosts: Record<string, string>
}

interface ConnectHarnessOptions {
  keys?: Keys
  /** Public address in links; defaults to the server's. */
  publicUrl?: string
  requesterName?: string
  companyName?: string
  more?: readonly MoreSource[]
  limits?: ConstructorParameters<typeof OwnerRateLimits>[0]
  /** Called before the pages are added. */
  prepare?(app: FastifyInstance): void
}

export async function openConnectHarness(options: ConnectHarnessOptions = {}): Promise<ConnectHarness> {
  const { more = [] } = options
  const { database, drop } = await testDatabase()
  const keys = options.keys ?? (await testKeys())
  const egress = createEgress({ allowPrivate: true })
  const books = await serveSimulator(createQuickbooksSimulator)
  const banks = await serveSimulator((given) => createPlaidSimulator({ ...given, institutionCount: 60 }))
  const widget = await serveWidgetProvider()
  const faults: Record<string, unknown>[] = []
  const sources = createSources(
    [quickbooks, plaid, bankFiles, formSource, sharedLogin, widget.source, ...more.map((each) => each.description)],
    {
      settings: {},
      simulators: {
        quickbooks: {
          app: { clientId: 'client', clientSecret: 'secret' },
          hosts: Object.fromEntries(['authorize', 'token', 'revoke', 'api'].map((host) => [host, books.url])),
        },
        plaid: { app: { clientId: 'client', secret: 'secret' }, hosts: { api: banks.url } },
        ...Object.fromEntries(more.map(({ description, app, hosts }) => [description.key, { app, hosts }])),
      },
      createKit: (app, hosts) => createKit({ egress, app, hosts, now: () => new Date(), allowPrivate: true }),
    },
  )
  const app = Fastify({ genReqId: () => randomUUID(), forceCloseConnections: true })
  const log = { ...SILENT, error: (fields: Record<string, unknown>) => void faults.push(fields) }
  const deps = syncDeps({ database, keys, sources, log, baseUrl: options.publicUrl ?? 'http://127.0.0.1' })
  const routes = new Set<string>()
  const pages = new Set<string>()
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.add(`${each} ${url}`)
  })
  app.addHook('onSend', async (request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html') && reply.statusCode < 400)
      pages.add(`${request.method} ${request.routeOptions.url}`)
  })
  const limits = new OwnerRateLimits(options.limits)
  options.prepare?.(app)
  await app.register(connectPages(Object.assign(deps, { signing: keys.signing, limits })))
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  deps.baseUrl = options.publicUrl ?? origin

  const instanceId = await addInstance(database, options.requesterName ?? 'Érable Lending')
  const plaidSource = sources.get('plaid')
  if (plaidSource) await syncDirectory(deps, plaidSource)

  const open = (name: string, country?: string) => addCompany(database, instanceId, country === undefined ? { name } : { name, country })
  return {
    deps,
    limits,
    origin,
    instanceId,
    quickbooks: books.simulator,
    widget,
    routes,
    pages,
    faults,
    addCompany: open,
    link: async (source, companyId) =>
      await issueLink(deps, {
        instanceId,
        companyId: companyId ?? (await open(options.companyName ?? 'Boulangerie du Plateau')),
        serviceId: toServiceId(source),
        issuedBy: 'dev@example.com',
      }),
    setEnabled: (source, isEnabled) => {
      const found = sources.get(source)
      if (found) found.isEnabled = isEnabled
    },
    countRows: async () => {
      const { rows } = await database.query<Record<string, string>>(
        `select (select count(*) from connections) as connections, (select count(*) from connections where entity_id is not null) as linked,
           (select count(*) from authorizations) as authorizations, (select count(*) from source_files) as files,
           (select count(*) from links where completed_at is not null) as used, (select count(*) from institution_requests) as requests`,
      )
      return rows[0] ?? {}
    },
    close: async () => {
      await app.close()
      await Promise.all([books.close(), banks.close(), widget.close(), egress.close()])
      await drop()
    },
  }
}
