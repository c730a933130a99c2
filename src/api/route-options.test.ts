import type { RouteOptions } from 'fastify'
import { expect, it } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { testApi } from '../../test/harness/test-api.ts'

/**
 * What routes ask beside roles and scopes, and what they leave in the audit: review this table whenever a line changes.
 * `fresh` and `body`: the proof; `setup`: open while a second step has to be set up; `paused`: answered while the
 * deployment is paused; `change`: checked like a POST; a number: bytes of the body; `~`: values that are no part of the
 * ETag; `@`: the step of an operator’s sign-in; `-`: a change without an entry.
 */
const TABLE = `
DELETE /admin/api/v1/api-keys/:keyId fresh api-key.revoked
DELETE /admin/api/v1/auth/passkeys/:passkeyId fresh passkey.removed
DELETE /admin/api/v1/auth/sessions/:sessionId fresh setup paused session.ended
DELETE /admin/api/v1/export-destinations/:destinationId fresh export-destination.deleted
DELETE /admin/api/v1/file-feeds/:feedId fresh file-feed.deleted
DELETE /admin/api/v1/identity-provider fresh identity-provider.removed
DELETE /admin/api/v1/instance/owner-pages/logo ownerPages.logoRemoved
DELETE /admin/api/v1/normalized-data/companies/:companyId company.deleted
DELETE /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId connection.disconnected
DELETE /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/schedule connection.schedule-changed
DELETE /admin/api/v1/normalized-data/company/:companyId/owner-addresses owner-page.addresses-revoked
DELETE /admin/api/v1/normalized-data/exports/:exportId export.deleted
DELETE /admin/api/v1/normalized-data/services/:serviceId/schedule service.schedule-changed
DELETE /admin/api/v1/sources/:sourceKey/keys fresh source-keys.removed
DELETE /admin/api/v1/users/:userId fresh user.deleted
DELETE /admin/api/v1/users/:userId/sessions fresh user.sessions-ended
DELETE /admin/api/v1/users/:userId/two-step fresh user.two-step-reset
DELETE /admin/api/v1/webhooks/receivers/:receiverId fresh receiver.closed
DELETE /admin/api/v1/webhooks/receivers/:receiverId/requests receiver.cleared
DELETE /admin/api/v1/webhooks/subscriptions/:subscriptionId fresh subscription.deleted
DELETE /operator/api/v1/operators/:operatorId @open fresh operator.deleted
DELETE /operator/api/v1/session @any paused operator.signed-out
DELETE /operator/api/v1/sign-in/passkeys/:passkeyId @open fresh operator.passkey-removed
DELETE /scim/v2/Groups/:groupId scim-group.deleted user.changed
DELETE /scim/v2/Users/:userId user.deleted
GET    /admin/api/v1/api-keys/:keyId ~lastUsedOn~state
GET    /admin/api/v1/auth/me setup
GET    /admin/api/v1/auth/passkeys setup
GET    /admin/api/v1/auth/passkeys/:passkeyId setup ~lastUsedOn
GET    /admin/api/v1/auth/proof setup
GET    /admin/api/v1/auth/sessions setup
GET    /admin/api/v1/auth/sessions/:sessionId setup ~lastUsedOn~network~agent
GET    /admin/api/v1/auth/two-step/setup setup
GET    /admin/api/v1/export-destinations/:destinationId ~replication
GET    /admin/api/v1/file-feeds/:feedId ~checkedOn~problem
GET    /admin/api/v1/instance/sign-in-rules ~membersWithoutTwoStep
GET    /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/link change link.created
GET    /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/schedule ~updateScheduledOn
GET    /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/status ~updateScheduledOn~nextReadOn~lastPublishedOn~linkOpenedOn~runs~setAside
GET    /admin/api/v1/normalized-data/exports/:exportId ~state~endedOn~records~bytes~error~delivery
GET    /admin/api/v1/sources/:sourceKey ~connections~connectionsOfOtherApps
GET    /admin/api/v1/webhooks/subscriptions/:subscriptionId ~failingSince
GET    /operator/api/v1/audit @open
GET    /operator/api/v1/deployment/health @open
GET    /operator/api/v1/erasures @open
GET    /operator/api/v1/erasures/:erasureId @open
GET    /operator/api/v1/instances @open
GET    /operator/api/v1/instances/:instanceId @open
GET    /operator/api/v1/instances/:instanceId/export @open fresh change instance.exported
GET    /operator/api/v1/instances/:instanceId/quotas @open ~used~isNear
GET    /operator/api/v1/instances/:instanceId/sign-in @open
GET    /operator/api/v1/operators @open
GET    /operator/api/v1/operators/:operatorId @open
GET    /operator/api/v1/session @any
GET    /operator/api/v1/session/proof @open fresh
GET    /operator/api/v1/sign-in/passkeys @open
GET    /operator/api/v1/sign-in/passkeys/:passkeyId @open ~lastUsedOn
GET    /sign-in/:instanceId/callback paused change login.succeeded login.failed user.created user.changed identity.added session.closed
GET,POST /hooks/:connectorKey 2097152 -
GET,POST /hooks/:connectorKey/:secret 2097152 -
GET,POST /hooks/:connectorKey/instances/:instanceId 2097152 -
GET,POST /hooks/:connectorKey/instances/:instanceId/:secret 2097152 -
PATCH  /scim/v2/Groups/:groupId 1048576 scim-group.changed user.changed
PATCH  /scim/v2/Users/:userId 1048576 user.changed
POST   /admin/api/v1/api-keys fresh api-key.created
POST   /admin/api/v1/api-keys/:keyId/rotate fresh api-key.rotated
POST   /admin/api/v1/auth/forgotten-password 8192 password.forgotten
POST   /admin/api/v1/auth/login paused 8192 login.succeeded login.failed session.closed
POST   /admin/api/v1/auth/logout setup paused session.closed
POST   /admin/api/v1/auth/new-password 8192 password.reset
POST   /admin/api/v1/auth/passkeys fresh setup 32768 passkey.added
POST   /admin/api/v1/auth/passkeys/options fresh setup -
POST   /admin/api/v1/auth/password fresh 8192 password.changed
POST   /admin/api/v1/auth/proof body setup paused 32768 session.proven session.proof-refused passkey.refused
POST   /admin/api/v1/auth/proof/passkey setup paused -
POST   /admin/api/v1/auth/provider paused -
POST   /admin/api/v1/auth/refresh paused 8192 - session.reuse-detected session.ended-by-provider user.changed
POST   /admin/api/v1/auth/two-step paused 32768 login.succeeded login.failed passkey.refused session.closed
POST   /admin/api/v1/auth/two-step/disable body 32768 two-step.disabled passkey.refused
POST   /admin/api/v1/auth/two-step/passkey paused 32768 -
POST   /admin/api/v1/auth/two-step/recovery-codes body 32768 two-step.codes-renewed passkey.refused
POST   /admin/api/v1/auth/two-step/setup fresh setup 32768 two-step.begun
POST   /admin/api/v1/auth/two-step/setup/confirm fresh setup 32768 two-step.enabled
POST   /admin/api/v1/export-destinations fresh export-destination.created
POST   /admin/api/v1/export-destinations/:destinationId/replicate export.replication-requested
POST   /admin/api/v1/file-feed-host-keys -
POST   /admin/api/v1/file-feeds fresh file-feed.created
POST   /admin/api/v1/file-feeds/:feedId/look file-feed.polled
POST   /admin/api/v1/identity-provider/check -
POST   /admin/api/v1/jobs/dead/:jobId/redrive job.redriven
POST   /admin/api/v1/jobs/dead/redrive job.redriven
POST   /admin/api/v1/normalized-data/companies/:companyId/owner-page-mail owner-page.mailed
POST   /admin/api/v1/normalized-data/company company.created
POST   /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/accept-deletions connection.deletions-accepted
POST   /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/link-mail link.created
POST   /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/refresh connection.refresh-requested
POST   /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/resume connection.resumed
POST   /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/suspend connection.suspended
POST   /admin/api/v1/normalized-data/exports export.requested
POST   /admin/api/v1/normalized-data/exports/:exportId/deliver export.delivery-requested
POST   /admin/api/v1/normalized-data/institution-requests institution.requested
POST   /admin/api/v1/normalized-data/replays replay.started
POST   /admin/api/v1/sources/:sourceKey/keys/test source-keys.tested
POST   /admin/api/v1/users fresh user.created user.invited
POST   /admin/api/v1/users/:userId/invitation fresh user.invited
POST   /admin/api/v1/webhooks/deliveries/:deliveryId/replay events.replayed
POST   /admin/api/v1/webhooks/events/:eventId/replay events.replayed
POST   /admin/api/v1/webhooks/receivers fresh receiver.opened
POST   /admin/api/v1/webhooks/subscriptions/:eventName fresh subscription.created
POST   /admin/api/v1/webhooks/subscriptions/:subscriptionId/enable fresh subscription.enabled
POST   /admin/api/v1/webhooks/subscriptions/:subscriptionId/replay events.replayed
POST   /admin/api/v1/webhooks/subscriptions/:subscriptionId/secret/promote fresh webhook-secret.promoted
POST   /admin/api/v1/webhooks/subscriptions/:subscriptionId/secret/retire fresh webhook-secret.retired
POST   /admin/api/v1/webhooks/subscriptions/:subscriptionId/secret/revoke fresh webhook-secret.revoked
POST   /admin/api/v1/webhooks/subscriptions/:subscriptionId/secret/rotate fresh webhook-secret.rotated
POST   /admin/api/v1/webhooks/subscriptions/:subscriptionId/test subscription.tested
POST   /mcp paused mcp.called
POST   /operator/api/v1/instances @open instance.created password.link-issued
POST   /operator/api/v1/instances/:instanceId/allow-passwords @open fresh instance.passwords-allowed
POST   /operator/api/v1/instances/:instanceId/erase @open fresh instance.erasure-requested
POST   /operator/api/v1/instances/:instanceId/resume @open instance.resumed
POST   /operator/api/v1/instances/:instanceId/suspend @open fresh instance.suspended
POST   /operator/api/v1/instances/:instanceId/two-step-resets @open fresh user.two-step-reset
POST   /operator/api/v1/one-time-link @public paused 8192 operator.password-set
POST   /operator/api/v1/operators @open fresh operator.created operator.link-issued
POST   /operator/api/v1/operators/:operatorId/link @open fresh operator.link-issued
POST   /operator/api/v1/session/proof @open body paused 32768 operator.proven operator.refused
POST   /operator/api/v1/session/proof/passkey @open paused -
POST   /operator/api/v1/sign-in @public paused 8192 - operator.refused
POST   /operator/api/v1/sign-in/passkeys @any fresh paused 32768 operator.passkey-added operator.signed-in
POST   /operator/api/v1/sign-in/passkeys/options @any fresh paused -
POST   /operator/api/v1/sign-in/recovery-codes @open body 32768 operator.codes-renewed operator.refused
POST   /operator/api/v1/sign-in/second-step @second paused 32768 operator.signed-in operator.refused
POST   /operator/api/v1/sign-in/second-step/passkey @second paused -
POST   /operator/api/v1/sign-in/two-step @setup paused 8192 operator.two-step-begun
POST   /operator/api/v1/sign-in/two-step/confirm @setup paused 8192 operator.two-step-enabled operator.signed-in
POST   /receiver/:token 1048576 -
POST   /scim/v2/.search -
POST   /scim/v2/Bulk -
POST   /scim/v2/Groups 1048576 scim-group.created user.changed
POST   /scim/v2/Groups/.search 1048576 -
POST   /scim/v2/Users 1048576 user.created
POST   /scim/v2/Users/.search 1048576 -
POST   /sign-in/:instanceId/logout paused 32768 session.ended-by-provider
PUT    /admin/api/v1/auth/passkeys/:passkeyId fresh ~lastUsedOn passkey.renamed
PUT    /admin/api/v1/file-feeds/:feedId fresh file-feed.changed
PUT    /admin/api/v1/group-roles fresh group-roles.changed user.changed
PUT    /admin/api/v1/identity-provider fresh identity-provider.saved
PUT    /admin/api/v1/instance/mcp-access fresh mcp.access-changed
PUT    /admin/api/v1/instance/owner-pages ownerPages.changed
PUT    /admin/api/v1/instance/owner-pages/logo ownerPages.logoChanged file.malware-found
PUT    /admin/api/v1/instance/sign-in-rules fresh sign-in.rules-changed
PUT    /admin/api/v1/mail-settings mail.settings
PUT    /admin/api/v1/normalized-data/companies/:companyId company.changed
PUT    /admin/api/v1/normalized-data/company/:companyId/data-connection/:serviceId/schedule connection.schedule-changed
PUT    /admin/api/v1/normalized-data/institution-requests/:requestId institution.answered
PUT    /admin/api/v1/normalized-data/services/:serviceId/schedule service.schedule-changed
PUT    /admin/api/v1/sources/:sourceKey source.hidden source.shown
PUT    /admin/api/v1/sources/:sourceKey/keys fresh source-keys.saved
PUT    /admin/api/v1/users/:userId fresh user.changed
PUT    /admin/api/v1/webhooks/receivers/:receiverId receiver.changed
PUT    /admin/api/v1/webhooks/subscriptions/:subscriptionId fresh subscription.changed
PUT    /operator/api/v1/instances/:instanceId @open instance.renamed
PUT    /operator/api/v1/instances/:instanceId/quotas @open instance.quotas-changed
PUT    /operator/api/v1/sign-in/passkeys/:passkeyId @open fresh ~lastUsedOn operator.passkey-renamed
PUT    /scim/v2/Groups/:groupId 1048576 scim-group.changed user.changed
PUT    /scim/v2/Users/:userId 1048576 user.changed
`

const api = openForTests(testApi)

function describeRoute({ method, url, bodyLimit, config }: RouteOptions): string {
  const { proof, isTwoStepSetup, isPauseProof, isChange, observed, operator, audit } = config ?? {}
  const asked = [
    ...[operator === undefined ? '' : `@${operator}`, proof ?? '', isTwoStepSetup === true && 'setup', isPauseProof === true && 'paused'],
    ...[isChange === true && 'change', bodyLimit ?? '', observed === undefined ? '' : `~${observed.join('~')}`],
  ]
  return [`${String(method).padEnd(6)} ${url}`, ...asked, ...entriesOf(audit)].filter((part) => part !== '' && part !== false).join(' ')
}

function entriesOf(audit: NonNullable<RouteOptions['config']>['audit']): string[] {
  if (audit === undefined) return []
  if (typeof audit === 'string') return [audit]
  if ('none' in audit) return [audit.none.length > 10 ? '-' : 'UNSAID', ...(audit.except ?? [])]
  return [...audit]
}

it('every route asks for what the table says, and leaves the entries that it names', async () => {
  const lines: string[] = []
  const app = api.another()
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') lines.push(describeRoute(route))
  })
  await app.ready()
  const telling = lines.filter((line) => line.trim().split(/\s+/).length > 2)
  expect(telling.toSorted().join('\n')).toBe(TABLE.trim())
})
