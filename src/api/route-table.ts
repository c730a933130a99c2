import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Access } from './access/access.ts'
import type { HouseDeps } from './house-deps.ts'
import type { KnownReads } from './known-reads.ts'
import { auditRoutes } from './routes/audit.ts'
import { authRoutes } from './routes/auth.ts'
import { companyRoutes } from './routes/companies.ts'
import { connectionHistoryRoutes } from './routes/connection-history.ts'
import { connectionRoutes } from './routes/connections.ts'
import { dataRoutes } from './routes/data.ts'
import { deadJobRoutes } from './routes/dead-jobs.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { deploymentRoutes } from './routes/deployment.ts'
import { explanationRoutes } from './routes/explanations.ts'
import { fileFeedRoutes } from './routes/file-feeds.ts'
import { institutionRoutes } from './routes/institutions.ts'
import { qualityRoutes } from './routes/quality.ts'
import { replayRoutes } from './routes/replays.ts'
import { sandboxRoutes } from './routes/sandbox.ts'
import { serviceRoutes } from './routes/services.ts'
import { subscriptionRoutes } from './routes/subscriptions.ts'
import { twoStepRoutes } from './routes/two-step.ts'
import { userRoutes } from './routes/users.ts'

/** Every subject of the API below `/admin/api/v1`, in the order of the reference. */
export function routePlugins(deps: HouseDeps, access: Access, reads: KnownReads): FastifyPluginAsyncTypebox[] {
  return [
    authRoutes(access),
    companyRoutes(deps),
    serviceRoutes(deps),
    connectionRoutes(deps),
    connectionHistoryRoutes(deps),
    qualityRoutes(deps),
    dataRoutes(deps, reads),
    explanationRoutes(deps),
    replayRoutes(deps),
    institutionRoutes(deps),
    fileFeedRoutes(deps),
    subscriptionRoutes(deps),
    deliveryRoutes(deps),
    deadJobRoutes(deps),
    deploymentRoutes(deps),
    userRoutes(access),
    auditRoutes(access),
    twoStepRoutes(access),
    ...(deps.sandbox ? [sandboxRoutes(deps.sandbox)] : []),
  ]
}
