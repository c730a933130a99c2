import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { readDocument } from '../../test/harness/test-answers.ts'
import { testApi } from '../../test/harness/test-api.ts'
import { ON_REPLICAS } from '../../test/replicas/routes-on-replicas.ts'
import type { Role } from '../store/access/users.ts'
import { AccessTokens } from './access/access-tokens.ts'
import { SCOPES, type Scope } from './access/keys/scopes.ts'

const ROLES: readonly Role[] = ['admin', 'developer', 'integration', 'viewer']

/**
 * Permissions: review this table whenever a line changes. `adiv` are the roles by first letter, `-` means public; then
 * what an API key needs.
 */
const TABLE = `
GET    /api-keys                                                              a users
POST   /api-keys                                                              a users
DELETE /api-keys/:keyId                                                       a users
GET    /api-keys/:keyId                                                       a users
POST   /api-keys/:keyId/rotate                                                a users
GET    /audit                                                                 a audit:read
GET    /audit/download                                                        a audit:read
POST   /auth/forgotten-password                                               -
POST   /auth/login                                                            -
POST   /auth/logout                                                           adiv users
GET    /auth/me                                                               adiv users
POST   /auth/new-password                                                     -
GET    /auth/passkeys                                                         adiv users
POST   /auth/passkeys                                                         adiv users
DELETE /auth/passkeys/:passkeyId                                              adiv users
GET    /auth/passkeys/:passkeyId                                              adiv users
PUT    /auth/passkeys/:passkeyId                                              adiv users
POST   /auth/passkeys/options                                                 adiv users
POST   /auth/password                                                         adiv users
GET    /auth/proof                                                            adiv users
POST   /auth/proof                                                            adiv users
POST   /auth/proof/passkey                                                    adiv users
POST   /auth/provider                                                         -
POST   /auth/refresh                                                          -
GET    /auth/sessions                                                         adiv users
DELETE /auth/sessions/:sessionId                                              adiv users
GET    /auth/sessions/:sessionId                                              adiv users
POST   /auth/two-step                                                         -
POST   /auth/two-step/disable                                                 adiv users
POST   /auth/two-step/passkey                                                 -
POST   /auth/two-step/recovery-codes                                          adiv users
GET    /auth/two-step/setup                                                   adiv users
POST   /auth/two-step/setup                                                   adiv users
POST   /auth/two-step/setup/confirm                                           adiv users
GET    /deployment                                                            adiv operations:read
POST   /export-destinations                                                   a settings:write
GET    /export-destinations                                                   adiv settings:read
DELETE /export-destinations/:destinationId                                    a settings:write
GET    /export-destinations/:destinationId                                    adiv settings:read
POST   /export-destinations/:destinationId/replicate                          adi data:read
POST   /file-feed-host-keys                                                   a file-feeds:write
POST   /file-feeds                                                            a file-feeds:write
GET    /file-feeds                                                            adiv file-feeds:read
DELETE /file-feeds/:feedId                                                    a file-feeds:write
PUT    /file-feeds/:feedId                                                    a file-feeds:write
GET    /file-feeds/:feedId                                                    adiv file-feeds:read
GET    /file-feeds/:feedId/files                                              adiv file-feeds:read
POST   /file-feeds/:feedId/look                                               adi file-feeds:write
GET    /group-roles                                                           a users
PUT    /group-roles                                                           a users
DELETE /identity-provider                                                     a users
GET    /identity-provider                                                     a users
PUT    /identity-provider                                                     a users
POST   /identity-provider/check                                               a users
GET    /instance/mcp-access                                                   a users
PUT    /instance/mcp-access                                                   a users
PUT    /instance/owner-pages                                                  a settings:write
GET    /instance/owner-pages                                                  adiv settings:read
DELETE /instance/owner-pages/logo                                             a settings:write
PUT    /instance/owner-pages/logo                                             a settings:write
GET    /instance/sign-in-rules                                                a users
PUT    /instance/sign-in-rules                                                a users
GET    /jobs/dead                                                             a operations:read
POST   /jobs/dead/:jobId/redrive                                              a operations:write
POST   /jobs/dead/redrive                                                     a operations:write
GET    /jobs/queues                                                           a operations:read
GET    /livez                                                                 -
PUT    /mail-settings                                                         a settings:write
GET    /mail-settings                                                         ad settings:read
GET    /mails                                                                 ad operations:read
GET    /normalized-data/:companyId/accountancy/accounts/:serviceId            adiv data:read
GET    /normalized-data/:companyId/accountancy/accounts/:serviceId/:accountId/explanation adiv data:read
GET    /normalized-data/:companyId/accountancy/transactions/:serviceId        adiv data:read
GET    /normalized-data/:companyId/accountancy/transactions/:serviceId/:transactionId/explanation adiv data:read
GET    /normalized-data/:companyId/banking/accounts/:serviceId                adiv data:read
GET    /normalized-data/:companyId/banking/accounts/:serviceId/:accountId/explanation adiv data:read
GET    /normalized-data/:companyId/banking/transactions/:serviceId            adiv data:read
GET    /normalized-data/:companyId/banking/transactions/:serviceId/:transactionId/explanation adiv data:read
GET    /normalized-data/accounts                                              adiv data:read
GET    /normalized-data/changes                                               adiv data:read
GET    /normalized-data/companies                                             adiv companies:read
DELETE /normalized-data/companies/:companyId                                  adi companies:write
PUT    /normalized-data/companies/:companyId                                  adi companies:write
GET    /normalized-data/companies/:companyId                                  adiv companies:read
GET    /normalized-data/companies/:companyId/accounts                         adiv data:read
POST   /normalized-data/companies/:companyId/owner-page-mail                  adi links:write
POST   /normalized-data/company                                               adi companies:write
GET    /normalized-data/company/:companyId                                    adiv companies:read
GET    /normalized-data/company/:companyId/consents                           adiv consents:read
DELETE /normalized-data/company/:companyId/data-connection/:serviceId         adi connections:write
POST   /normalized-data/company/:companyId/data-connection/:serviceId/accept-deletions adi connections:write
GET    /normalized-data/company/:companyId/data-connection/:serviceId/consents adiv consents:read
GET    /normalized-data/company/:companyId/data-connection/:serviceId/link    adi links:write
POST   /normalized-data/company/:companyId/data-connection/:serviceId/link-mail adi links:write
GET    /normalized-data/company/:companyId/data-connection/:serviceId/quality adiv data:read
POST   /normalized-data/company/:companyId/data-connection/:serviceId/refresh adi connections:write
POST   /normalized-data/company/:companyId/data-connection/:serviceId/resume  adi connections:write
GET    /normalized-data/company/:companyId/data-connection/:serviceId/runs    adiv connections:read
GET    /normalized-data/company/:companyId/data-connection/:serviceId/runs/:runId adiv connections:read
DELETE /normalized-data/company/:companyId/data-connection/:serviceId/schedule adi connections:write
PUT    /normalized-data/company/:companyId/data-connection/:serviceId/schedule adi connections:write
GET    /normalized-data/company/:companyId/data-connection/:serviceId/schedule adiv connections:read
GET    /normalized-data/company/:companyId/data-connection/:serviceId/status  adiv connections:read
POST   /normalized-data/company/:companyId/data-connection/:serviceId/suspend adi connections:write
GET    /normalized-data/company/:companyId/data-connection/:serviceId/timeline adiv connections:read
GET    /normalized-data/company/:companyId/data-connection/statuses           adiv connections:read
DELETE /normalized-data/company/:companyId/owner-addresses                    adi links:write
GET    /normalized-data/company/:companyId/owner-addresses                    adiv connections:read
GET    /normalized-data/consents                                              adiv consents:read
GET    /normalized-data/data-connection/statuses                              adiv connections:read
POST   /normalized-data/exports                                               adi data:read
GET    /normalized-data/exports                                               adiv data:read
DELETE /normalized-data/exports/:exportId                                     adi data:read
GET    /normalized-data/exports/:exportId                                     adiv data:read
POST   /normalized-data/exports/:exportId/deliver                             adi data:read
GET    /normalized-data/exports/:exportId/file                                adiv data:read
POST   /normalized-data/institution-requests                                  adi links:write
GET    /normalized-data/institution-requests                                  adiv connections:read
PUT    /normalized-data/institution-requests/:requestId                       ad settings:write
GET    /normalized-data/institution-requests/:requestId                       adiv connections:read
GET    /normalized-data/receipts                                              adiv consents:read
POST   /normalized-data/replays                                               a operations:write
GET    /normalized-data/replays/:replayId                                     a operations:read
GET    /normalized-data/services                                              adiv connections:read
GET    /normalized-data/services/:serviceId/institutions                      adiv connections:read
DELETE /normalized-data/services/:serviceId/schedule                          ad connections:write
PUT    /normalized-data/services/:serviceId/schedule                          ad connections:write
GET    /normalized-data/services/:serviceId/schedule                          adiv connections:read
GET    /provisioning                                                          a users
GET    /readyz                                                                -
GET    /sources                                                               a sources:read
GET    /sources/:sourceKey                                                    a sources:read
PUT    /sources/:sourceKey                                                    a sources:write
DELETE /sources/:sourceKey/keys                                               a sources:write
PUT    /sources/:sourceKey/keys                                               a sources:write
POST   /sources/:sourceKey/keys/test                                          a sources:write
GET    /usage                                                                 adiv operations:read
GET    /usage/funnel                                                          adiv operations:read
GET    /usage/quotas                                                          a operations:read
GET    /users                                                                 a users
POST   /users                                                                 a users
DELETE /users/:userId                                                         a users
GET    /users/:userId                                                         a users
PUT    /users/:userId                                                         a users
POST   /users/:userId/invitation                                              a users
DELETE /users/:userId/sessions                                                a users
DELETE /users/:userId/two-step                                                a users
GET    /webhooks/deliveries                                                   adiv webhooks:read
POST   /webhooks/deliveries/:deliveryId/replay                                ad webhooks:write
GET    /webhooks/events                                                       adiv webhooks:read
GET    /webhooks/events/:eventId                                              adiv webhooks:read
POST   /webhooks/events/:eventId/replay                                       ad webhooks:write
POST   /webhooks/receivers                                                    ad webhooks:write
GET    /webhooks/receivers                                                    adiv webhooks:read
DELETE /webhooks/receivers/:receiverId                                        ad webhooks:write
PUT    /webhooks/receivers/:receiverId                                        ad webhooks:write
GET    /webhooks/receivers/:receiverId                                        adiv webhooks:read
DELETE /webhooks/receivers/:receiverId/requests                               ad webhooks:write
GET    /webhooks/receivers/:receiverId/requests                               adiv webhooks:read
GET    /webhooks/receivers/:receiverId/requests/:requestId                    adiv webhooks:read
GET    /webhooks/subscriptions                                                adiv webhooks:read
DELETE /webhooks/subscriptions/:eventNameOrSubscriptionId                     ad webhooks:write
POST   /webhooks/subscriptions/:eventNameOrSubscriptionId                     ad webhooks:write
PUT    /webhooks/subscriptions/:eventNameOrSubscriptionId                     ad webhooks:write
GET    /webhooks/subscriptions/:eventNameOrSubscriptionId                     adiv webhooks:read
POST   /webhooks/subscriptions/:subscriptionId/enable                         ad webhooks:write
GET    /webhooks/subscriptions/:subscriptionId/replay                         ad webhooks:read
POST   /webhooks/subscriptions/:subscriptionId/replay                         ad webhooks:write
POST   /webhooks/subscriptions/:subscriptionId/secret/promote                 ad webhooks:write
POST   /webhooks/subscriptions/:subscriptionId/secret/retire                  ad webhooks:write
POST   /webhooks/subscriptions/:subscriptionId/secret/revoke                  ad webhooks:write
POST   /webhooks/subscriptions/:subscriptionId/secret/rotate                  ad webhooks:write
GET    /webhooks/subscriptions/:subscriptionId/secrets                        ad webhooks:read
POST   /webhooks/subscriptions/:subscriptionId/test                           ad webhooks:write
`

describe('every route takes exactly the roles and the scope of the table', () => {
  const api = openForTests(() => testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } }))
  let routes: { method: string; url: string; roles: string; scope: string }[] = []
  const tokens = new Map<Role, string>()
  beforeAll(async () => {
    await api.app.ready()
    const document = await readDocument(api.app)
    routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        url: path.replace('/admin/api/v1', '').replace(/\{(\w+)\}/g, ':$1'),
        roles: lettersOf(operation),
        scope: scopeOf(operation),
      })),
    )
    const issuer = new AccessTokens(api.deps.keys.signing, api.deps.settings, api.deps.now)
    for (const role of ROLES) {
      const { id } = await api.addUser({ role })
      tokens.set(
        role,
        await issuer.issue({
          instanceId: api.instanceId,
          userId: id,
          role,
          sessionId: randomUUID(),
          provenAtMs: api.deps.now().getTime(),
          lacksTwoStep: false,
        }),
      )
    }
  })

  async function addKey(scopes: Scope[]): Promise<string> {
    const headers = { authorization: `Bearer ${tokens.get('admin')}` }
    const made = await api.app.inject({ method: 'POST', url: '/admin/api/v1/api-keys', payload: { name: 'Test', scopes }, headers })
    return made.json<{ key: string }>().key
  }

  it('as declared', () => {
    const declared = routes.map(({ method, url, roles, scope }) => `${method.padEnd(7)}${url.padEnd(70)} ${roles} ${scope}`.trimEnd())
    expect(declared.toSorted(byUrl).join('\n')).toBe(TABLE.trim())
  })

  it('as answered: a role that may not gets 403 before anything else is looked at, a role that may does not', async () => {
    const wrong: string[] = []
    for (const { method, url, roles } of routes.filter((route) => route.roles !== '-')) {
      for (const role of ROLES) {
        const address = `/admin/api/v1${url.replace(/:\w+/g, () => randomUUID())}`
        const headers = { authorization: `Bearer ${tokens.get(role)}` }
        const { statusCode } = await api.app.inject({ method: method as 'GET', url: address, headers })
        if ((statusCode === 403) === roles.includes(role.charAt(0)) || statusCode === 401 || statusCode >= 500) {
          wrong.push(`${role} ${method} ${url}: ${statusCode}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it('as answered to API keys: 403 before anything else is looked at, unless the key has the scope', async () => {
    const keys: [Scope | 'all', string][] = []
    for (const scope of SCOPES) keys.push([scope, await addKey([scope])])
    keys.push(['all', await addKey([...SCOPES])])
    const wrong: string[] = []
    for (const { method, url, scope } of routes.filter((route) => route.roles !== '-')) {
      for (const [held, key] of keys) {
        const address = `/admin/api/v1${url.replace(/:\w+/g, () => randomUUID())}`
        const { statusCode } = await api.app.inject({ method: method as 'GET', url: address, headers: { authorization: `Bearer ${key}` } })
        const may = scope !== 'users' && (held === 'all' || held === scope)
        if ((statusCode === 403) === may || statusCode === 401 || statusCode >= 500) wrong.push(`${held} ${method} ${url}: ${statusCode}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('so that each scope opens something', () => {
    // That of SCIM opens what is not in this document; see test/scim.
    expect(SCOPES.filter((scope) => !routes.some((route) => route.scope === scope))).toEqual(['scim'])
  })

  it('and those that a replica may answer are on its list', async () => {
    const app = api.another()
    const urls = new Set<string>()
    app.addHook('onRoute', ({ url, config }) => {
      if (config?.replica === true) urls.add(url.replace('/admin/api/v1', ''))
    })
    await app.ready()
    expect([...urls].sort()).toEqual(ON_REPLICAS)
  })

  it('and none without a token', async () => {
    const open: string[] = []
    for (const { method, url } of routes.filter((route) => route.roles !== '-')) {
      const { statusCode } = await api.app.inject({ method: method as 'GET', url: `/admin/api/v1${url.replace(/:\w+/g, 'x')}` })
      if (statusCode !== 401) open.push(`${method} ${url}: ${statusCode}`)
    }
    expect(open).toEqual([])
  })
})

interface Listed {
  description?: string
  security?: unknown[]
}

function lettersOf(operation: Listed): string {
  if (operation.security?.length === 0) return '-'
  const sentence = /Roles: ([a-z, ]+)\./.exec(operation.description ?? '')?.[1] ?? ''
  return sentence
    .split(', ')
    .map((role) => role.charAt(0))
    .join('')
}

function scopeOf({ description = '', security }: Listed): string {
  if (security?.length === 0) return ''
  return description.includes('Not for API keys.') ? 'users' : (/Scope of API keys: `([a-z:-]+)`\./.exec(description)?.[1] ?? 'none')
}

function byUrl(a: string, b: string): number {
  const [left, right] = [a, b].map((line) => line.slice(7).trim() + line.slice(0, 7))
  return (left ?? '') < (right ?? '') ? -1 : 1
}
