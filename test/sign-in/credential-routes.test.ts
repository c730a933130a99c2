import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Registry } from 'prom-client'
import { beforeAll, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { OwnerRateLimits } from '../../src/connect/http/request-limits.ts'
import { connectPages } from '../../src/connect/pages.ts'
import { openForTests } from '../harness/for-tests.ts'
import { operatorHarness } from '../operator/harness.ts'

const CONTROLS = resolve(import.meta.dirname, '..', '..', 'docs', 'security', 'controls.md')
const API = '/admin/api/v1'
/** Prefixes that take no proof of who asks: pages, documents, logos, public keys and the state of the process. */
const OPEN = ['/admin/api/', '/operator/', '/portal', '/logos/', '/.well-known/', '/livez', '/readyz', '/healthz']
/** Review this list whenever a line changes: everything else that takes one. */
const CREDENTIAL_ROUTES = [
  ...['POST /auth/forgotten-password', 'POST /auth/login', 'POST /auth/new-password', 'POST /auth/provider', 'POST /auth/refresh'],
  ...['POST /auth/two-step', 'POST /auth/two-step/passkey'],
  ...['/connect', '/hooks', '/mcp', '/metrics', '/operator/api/v1', '/receiver', '/scim/v2', '/sign-in'],
]

const api = openForTests(() => operatorHarness())
const routes = new Set<string>()

beforeAll(async () => {
  const app = createApi({ ...api.deps, metrics: new Registry() })
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') routes.add(wayOf(each, url, config?.roles === 'public'))
  })
  app.register(connectPages({ ...api.deps.sync, signing: api.deps.keys.signing, limits: new OwnerRateLimits() }))
  await app.ready()
  await app.close()
  routes.delete('')
})

/** Empty for a route that takes no proof, or only the token of a session or key that another route has given. */
function wayOf(method: string, url: string, isPublic: boolean): string {
  if (url.startsWith(`${API}/`)) return isPublic ? `${method} ${url.slice(API.length)}` : ''
  const route = CREDENTIAL_ROUTES.find((known) => url === known || url.startsWith(`${known}/`))
  if (route !== undefined) return route
  return url === '/' || OPEN.some((prefix) => url.startsWith(prefix)) || url === '/operator' ? '' : url
}

it('are these, and no others', () => {
  expect([...routes].toSorted()).toEqual(CREDENTIAL_ROUTES.toSorted())
})

it('are each in the table of the security rules', () => {
  const [, table = ''] = /^## Ways in\n(.*?)\n## /ms.exec(readFileSync(CONTROLS, 'utf8')) ?? []
  expect(CREDENTIAL_ROUTES.filter((route) => !table.includes(`\`${route}\``))).toEqual([])
})
