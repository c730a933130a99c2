import { randomBytes, randomUUID } from 'node:crypto'
import type { Locale } from '../../model/values/text.ts'
import { findInstance, type Instance } from '../../store/access/instances.ts'
import { type Company, findCompany } from '../../store/connections/companies.ts'
import { createLink, findLinkByToken, type Link } from '../../store/connections/links.ts'
import type { Db } from '../../store/db/database.ts'
import { getOwnerPages, type OwnerPages, type Purpose } from '../../store/owners/owner-pages.ts'
import { getPurpose } from '../branding/owner-pages.ts'
import type { Catalogue, Clock, Store, Vault } from '../context/groups.ts'
import { findService, type Service } from '../sources/catalogue.ts'
import { serviceAsOffered } from '../sources/source-access.ts'
import type { LinkContext } from './context.ts'

/** How long a link may be opened when nobody says otherwise. */
const LINK_LIFE_HOURS = 7 * 24

/** As much was done with a link as may be. */
export class LinkLimitReached extends Error {}

/** A link with all that its pages show. */
export interface OpenLink {
  link: Link
  instance: Instance
  company: Company
  service: Service
  /** How the instance shows itself. */
  pages: OwnerPages
  purpose: Purpose
}

/** What whoever makes a link may say; checked by the caller against the settings of the instance. */
export interface LinkOptions {
  purposeKey?: string | undefined
  language?: Locale | undefined
  lifeHours?: number | undefined
  returnUrl?: string | undefined
}

/** Makes the address to hand to the owner. The token in it is the capability; only its hash is kept. */
export async function issueLink(
  deps: LinkContext,
  request: { instanceId: string; companyId: string; serviceId: string; issuedBy: string },
  options: LinkOptions = {},
): Promise<string> {
  return (await createOwnerLink(deps.database, deps, request, options)).address
}

/** The same within the caller's transaction. A `token` that was derived makes one link, however often it is asked for. */
export async function createOwnerLink(
  db: Db,
  deps: Vault & Catalogue & Clock,
  request: { instanceId: string; companyId: string; serviceId: string; issuedBy: string },
  options: LinkOptions & { token?: string } = {},
): Promise<{ address: string; expiresAt: Date }> {
  const token = options.token ?? randomBytes(32).toString('base64url')
  const lifeHours = options.lifeHours ?? LINK_LIFE_HOURS
  await createLink(db, {
    ...request,
    id: randomUUID(),
    tokenHash: deps.hashToken(token),
    lifeHours,
    purposeKey: options.purposeKey ?? null,
    language: options.language ?? null,
    returnUrl: options.returnUrl ?? null,
  })
  return { address: linkAddress(deps.baseUrl, request, token), expiresAt: new Date(deps.now().getTime() + lifeHours * 3_600_000) }
}

export function linkAddress(baseUrl: string, link: { instanceId: string; companyId: string; serviceId: string }, token: string): string {
  const address = new URL(`${baseUrl}/connect`)
  address.searchParams.set('serviceId', link.serviceId)
  address.searchParams.set('instanceId', link.instanceId)
  address.searchParams.set('accountId', link.companyId)
  address.searchParams.set('token', token)
  return address.href
}

/**
 * What a token opens: `open`, `completed` (used up, for a friendly page) or null for everything else, be it expired, revoked, cut or
 * guessed: nobody learns which.
 */
export async function openLink(
  deps: Store & Vault & Catalogue,
  token: string,
): Promise<(OpenLink & { state: 'open' | 'completed' }) | null> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null
  const link = await findLinkByToken(deps.database, deps.hashToken(token))
  if (!link || (!link.usable && link.completedAt === null)) return null
  const described = await describeLink(deps, link)
  return described && { ...described, state: link.completedAt === null ? 'open' : 'completed' }
}

/** Null when what the link names is gone. */
export async function describeLink(deps: Store & Vault & Catalogue, link: Link): Promise<OpenLink | null> {
  const instance = await findInstance(deps.database, link.instanceId)
  const company = await findCompany(deps.database, link.instanceId, link.companyId)
  const service = await findService(deps.database, deps.sources, link.instanceId, link.serviceId)
  if (!instance || !company || !service) return null
  const pages = await getOwnerPages(deps.database, link.instanceId)
  const purpose = await getPurpose(deps.database, link.instanceId, pages, link.purposeKey)
  return { link, instance, company, service: await serviceAsOffered(deps.database, deps, link.instanceId, service), pages, purpose }
}
