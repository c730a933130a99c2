import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTellerSimulator } from '../../../simulators/teller/index.ts'
import { tellerConnector } from '../../../src/connectors/teller/client.ts'
import { createKit } from '../../../src/connectors/toolkit/http/kit.ts'
import type { Identity } from '../../../src/egress/connector.ts'
import { createEgress, type Egress } from '../../../src/egress/egress.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { hasOpenssl, makeIdentity } from '../../harness/identities.ts'

describe.skipIf(!hasOpenssl)('Teller with its client certificate (skipped only where openssl is not installed)', () => {
  let server: Server
  let egress: Egress
  let url = ''
  let own: Identity

  beforeAll(async () => {
    const atServer = makeIdentity('api.teller.io')
    own = makeIdentity('our application')
    const simulator = createTellerSimulator({ baseUrl: () => url, institutionCount: 5, demandsCertificate: true })
    // Teller answers clients without a certificate, so the handshake accepts them.
    const tls = {
      key: atServer.privateKey,
      cert: atServer.certificate,
      ca: [own.certificate],
      requestCert: true,
      rejectUnauthorized: false,
    }
    server = createServer(tls, (request, response) => simulator.handle(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    egress = createEgress({ allowPrivate: true, ca: [atServer.certificate] })
  })
  afterAll(async () => {
    await egress.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const kitOf = (app: Record<string, string>) =>
    createKit({ egress, app, hosts: { api: url, connect: url, site: url }, now: () => new Date(), allowPrivate: true })

  async function directory(app: Record<string, string>) {
    if (!tellerConnector.listInstitutions) throw new Error('Teller has a directory')
    return await tellerConnector.listInstitutions(kitOf(app), null)
  }

  async function tryKeys(app: Record<string, string>) {
    if (!tellerConnector.checkApp) throw new Error('Teller can be asked about its keys')
    await tellerConnector.checkApp(kitOf(app))
  }

  test('is answered', async () => {
    const { certificate, privateKey } = own
    expect((await directory({ applicationId: 'app', certificate, privateKey })).institutions).toHaveLength(5)
    await expect(tryKeys({ applicationId: 'app', certificate, privateKey })).resolves.toBeUndefined()
  })

  test.each([
    ['without one', () => ({})],
    ['with one of somebody else', () => ({ ...makeIdentity('stranger') })],
  ])('%s is refused, and the key is reported to the operator', async (_how, identity: () => Record<string, string>) => {
    const keys = { applicationId: 'app', ...identity() }
    for (const failure of [await failureOf(directory(keys)), await failureOf(tryKeys(keys))]) {
      expect([failure.kind, failure.isClientRefused]).toEqual(['unavailable', true])
      expect(failure.message).not.toContain('BEGIN')
    }
  })
})
