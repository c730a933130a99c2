import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Access } from './access/access.ts'
import { apiKeyRoutes } from './routes/access/api-keys.ts'
import { authRoutes } from './routes/access/auth.ts'
import { groupRoleRoutes } from './routes/access/group-roles.ts'
import { identityProviderRoutes } from './routes/access/identity-provider.ts'
import { mcpAccessRoutes } from './routes/access/mcp-access.ts'
import { memberAccessRoutes } from './routes/access/member-access.ts'
import { passkeyRoutes } from './routes/access/passkeys.ts'
import { passwordResetRoutes } from './routes/access/password-reset.ts'
import { proofRoutes } from './routes/access/proof.ts'
import { provisioningRoutes } from './routes/access/provisioning.ts'
import { sessionRoutes } from './routes/access/sessions.ts'
import { signInRuleRoutes } from './routes/access/sign-in-rules.ts'
import { twoStepRoutes } from './routes/access/two-step.ts'
import { userRoutes } from './routes/access/users.ts'
import { companyRoutes } from './routes/companies/companies.ts'
import { companyAccountRoutes } from './routes/companies/company-accounts.ts'
import { connectionHistoryRoutes } from './routes/companies/connection-history.ts'
import { connectionRoutes } from './routes/companies/connections.ts'
import { consentRoutes } from './routes/companies/consents.ts'
import { mailRoutes } from './routes/companies/mails.ts'
import { ownerPageRoutes } from './routes/companies/owner-pages.ts'
import { receiptRoutes } from './routes/companies/receipts.ts'
import { scheduleRoutes } from './routes/companies/schedules.ts'
import { searchAccountRoutes } from './routes/companies/search-accounts.ts'
import { changeRoutes } from './routes/data/changes.ts'
import { dataRoutes, type ReadParts } from './routes/data/data.ts'
import { explanationRoutes } from './routes/data/explanations.ts'
import { exportDestinationRoutes } from './routes/data/export-destinations.ts'
import { exportRoutes } from './routes/data/exports.ts'
import { qualityRoutes } from './routes/data/quality.ts'
import { replayRoutes } from './routes/data/replays.ts'
import { auditRoutes } from './routes/operations/audit.ts'
import { deadJobRoutes } from './routes/operations/dead-jobs.ts'
import { deploymentRoutes } from './routes/operations/deployment.ts'
import { funnelRoutes } from './routes/operations/funnel.ts'
import { sandboxRoutes } from './routes/operations/sandbox.ts'
import { sandboxMailRoutes } from './routes/operations/sandbox-mails.ts'
import { usageRoutes } from './routes/operations/usage.ts'
import type { RouteDeps } from './routes/route-deps.ts'
import { fileFeedRoutes } from './routes/sources/file-feeds.ts'
import { institutionRoutes } from './routes/sources/institutions.ts'
import { serviceRoutes } from './routes/sources/services.ts'
import { sourceRoutes } from './routes/sources/sources.ts'
import { deliveryRoutes } from './routes/webhooks/deliveries.ts'
import { receiverRoutes } from './routes/webhooks/receivers.ts'
import { secretRoutes } from './routes/webhooks/secrets.ts'
import { subscriptionRoutes } from './routes/webhooks/subscriptions.ts'

/** All route plugins below `/admin/api/v1`, in the order of the reference. */
export function routePlugins(deps: RouteDeps, access: Access, reads: ReadParts): FastifyPluginAsyncTypebox[] {
  return [
    authRoutes(access),
    sessionRoutes(access),
    proofRoutes(access),
    passwordResetRoutes(deps, access),
    identityProviderRoutes(access),
    companyRoutes(deps.database),
    serviceRoutes(deps),
    connectionRoutes(deps),
    connectionHistoryRoutes(deps),
    scheduleRoutes(deps),
    consentRoutes(deps),
    ownerPageRoutes(deps, access),
    receiptRoutes(deps.database),
    companyAccountRoutes(deps),
    searchAccountRoutes(deps),
    qualityRoutes(deps),
    dataRoutes(deps, access, reads),
    changeRoutes(deps),
    explanationRoutes(deps),
    exportRoutes(deps),
    exportDestinationRoutes(deps),
    replayRoutes(deps),
    institutionRoutes(deps),
    fileFeedRoutes(deps),
    sourceRoutes(deps, access),
    subscriptionRoutes(deps),
    secretRoutes(deps),
    deliveryRoutes(deps),
    receiverRoutes(deps),
    deadJobRoutes(deps.database),
    mailRoutes(deps, access),
    deploymentRoutes(deps),
    usageRoutes(deps.database),
    funnelRoutes(deps),
    userRoutes(deps, access),
    groupRoleRoutes(deps, access),
    provisioningRoutes(deps, access),
    memberAccessRoutes(access),
    signInRuleRoutes(access),
    mcpAccessRoutes(deps),
    apiKeyRoutes(deps, access),
    auditRoutes(access),
    twoStepRoutes(access),
    passkeyRoutes(access),
    ...(deps.sandbox ? [sandboxRoutes(deps.sandbox, deps.database)] : []),
    ...(deps.catcher ? [sandboxMailRoutes(deps.database, deps.catcher)] : []),
  ]
}
