import { until } from '../process/deadline.ts'
import type { PortalStage } from './stage.ts'

/** What a hostile source or user would name a company: markup, a turn of direction, and no place to break a line. */
export const HOSTILE_NAME = `<script>alert(1)</script>\u202Eesrever ${'W'.repeat(150)}`

/** Every page by a name, with its address below `/portal`. */
export type Sights = Record<string, string>

/** Fills the sandbox with something to see on every page: good and broken connections, endpoints, deliveries, strange names. */
export async function makeSights(stage: PortalStage, receiverUrl: string): Promise<Sights> {
  const { client } = stage
  await client.addCompany(HOSTILE_NAME)
  const healthy = await client.addCompany('Atelier Céramique Rosemont')
  const broken = await client.addCompany('Érablière de la Beauce', 'CA')
  await client.subscribe('NormalizedData', receiverUrl)
  const serviceId = await stage.connectBooks(healthy)
  await stage.connectBooks(broken)
  await breakBooks(stage, broken, serviceId)
  const seeded = (await client.companies()).find(({ name }) => name === 'Boulangerie du Plateau')
  const files = await client.service('Bank files')
  if (!seeded) throw new Error('the sandbox has no sample company')
  const bank = `/companies/${seeded.id}/connections/${files.id}`
  const books = `/companies/${healthy}/connections/${serviceId}`
  const endpoint = await firstOf(stage, '/webhooks/subscriptions')
  const account = await firstOf(stage, `/normalized-data/${healthy}/accountancy/accounts/${serviceId}`)
  await until('a delivery', async () => ((await client.ask('/webhooks/deliveries')).total > 0 ? true : null))
  return {
    companies: '/companies',
    company: `/companies/${healthy}`,
    'connection-timeline': books,
    'connection-runs': `${books}?view=runs`,
    'connection-accounts': `${books}?view=accounts`,
    'connection-tree': `${books}?view=tree`,
    'connection-quality': `${books}?view=quality`,
    'connection-broken': `/companies/${broken}/connections/${serviceId}`,
    'connection-transactions': `${books}?view=transactions`,
    'bank-balances': `${bank}?view=balances`,
    explanation: `${books}/records/${account}?entity=accounts`,
    inbox: '/inbox',
    webhooks: '/webhooks',
    endpoint: `/webhooks/${endpoint}`,
    deliveries: '/webhooks/deliveries',
    feed: '/webhooks/feed',
    catalogue: '/catalogue',
    health: '/health',
    sandbox: '/sandbox',
    members: '/members',
    audit: '/audit',
    account: '/account',
    unknown: '/nowhere',
  }
}

/** The owner withdraws access at the source; the next reading finds out. */
export async function breakBooks({ client }: PortalStage, companyId: string, serviceId: string): Promise<void> {
  await client.ask('/sandbox/simulators/quickbooks/faults', { method: 'POST', body: { name: 'revoked', times: 1 } })
  await client.refresh(companyId, serviceId)
  await client.connectionInStatus(companyId, [8])
  await client.ask('/sandbox/simulators/quickbooks/faults', { method: 'DELETE' })
}

async function firstOf({ client }: PortalStage, path: string): Promise<string> {
  const { body } = await client.ask(path)
  const [, id] = /"id":"([^"]+)"/.exec(body) ?? []
  if (id === undefined) throw new Error(`nothing at ${path}: ${body}`)
  return id
}
