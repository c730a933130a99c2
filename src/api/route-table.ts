import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Access } from './access/access.ts'
import type { HouseDeps } from './house-deps.ts'
import type { KnownReads } from './known-reads.ts'
import { auditRoutes } from './routes/audit.ts'
import { authRoutes } from './routes/auth.ts'
import { companyRoutes } from './routes/companies.ts'
import { connectionHistoryRoutes } from './routes/connection-history.ts'
import { connectionRoutes } from './routes/connections.ts'
import { consentRoutes } from './routes/consents.ts'
import { dataRoutes } from './routes/data.ts'
import { deadJobRoutes } from './routes/dead-jobs.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { deploymentRoutes } from './routes/deployment.ts'
import { deploymentHealthRoutes } from './routes/deployment-health.ts'
import { explanationRoutes } from './routes/explanations.ts'
import { fileFeedRoutes } from './routes/file-feeds.ts'
import { institutionRoutes } from './routes/institutions.ts'
import { mailRoutes } from './routes/mails.ts'
import { ownerPageRoutes } from './routes/owner-pages.ts'
import { passwordResetRoutes } from './routes/password-reset.ts'
import { qualityRoutes } from './routes/quality.ts'
import { receiptRoutes } from './routes/receipts.ts'
import { receiverRoutes } from './routes/receivers.ts'
import { replayRoutes } from './routes/replays.ts'
import { sandboxRoutes } from './routes/sandbox.ts'
import { sandboxMailRoutes } from './routes/sandbox-mails.ts'
import { serviceRoutes } from './routes/services.ts'
import { sourceRoutes } from './routes/sources.ts'
import { subscriptionRoutes } from './routes/subscriptions.ts'
import { twoStepRoutes } from './routes/two-step.ts'
import { usageRoutes } from './routes/usage.ts'
import { userRoutes } from './routes/users.ts'
import type { UsageCounter } from './usage.ts'

/** What some routes have of the server beside what all have. */
interface RoutesParts {
  reads: KnownReads
  usage: UsageCounter
}

/** Every subject of the API below `/admin/api/v1`, in the order of the reference. */
export function routePlugins(deps: HouseDeps, access: Access, { reads, usage }: RoutesParts): FastifyPluginAsyncTypebox[] {
  return [
    authRoutes(access),
    passwordResetRoutes(deps, access),
    companyRoutes(deps),
    serviceRoutes(deps),
    connectionRoutes(deps),
    connectionHistoryRoutes(deps),
    consentRoutes(deps),
    ownerPageRoutes(deps, access),
    receiptRoutes(deps),
    qualityRoutes(deps),
    dataRoutes(deps, reads, usage),
    explanationRoutes(deps),
    replayRoutes(deps),
    institutionRoutes(deps),
    fileFeedRoutes(deps),
    sourceRoutes(deps, access),
    subscriptionRoutes(deps),
    deliveryRoutes(deps),
    receiverRoutes(deps),
    deadJobRoutes(deps),
    mailRoutes(deps, access),
    deploymentRoutes(deps),
    usageRoutes(deps),
    deploymentHealthRoutes(deps),
    userRoutes(deps, access),
    auditRoutes(access),
    twoStepRoutes(access),
    ...(deps.sandbox ? [sandboxRoutes(deps.sandbox, deps)] : []),
    ...(deps.catcher ? [sandboxMailRoutes(deps, deps.catcher)] : []),
  ]
}
