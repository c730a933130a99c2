import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OHIO, type Style } from '../../../simulators/fdx/data/profiles.ts'
import { createFdxSimulator, type FdxSimulator } from '../../../simulators/fdx/index.ts'
import type { Connector, Kit } from '../../../src/connectors/contract/contract.ts'
import { connectorsWith } from '../../../src/connectors/registry.ts'
import { createKit } from '../../../src/connectors/toolkit/http/kit.ts'
import type { Identity } from '../../../src/egress/connector.ts'
import { createEgress, type Egress } from '../../../src/egress/egress.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { folderForTests } from '../../harness/for-tests.ts'
import { hasOpenssl, makeIdentity } from '../../harness/identities.ts'
import { CALLBACK, redirectStep } from '../../harness/redirect.ts'
import { everyAccount, openBrowser } from './browser.ts'
import { queryOf, run } from './harness.ts'

/** The operator's own profile of a version 4 bank that authenticates by certificate. */
const STYLE: Style = {
  ...OHIO,
  key: 'fdx-erable',
  name: 'Banque de l’Érable',
  version: 4,
  currency: 'CAD',
  client: 'tls_client_auth',
  paths: { accounts: '/fdx/v4/accounts', transactions: '/fdx/v4/accounts/{accountId}/transactions' },
  paging: 'handle',
  isListLight: false,
}

const PROFILE = {
  key: 'fdx-erable',
  name: 'Banque de l’Érable',
  description: { 'en-CA': 'A bank of ours.', 'fr-CA': 'Une banque à nous.' },
  route: 'direct',
  fdxVersion: '4',
  hosts: { issuer: 'https://connexion.erable.example', api: 'https://api.erable.example' },
  authorization: { endpoints: 'discovery', scopes: ['openid', 'offline_access', 'ACCOUNT_BASIC'], client: 'tls_client_auth' },
  accounts: { path: '/fdx/v4/accounts' },
  transactions: { path: '/fdx/v4/accounts/{accountId}/transactions', days: 365, dates: 'instant' },
  paging: { by: 'offset', size: 5 },
  rates: 'fraction',
  currency: 'CAD',
  refreshHours: 12,
}

describe.skipIf(!hasOpenssl)('a version 4 bank that authenticates us by certificate (skipped only where openssl is not installed)', () => {
  let server: Server
  let simulator: FdxSimulator
  let egress: Egress
  let connector: Connector
  let url = ''
  let bankCertificate = ''
  const folder = folderForTests()
  const callers: Record<'ours' | 'stranger', Identity> = {
    ours: { certificate: '', privateKey: '' },
    stranger: { certificate: '', privateKey: '' },
  }

  beforeAll(async () => {
    const own = makeIdentity('bank')
    bankCertificate = own.certificate
    for (const name of ['ours', 'stranger'] as const) callers[name] = makeIdentity(name)
    simulator = createFdxSimulator(STYLE, { baseUrl: () => url, client: { id: 'app', subjectDn: 'CN=ours' } })
    const ca = [callers.ours.certificate, callers.stranger.certificate]
    // The owner's browser has no certificate.
    const options = { key: own.privateKey, cert: own.certificate, ca, requestCert: true, rejectUnauthorized: false }
    server = createServer(options, (request, response) => simulator.handle(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    egress = createEgress({ allowPrivate: true, ca: [own.certificate] })
    mkdirSync(join(folder.path, 'fdx'))
    writeFileSync(join(folder.path, 'fdx', 'fdx-erable.json'), JSON.stringify(PROFILE))
    const description = connectorsWith(folder.path).find(({ key }) => key === 'fdx-erable')
    if (!description) throw new Error('no profile')
    expect(description.appKeys).toEqual(['clientId', 'certificate', 'certificateKey'])
    connector = await description.load()
  })
  afterAll(async () => {
    await egress.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  function kitOf({ certificate, privateKey }: Identity): Kit {
    const app = { clientId: 'app', certificate, certificateKey: privateKey }
    const hosts = { issuer: url, api: url }
    return createKit({ egress, app, hosts, now: () => new Date(), allowPrivate: true })
  }

  async function link(by: Identity) {
    const step = redirectStep({ connector })
    const request = { callbackUrl: CALLBACK, state: 's', locale: 'en', webhookUrl: CALLBACK, companyId: 'c' } as const
    const { url: address, memo = null } = await step.start(kitOf(by), request)
    const dispatcher = new Agent({ connect: { ca: bankCertificate } })
    try {
      const browser = openBrowser(url, dispatcher)
      const consent = await browser.submit(await browser.open(address), 'login', [
        ['username', 'business'],
        ['password', 'sandbox'],
      ])
      const query = queryOf(await browser.submit(consent, 'consent', everyAccount(consent)))
      return await step.complete(kitOf(by), { callbackUrl: CALLBACK, query, memo })
    } finally {
      await dispatcher.close()
    }
  }

  it('is linked, synced and disconnected, and its tokens are useless without the certificate they are bound to', async () => {
    const [grant] = await link(callers.ours)
    if (!grant) throw new Error('no grant')
    const session = { kit: kitOf(callers.ours), credentials: grant.credentials, entityId: grant.entity.id, nextFile: async () => null }
    const accounts = await run({ connector }, session, 'accounts')
    expect([accounts.items.length, accounts.pages]).toEqual([16, 4])
    expect((await run({ connector }, session, 'transactions')).items.length).toBeGreaterThan(80)
    const stolen = { ...session, kit: kitOf(callers.stranger) }
    expect((await failureOf(run({ connector }, stolen, 'accounts'))).kind).toBe('reconnect')
    await connector.disconnect?.(session.kit, grant.credentials)
    expect(simulator.isRevoked('business')).toBe(true)
  })

  it('refuses another certificate, which the operator has to replace', async () => {
    const failure = await failureOf(link(callers.stranger))
    expect([failure.kind, failure.isClientRefused]).toEqual(['unavailable', true])
  })
})
