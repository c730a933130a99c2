import { randomBytes, randomUUID } from 'node:crypto'
import { type Company, findCompany } from '../store/companies.ts'
import { findInstance, type Instance } from '../store/instances.ts'
import { createLink, findLinkByToken, type Link } from '../store/links.ts'
import { findService, type Service } from './catalogue.ts'
import type { SyncDeps } from './deps.ts'

/** How long a link may be opened. */
const LINK_LIFE_DAYS = 7

/** A link with all that its pages show. */
export interface OpenLink {
  link: Link
  instance: Instance
  company: Company
  service: Service
}

/** Makes the address to hand to the owner. The token in it is the capability; only its hash is kept. */
export async function issueLink(
  deps: SyncDeps,
  request: { instanceId: string; companyId: string; serviceId: string; issuedBy: string },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await createLink(deps.database, {
    ...request,
    id: randomUUID(),
    tokenHash: deps.hashToken(token),
    lifeDays: LINK_LIFE_DAYS,
  })
  const address = new URL(`${deps.baseUrl}/connect`)
  address.searchParams.set('serviceId', request.serviceId)
  address.searchParams.set('instanceId', request.instanceId)
  address.searchParams.set('accountId', request.companyId)
  address.searchParams.set('token', token)
  return address.href
}

/**
 * What a token opens: `open`, `completed` (used up, for a friendly page) or null for everything else, be it expired, revoked, cut or
 * guessed: nobody learns which.
 */
export async function openLink(deps: SyncDeps, token: string): Promise<(OpenLink & { state: 'open' | 'completed' }) | null> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null
  const link = await findLinkByToken(deps.database, deps.hashToken(token))
  if (!link || (!link.usable && link.completedAt === null)) return null
  const described = await describeLink(deps, link)
  return described && { ...described, state: link.completedAt === null ? 'open' : 'completed' }
}

/** Null when what the link names is gone. */
export async function describeLink(deps: SyncDeps, link: Link): Promise<OpenLink | null> {
  const { database } = deps
  const instance = await findInstance(database, link.instanceId)
  const company = await findCompany(database, link.instanceId, link.companyId)
  const service = await findService(deps, database, link.instanceId, link.serviceId)
  return instance && company && service ? { link, instance, company, service } : null
}
