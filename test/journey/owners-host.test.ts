import { describe, expect, it } from 'vitest'
import { Owner } from '../connect/kit/owner.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { findFreePort, startService } from '../process/service.ts'
import { Client } from './client.ts'
import { connectQuickbooks } from './http-walks.ts'

const BOULANGERIE = '4620816365200000101'

describe('owners’ pages with a host name of their own (CONNECT_URL)', () => {
  const folder = folderForTests()
  const site = openForTests(async () => {
    const port = await findFreePort()
    const [base, owners] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
    const service = await startService({ dataDir: folder.path, port, environment: { BASE_URL: base, CONNECT_URL: owners } })
    return { base, owners, service, client: await Client.logIn(service), close: () => service.stop() }
  })
  const ask = async (url: string, init: RequestInit = {}) => {
    const { status, headers } = await fetch(url, { redirect: 'manual', ...init })
    return [status, headers.get('location')]
  }

  it('carry an owner from the link to the data, at that host alone', async () => {
    const { client, owners } = site
    const companyId = await client.addCompany('Boulangerie du Plateau')
    const serviceId = (await client.service('QuickBooks Online')).id
    const link = await client.link(companyId, serviceId)
    expect(new URL(link).origin).toBe(owners)
    const owner = new Owner(owners)
    const last = await connectQuickbooks(owners, link, { realmId: BOULANGERIE }, owner)
    expect(last.status).toBe(200)
    await client.connectionInStatus(companyId, [15, 18, 19])
  })

  it('are all that this host answers', async () => {
    const { client, owners } = site
    const [, token] = client.secrets
    const headers = { authorization: `Bearer ${token}` }
    const paths = [
      '/',
      '/portal/',
      '/operator/',
      '/docs/',
      '/admin/api/openapi.json',
      '/admin/api/v1/normalized-data/companies',
      '/metrics',
      '/sign-in/x',
    ]
    // Twice: a read that is known would be answered before the router.
    const answers = await Promise.all([...paths, ...paths].map(async (path) => (await ask(owners + path, { headers }))[0]))
    expect(new Set(answers)).toEqual(new Set([404]))
    expect(await ask(`${owners}/admin/api/v1/auth/login`, { method: 'POST' })).toEqual([404, null])
    for (const path of ['/healthz', '/.well-known/jwks.json', '/connect/link/versions.json', '/connect/accessibility'])
      expect([path, (await ask(owners + path))[0]]).toEqual([path, 200])
  })

  it('are redirected from the other host, whose links were sent before', async () => {
    const { base, owners } = site
    expect(await ask(`${base}/connect?token=x&lang=fr-CA`)).toEqual([308, `${owners}/connect?token=x&lang=fr-CA`])
    expect(await ask(`${base}/connect/callback/xero?code=c`)).toEqual([308, `${owners}/connect/callback/xero?code=c`])
    expect(await ask(`${base}/connect/callback/xero`, { method: 'POST' })).toEqual([308, `${owners}/connect/callback/xero`])
    expect(await ask(`${base}/connected`)).toEqual([404, null])
    expect((await ask(`${base}/connect/link/versions.json`))[0]).toBe(200)
  })
})
