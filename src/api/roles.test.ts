import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, testApi } from '../../test/harness/test-api.ts'
import type { Role } from '../store/access/users.ts'
import { AccessTokens } from './access/access-tokens.ts'

const ROLES: readonly Role[] = ['admin', 'developer', 'integration', 'viewer']

/** Permissions: review this table whenever a line changes. `adiv` are the roles by first letter, `-` means public. */
const TABLE = `
GET    /audit                                                                 a
POST   /auth/forgotten-password                                               -
POST   /auth/login                                                            -
POST   /auth/logout                                                           adiv
GET    /auth/me                                                               adiv
POST   /auth/new-password                                                     -
POST   /auth/password                                                         adiv
POST   /auth/refresh                                                          -
POST   /auth/two-step                                                         -
POST   /auth/two-step/disable                                                 adiv
POST   /auth/two-step/recovery-codes                                          adiv
GET    /auth/two-step/setup                                                   adiv
POST   /auth/two-step/setup                                                   adiv
POST   /auth/two-step/setup/confirm                                           adiv
GET    /deployment                                                            adiv
GET    /deployment/health                                                     a
POST   /file-feed-host-keys                                                   a
POST   /file-feeds                                                            a
GET    /file-feeds                                                            adiv
DELETE /file-feeds/:feedId                                                    a
PUT    /file-feeds/:feedId                                                    a
GET    /file-feeds/:feedId                                                    adiv
GET    /file-feeds/:feedId/files                                              adiv
POST   /file-feeds/:feedId/look                                               adi
PUT    /instance/owner-pages                                                  a
GET    /instance/owner-pages                                                  adiv
DELETE /instance/owner-pages/logo                                             a
PUT    /instance/owner-pages/logo                                             a
GET    /jobs/dead                                                             a
POST   /jobs/dead/:jobId/redrive                                              a
POST   /jobs/dead/redrive                                                     a
GET    /jobs/queues                                                           a
GET    /livez                                                                 -
PUT    /mail-settings                                                         a
GET    /mail-settings                                                         ad
GET    /mails                                                                 ad
GET    /normalized-data/:companyId/accountancy/accounts/:serviceId            adiv
GET    /normalized-data/:companyId/accountancy/accounts/:serviceId/:accountId/explanation adiv
GET    /normalized-data/:companyId/accountancy/transactions/:serviceId        adiv
GET    /normalized-data/:companyId/accountancy/transactions/:serviceId/:transactionId/explanation adiv
GET    /normalized-data/:companyId/banking/accounts/:serviceId                adiv
GET    /normalized-data/:companyId/banking/accounts/:serviceId/:accountId/explanation adiv
GET    /normalized-data/:companyId/banking/transactions/:serviceId            adiv
GET    /normalized-data/:companyId/banking/transactions/:serviceId/:transactionId/explanation adiv
GET    /normalized-data/companies                                             adiv
DELETE /normalized-data/companies/:companyId                                  adi
PUT    /normalized-data/companies/:companyId                                  adi
GET    /normalized-data/companies/:companyId                                  adiv
POST   /normalized-data/companies/:companyId/owner-page-mail                  adi
POST   /normalized-data/company                                               adi
GET    /normalized-data/company/:companyId                                    adiv
GET    /normalized-data/company/:companyId/consents                           adiv
DELETE /normalized-data/company/:companyId/data-connection/:serviceId         adi
POST   /normalized-data/company/:companyId/data-connection/:serviceId/accept-deletions adi
GET    /normalized-data/company/:companyId/data-connection/:serviceId/consents adiv
GET    /normalized-data/company/:companyId/data-connection/:serviceId/link    adi
POST   /normalized-data/company/:companyId/data-connection/:serviceId/link-mail adi
GET    /normalized-data/company/:companyId/data-connection/:serviceId/quality adiv
POST   /normalized-data/company/:companyId/data-connection/:serviceId/refresh adi
POST   /normalized-data/company/:companyId/data-connection/:serviceId/resume  adi
GET    /normalized-data/company/:companyId/data-connection/:serviceId/runs    adiv
GET    /normalized-data/company/:companyId/data-connection/:serviceId/status  adiv
POST   /normalized-data/company/:companyId/data-connection/:serviceId/suspend adi
GET    /normalized-data/company/:companyId/data-connection/:serviceId/timeline adiv
GET    /normalized-data/company/:companyId/data-connection/statuses           adiv
DELETE /normalized-data/company/:companyId/owner-addresses                    adi
GET    /normalized-data/consents                                              adiv
GET    /normalized-data/data-connection/statuses                              adiv
POST   /normalized-data/institution-requests                                  adi
GET    /normalized-data/institution-requests                                  adiv
PUT    /normalized-data/institution-requests/:requestId                       ad
GET    /normalized-data/receipts                                              adiv
POST   /normalized-data/replays                                               a
GET    /normalized-data/replays/:replayId                                     a
GET    /normalized-data/services                                              adiv
GET    /normalized-data/services/:serviceId/institutions                      adiv
GET    /readyz                                                                -
GET    /sources                                                               a
GET    /sources/:sourceKey                                                    a
PUT    /sources/:sourceKey                                                    a
DELETE /sources/:sourceKey/keys                                               a
PUT    /sources/:sourceKey/keys                                               a
POST   /sources/:sourceKey/keys/test                                          a
GET    /usage                                                                 adiv
GET    /users                                                                 a
POST   /users                                                                 a
DELETE /users/:userId                                                         a
GET    /users/:userId                                                         a
PUT    /users/:userId                                                         a
POST   /users/:userId/invitation                                              a
GET    /webhooks/deliveries                                                   adiv
POST   /webhooks/deliveries/:deliveryId/replay                                ad
GET    /webhooks/events                                                       adiv
GET    /webhooks/events/:eventId                                              adiv
POST   /webhooks/events/:eventId/replay                                       ad
POST   /webhooks/receivers                                                    ad
GET    /webhooks/receivers                                                    adiv
DELETE /webhooks/receivers/:receiverId                                        ad
PUT    /webhooks/receivers/:receiverId                                        ad
GET    /webhooks/receivers/:receiverId                                        adiv
DELETE /webhooks/receivers/:receiverId/requests                               ad
GET    /webhooks/receivers/:receiverId/requests                               adiv
GET    /webhooks/receivers/:receiverId/requests/:requestId                    adiv
GET    /webhooks/subscriptions                                                adiv
DELETE /webhooks/subscriptions/:eventNameOrSubscriptionId                     ad
POST   /webhooks/subscriptions/:eventNameOrSubscriptionId                     ad
PUT    /webhooks/subscriptions/:eventNameOrSubscriptionId                     ad
GET    /webhooks/subscriptions/:eventNameOrSubscriptionId                     adiv
POST   /webhooks/subscriptions/:subscriptionId/enable                         ad
GET    /webhooks/subscriptions/:subscriptionId/replay                         ad
POST   /webhooks/subscriptions/:subscriptionId/replay                         ad
POST   /webhooks/subscriptions/:subscriptionId/secret/promote                 ad
POST   /webhooks/subscriptions/:subscriptionId/secret/retire                  ad
POST   /webhooks/subscriptions/:subscriptionId/secret/revoke                  ad
POST   /webhooks/subscriptions/:subscriptionId/secret/rotate                  ad
GET    /webhooks/subscriptions/:subscriptionId/secrets                        ad
POST   /webhooks/subscriptions/:subscriptionId/test                           ad
`

describe('every route takes exactly the roles of the table', () => {
  let api: TestApi
  let routes: { method: string; url: string; roles: string }[] = []
  const tokens = new Map<Role, string>()
  beforeAll(async () => {
    api = await testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 } })
    await api.app.ready()
    const document = (await api.app.inject({ url: '/admin/api/openapi.json' })).json<{ paths: Record<string, Record<string, Listed>> }>()
    routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        url: path.replace('/admin/api/v1', '').replace(/\{(\w+)\}/g, ':$1'),
        roles: lettersOf(operation),
      })),
    )
    const issuer = new AccessTokens(api.deps.keys.signing, api.deps.settings, api.deps.now)
    for (const role of ROLES) {
      const { id } = await api.addUser({ role })
      tokens.set(role, await issuer.issue({ instanceId: api.instanceId, userId: id, role, sessionId: randomUUID() }))
    }
  })
  afterAll(() => api.close())

  it('as declared', () => {
    const declared = routes.map(({ method, url, roles }) => `${method.padEnd(7)}${url.padEnd(70)} ${roles}`)
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

function byUrl(a: string, b: string): number {
  const [left, right] = [a, b].map((line) => line.slice(7).trim() + line.slice(0, 7))
  return (left ?? '') < (right ?? '') ? -1 : 1
}
