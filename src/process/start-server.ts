import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { ServerTls } from '../api/context/server-tls.ts'
import type { ApiSettings } from '../api/context/settings.ts'
import { liftBodyDeadline } from '../api/http/body-deadline.ts'
import { createPageCache } from '../api/read-cache/create-page-cache.ts'
import { referenceOf } from '../api/reference/reference-of.ts'
import { portalRoutes } from '../api/routes/portal.ts'
import type { SandboxControls } from '../api/routes/sandbox-controls.ts'
import { createApi } from '../api/server.ts'
import { OwnerRateLimits } from '../connect/http/request-limits.ts'
import { connectPages } from '../connect/pages.ts'
import { documentationRoutes } from '../documentation/routes.ts'
import type { Egress } from '../egress/egress.ts'
import type { PauseState } from '../jobs/pause-watch.ts'
import type { Keys } from '../store/keys/keys.ts'
import type { SyncDeps } from '../sync/context/deps.ts'
import type { BuiltFiles } from './built/built-files.ts'
import { openDocumentationFiles } from './built/documentation-files.ts'
import { openPortalFiles } from './built/portal-files.ts'
import type { Logger } from './log.ts'
import { forgetLogin } from './login-file.ts'
import type { Config } from './settings/config.ts'
import type { StartedMail } from './start-mail.ts'
import { fitConnections, readFileLimit } from './system/open-files.ts'

/** Size limit of the page cache. */
const PAGE_CACHE_BYTES = 64 * 1024 * 1024

function limitToFiles(wanted: number, log: Logger): number {
  const fileLimit = readFileLimit()
  const maxConnections = fitConnections(wanted, fileLimit)
  if (maxConnections < wanted)
    log.warn({ fileLimit, maxConnections }, 'MAX_CONNECTIONS is lowered: the process may not open so many files (ulimit -n)')
  return maxConnections
}

/** HTTP server with all routes, ready to listen, and the built files of its pages. */
export async function openServer(
  config: Config,
  parts: {
    sync: SyncDeps
    keys: Keys
    settings: ApiSettings
    egress: Egress
    log: Logger
    metrics: Registry
    pause: PauseState
    sandbox: SandboxControls | undefined
    mail: StartedMail
    tls: ServerTls | null
  },
  closers: (() => Promise<unknown>)[],
): Promise<{ app: FastifyInstance; pages: readonly BuiltFiles[] }> {
  const { sync, keys, log, metrics, pause, sandbox, mail, tls } = parts
  const settings = { ...parts.settings, maxConnections: limitToFiles(parts.settings.maxConnections, log) }
  const portal = openPortalFiles(log)
  const documentation = openDocumentationFiles(log)
  closers.push(() => portal.close())
  closers.push(() => documentation.close())
  const app = createApi({
    database: sync.database,
    replicas: sync.replicas,
    keys,
    sealer: sync.sealer,
    log,
    metrics,
    settings,
    providers: { egress: parts.egress, allowPrivate: config.allowPrivateAddresses },
    now: sync.now,
    pause,
    sync,
    tls,
    pageCache: createPageCache(sync.database, { maxBytes: PAGE_CACHE_BYTES }),
    webhooks: {
      database: sync.database,
      sealer: sync.sealer,
      callbackRules: { allowPrivate: config.allowPrivateAddresses, ownHost: new URL(config.baseUrl).host },
    },
    ...(config.environment === 'sandbox' ? { onSignedIn: (email: string) => forgetLogin(config.dataDir, email) } : {}),
    ...(sandbox ? { sandbox } : {}),
    ...(mail.catcher ? { catcher: mail.catcher } : {}),
  })
  closers.push(() => app.close())
  const owners = new OwnerRateLimits({ uploads: { onAdmitted: liftBodyDeadline } })
  app.register(connectPages({ ...sync, pause, signing: keys.signing, limits: owners }))
  app.register(portalRoutes(portal.folder))
  app.register(documentationRoutes({ folder: documentation.folder, baseUrl: config.baseUrl, reference: () => referenceOf(app) }))
  await app.ready()
  return { app, pages: [portal, documentation] }
}
