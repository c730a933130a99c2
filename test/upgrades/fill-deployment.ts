import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TOTP } from 'otpauth'
import { Type } from 'typebox'
import { Owner } from '../connect/kit/owner.ts'
import { Client, checked } from '../journey/client.ts'
import { connectQuickbooks, finishAtPlaid, uploadStatement } from '../journey/http-walks.ts'
import { openReceiver } from '../journey/receiver.ts'
import { until } from '../process/deadline.ts'
import type { Service } from '../process/service.ts'

/** Login of the first user of a recorded deployment; it protects nothing. */
export const LOGIN = { email: 'avery@lender.example', password: 'harbour-violet-teapot-91' }

const COMPANY = 'Café Müller & Fils'
const DEVELOPER = { email: 'noor@lender.example', name: 'Noor', role: 'developer', password: 'lantern-copper-meadow-37' }
const BAKERY = '4620816365200000101'

const Id = Type.Object({ id: Type.String() })
const Token = Type.Object({ access_token: Type.String() })
const TwoStep = Type.Object({ secret: Type.String() })
const Receiver = Type.Object({ subscriptionId: Type.String() })

/** Uses the product as operators, developers and owners do, until most tables of the sandbox have rows. */
export async function fillDeployment(service: Service, feedsDir: string): Promise<Client> {
  const client = await Client.logIn(service)
  const developers = await openReceiver()
  await client.subscribe('NormalizedData', developers.url)
  const companyId = await client.addCompany(COMPANY)
  await connectAll(service, client, companyId)
  await setUp(client, companyId, feedsDir)
  await addUsers(service, client)
  await until('deliveries', () => (developers.arrivals.length >= 3 ? true : null), 60_000)
  await developers.close()
  return client
}

async function connectAll(service: Service, client: Client, companyId: string): Promise<void> {
  const serviceOf = async (name: string) => (await client.service(name)).id
  const files = await serviceOf('Bank files')
  const quickbooks = await serviceOf('QuickBooks Online')
  await uploadStatement(service.baseUrl, await client.link(companyId, files))
  await connectQuickbooks(service.baseUrl, await client.link(companyId, quickbooks), { realmId: BAKERY })
  await client.connectionInStatus(companyId, [15])
  await client.connectionInStatus(companyId, [19])
  const books = await client.addCompany('Buckeye Roofing', 'US')
  const { owner, back } = await finishAtPlaid(service.baseUrl, await client.link(books, await serviceOf('Plaid')), 'caisse')
  await owner.get(back)
  await client.connectionInStatus(books, [19], 60_000)
  // An unopened link, and an owner who is away at the source.
  await client.link(books, files)
  const away = new Owner(service.baseUrl)
  await away.submit(await away.agree(await client.link(books, quickbooks)))
  await client.refresh(companyId, files)
  await client.refresh(companyId, quickbooks)
}

async function setUp(client: Client, companyId: string, feedsDir: string): Promise<void> {
  const send = async (method: string, path: string, body?: unknown) => {
    const { status, body: text } = await client.ask(path, { method, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return text
  }
  const files = (await client.service('Bank files')).id
  await mkdir(join(feedsDir, 'statements'), { recursive: true })
  await writeFile(join(feedsDir, 'statements', 'unreadable.ofx'), 'no statement at all')
  const feed = { name: 'Branch office', companyId, everyMinutes: 10_080, source: { kind: 'folder', path: 'statements' } }
  const { id: feedId } = checked(Id, 200, await send('POST', '/file-feeds', feed))
  await send('POST', `/file-feeds/${feedId}/look`)
  const opened = await send('POST', '/webhooks/receivers', { event: 'NormalizedData' })
  const { subscriptionId } = checked(Receiver, 200, opened)
  await send('POST', `/webhooks/subscriptions/${subscriptionId}/test`)
  await send('POST', '/normalized-data/replays', { dryRun: true })
  await send('PUT', '/sources/wave', { isHidden: true })
  await send('PUT', '/sources/freshbooks/keys', { keys: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' } })
  await send('PUT', '/mail-settings', { writesToOwners: true })
  await send('POST', `/normalized-data/company/${companyId}/data-connection/${files}/link-mail`, {
    to: 'owner@cafe.example',
    language: 'fr',
  })
  const plaid = (await client.service('Plaid')).id
  await send('POST', '/normalized-data/institution-requests', { serviceId: plaid, name: 'Caisse de Rimouski', country: 'CA' })
}

/** A user with two-step sign-in, and an invited one. */
async function addUsers(service: Service, client: Client): Promise<void> {
  const api = `${service.baseUrl}/admin/api/v1`
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
    const answer = await fetch(`${api}${path}`, init)
    const text = await answer.text()
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${text}`)
    return text
  }
  await client.read(Id, '/users', { method: 'POST', body: DEVELOPER })
  const { email, password } = DEVELOPER
  const { access_token: token } = checked(Token, 200, await post('/auth/login', { email, password }))
  const bearer = { authorization: `Bearer ${token}` }
  await post('/normalized-data/company', { name: 'Once only' }, { ...bearer, 'idempotency-key': randomUUID() })
  const { secret } = checked(TwoStep, 200, await post('/auth/two-step/setup', { password }, bearer))
  await post('/auth/two-step/setup/confirm', { code: new TOTP({ secret }).generate() }, bearer)
  await post('/auth/login', { email, password })
  await client.read(Id, '/users', { method: 'POST', body: { email: 'ida@lender.example', name: 'Ida', role: 'viewer' } })
}
