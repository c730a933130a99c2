import { Type } from 'typebox'
import { API_KEY_SCOPES } from '../../../src/portal/api/generated/types.ts'
import { until } from '../../process/deadline.ts'
import type { PortalHarness } from './portal-harness.ts'

/**
 * A hostile company name: markup, templates, a change of text direction, another script, and no place to break a line.
 */
export const HOSTILE_NAME =
  `"><script>owned=1;alert(1)</script><img src=x onerror="owned=1">\u202Eesrever \u200B شركة 👩‍👩‍👧 \${7*7} {{7*7}} null ${'W'.repeat(150)}`.slice(
    0,
    200,
  )

/** Pages by name, with their address below `/portal`. */
export type Screens = Record<string, string>

/**
 * Fills the sandbox so that every page has content: good and broken connections, endpoints, deliveries, unusual names.
 */
export async function fillScreens(harness: PortalHarness, receiverUrl: string): Promise<Screens> {
  const { client } = harness
  const hostile = await client.addCompany(HOSTILE_NAME)
  const healthy = await client.addCompany('Atelier Céramique Rosemont')
  const broken = await client.addCompany('Érablière de la Beauce', 'CA')
  await client.subscribe('NormalizedData', receiverUrl)
  const receiver = await openReceiverHere(harness)
  const serviceId = await harness.connectBooks(healthy)
  await harness.connectBooks(broken)
  await breakBooks(harness, broken, serviceId)
  await mailOwners(harness, healthy, serviceId)
  await addMember(harness)
  await addApiKeys(harness)
  await addDestinations(harness)
  const seeded = (await client.companies()).find(({ name }) => name === 'Boulangerie du Plateau')
  const files = await client.service('Bank files')
  if (!seeded) throw new Error('the sandbox has no sample company')
  const bank = `/companies/${seeded.id}/connections/${files.id}`
  const books = `/companies/${healthy}/connections/${serviceId}`
  const endpoint = await firstOf(harness, '/webhooks/subscriptions')
  const account = await firstOf(harness, `/normalized-data/${healthy}/accountancy/accounts/${serviceId}`)
  await until('a delivery', async () => ((await client.ask('/webhooks/deliveries')).total > 0 ? true : null))
  return {
    companies: '/companies',
    company: `/companies/${healthy}`,
    'company-hostile': `/companies/${hostile}`,
    'connection-timeline': books,
    'connection-runs': `${books}?view=runs`,
    'connection-accounts': `${books}?view=accounts`,
    'connection-tree': `${books}?view=tree`,
    'connection-quality': `${books}?view=quality`,
    'connection-consents': `${books}?view=consents`,
    'connection-broken': `/companies/${broken}/connections/${serviceId}`,
    'connection-transactions': `${books}?view=transactions`,
    'bank-balances': `${bank}?view=balances`,
    explanation: `${books}/records/${account}?entity=accounts`,
    inbox: '/inbox',
    webhooks: '/webhooks',
    receiver: `/webhooks/receivers/${receiver.id}`,
    'receiver-request': `/webhooks/receivers/${receiver.id}?request=${receiver.requestId}`,
    endpoint: `/webhooks/${endpoint}`,
    deliveries: '/webhooks/deliveries',
    feed: '/webhooks/feed',
    catalogue: '/catalogue',
    source: '/catalogue/xero',
    exports: '/exports',
    funnel: '/funnel',
    usage: '/usage',
    mail: '/mail',
    health: '/health',
    sandbox: '/sandbox',
    settings: '/owner-pages',
    members: '/members',
    provisioning: '/provisioning',
    'API keys': '/api-keys',
    audit: '/audit',
    account: '/account',
    unknown: '/nowhere',
  }
}

/** A member with a name and address of realistic length. */
async function addMember({ client }: PortalHarness): Promise<void> {
  const email = 'marie-frederique.desrosiers-lachapelle@financement-des-entreprises.example.com'
  const body = { name: 'Marie-Frédérique Desrosiers-Lachapelle', email, role: 'integration', password: 'quiet-orchard-lantern-58' }
  await client.read(Type.Object({ id: Type.String() }), '/users', { method: 'POST', body })
}

/** A key with every scope and the name of a hostile user, and one that was revoked. */
async function addApiKeys({ client }: PortalHarness): Promise<void> {
  const add = (body: object) => client.read(Type.Object({ id: Type.String() }), '/api-keys', { method: 'POST', body })
  await add({ name: HOSTILE_NAME.slice(0, 100), scopes: [...API_KEY_SCOPES], expiresInDays: 90 })
  const { id } = await add({ name: 'Nightly import', scopes: ['data:read'] })
  await client.ask(`/api-keys/${id}`, { method: 'DELETE' })
}

/** A database that cannot be reached, with the name of a hostile user, and an export. */
async function addDestinations({ client }: PortalHarness): Promise<void> {
  const login = {
    host: '127.0.0.1',
    port: 1,
    database: 'warehouse',
    user: 'loader',
    password: 'secret',
    schema: 'countinghouse',
    tls: 'off',
  }
  await client.ask('/export-destinations', { method: 'POST', body: { kind: 'postgres', name: HOSTILE_NAME, ...login } })
  await client.ask('/normalized-data/exports', { method: 'POST', body: { category: 'Banking', entity: 'Accounts', format: 'csv' } })
}

/** One mail that is accepted and one that is refused. */
async function mailOwners({ client }: PortalHarness, companyId: string, serviceId: string): Promise<void> {
  const path = `/normalized-data/company/${companyId}/data-connection/${serviceId}/link-mail`
  await client.ask(path, { method: 'POST', body: { to: 'bounce@example.com', language: 'en' } })
  await client.ask(path, {
    method: 'POST',
    body: { to: 'marie-frederique.desrosiers-lachapelle@erabliere-de-la-beauce.example.com', language: 'fr', note: HOSTILE_NAME },
  })
  await until('the mail is caught', async () => {
    const mails: unknown[] = JSON.parse((await client.ask('/sandbox/mails')).body)
    return mails.length > 0 ? true : null
  })
}

/** A receiver of this deployment, with a request that it received. */
async function openReceiverHere({ client }: PortalHarness): Promise<{ id: string; requestId: string }> {
  const opened = await client.ask('/webhooks/receivers', { method: 'POST', body: { event: 'AccountsChanged' } })
  const { id, subscriptionId }: { id: string; subscriptionId: string } = JSON.parse(opened.body)
  await client.ask(`/webhooks/subscriptions/${subscriptionId}/test`, { method: 'POST' })
  const requestId = await until('a request at the receiver', async () => {
    const [first]: { id: string }[] = JSON.parse((await client.ask(`/webhooks/receivers/${id}/requests`)).body)
    return first?.id ?? null
  })
  return { id, requestId }
}

/** The owner withdraws access at the source; the next sync detects it. */
export async function breakBooks({ client }: PortalHarness, companyId: string, serviceId: string): Promise<void> {
  await client.ask('/sandbox/simulators/quickbooks/faults', { method: 'POST', body: { name: 'revoked', times: 1 } })
  await client.refresh(companyId, serviceId)
  await client.connectionInStatus(companyId, [8])
  await client.ask('/sandbox/simulators/quickbooks/faults', { method: 'DELETE' })
}

async function firstOf({ client }: PortalHarness, path: string): Promise<string> {
  const { body } = await client.ask(path)
  const [, id] = /"id":"([^"]+)"/.exec(body) ?? []
  if (id === undefined) throw new Error(`nothing at ${path}: ${body}`)
  return id
}
