import { randomBytes, randomUUID } from 'node:crypto'
import { type Change, recordChange } from '../../audit/record.ts'
import type { Locale } from '../../model/values/text.ts'
import { findInstance, type Instance } from '../../store/access/instances.ts'
import { type Company, findCompany } from '../../store/connections/companies.ts'
import { copyLink, createLink, findLinkByToken, type Link } from '../../store/connections/links.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { deriveToken } from '../../store/keys/token-hash.ts'
import { isSuspended } from '../../store/operators/suspensions.ts'
import { getOwnerPages, type OwnerPages, type Purpose } from '../../store/owners/owner-pages.ts'
import { getPurpose } from '../branding/owner-pages.ts'
import type { Catalogue, Clock, Store, Vault } from '../context/groups.ts'
import { findServiceInterval } from '../schedules/refresh-schedule.ts'
import { findService, type Service } from '../sources/catalogue.ts'
import { serviceAsOffered } from '../sources/source-access.ts'
import type { LinkContext } from './context.ts'
import { InstanceSuspended } from './errors.ts'

/** Default lifetime of a link. */
const LINK_LIFE_HOURS = 7 * 24

/** Thrown when the link has reached its usage limit. */
export class LinkLimitReached extends Error {}

/** Opened link with everything that its pages show. */
export interface OpenLink {
  link: Link
  instance: Instance
  company: Company
  service: Service
  /** Owner page settings of the instance. */
  pages: OwnerPages
  purpose: Purpose
  /** Current interval of automatic refreshes; 0 for none. */
  refreshMinutes: number
}

/** Options of a new link; the caller checks them against the settings of the instance. */
export interface LinkOptions {
  purposeKey?: string | undefined
  language?: Locale | undefined
  lifeHours?: number | undefined
  returnUrl?: string | undefined
}

/** Options of a link, and who requests it. */
export interface LinkRequest {
  instanceId: string
  companyId: string
  serviceId: string
  issuedBy: string
  /** Application of the API key that requests it; omitted for a user. */
  applicationId?: string | null
}

/** Issues a link: returns the URL for the owner. Its token is the capability; only its hash is stored. */
export async function issueLink(deps: LinkContext, request: LinkRequest, options: LinkOptions & { token?: string } = {}): Promise<string> {
  return await inTransaction(deps.database, async (db) => {
    const created = await createOwnerLink(db, deps, request, options)
    await recordLink(db, created)
    return created.address
  })
}

/** Link with what its audit entry shows. */
export interface CreatedLink {
  address: string
  expiresAt: Date
  change: Change
  /** False when its derived token had created it already. */
  isNew: boolean
}

/**
 * The same in the caller's transaction, which ends with `recordLink`. A derived `token` creates one link, however often
 * it is called.
 */
export async function createOwnerLink(
  db: Db,
  deps: Vault & Catalogue & Clock,
  request: LinkRequest,
  options: LinkOptions & { token?: string } = {},
): Promise<CreatedLink> {
  const token = options.token ?? randomBytes(32).toString('base64url')
  const { purposeKey = null, language = null, lifeHours = LINK_LIFE_HOURS, returnUrl = null } = options
  const { applicationId = null } = request
  const link = { ...request, applicationId, id: randomUUID(), lifeHours, purposeKey, language, returnUrl }
  const isNew = await createLink(db, { ...link, tokenHash: deps.hashToken(token) })
  return {
    address: linkAddress(deps.baseUrl, request, token),
    expiresAt: new Date(deps.now().getTime() + lifeHours * 3_600_000),
    change: { instanceId: link.instanceId, action: 'link.created', subject: `link/${link.id}`, after: link },
    isNew,
  }
}

/** Records a new link; last in its transaction. */
export async function recordLink(db: Db, { change, isNew }: CreatedLink, details: { isMailed?: true } = {}): Promise<void> {
  if (isNew) await recordChange(db, { ...change, details })
}

/** Issues a link of the same company with the same options for a service, unless it exists. */
export async function issueCopy(
  database: Database,
  { instanceId, id: modelId, companyId }: Pick<Link, 'instanceId' | 'id' | 'companyId'>,
  { tokenHash, serviceId }: { tokenHash: Uint8Array; serviceId: string },
): Promise<void> {
  const id = randomUUID()
  await inTransaction(database, async (db) => {
    if (!(await copyLink(db, { instanceId, id: modelId }, { id, tokenHash, serviceId }))) return
    await recordChange(db, { instanceId, action: 'link.created', subject: `link/${id}`, after: { companyId, serviceId } })
  })
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
 * Opens a link by its token: `open`, `completed` (for a friendly page), or null for all others: expired, revoked,
 * truncated and guessed tokens are indistinguishable.
 */
export async function openLink(
  deps: Store & Vault & Catalogue,
  token: string,
): Promise<(OpenLink & { state: 'open' | 'completed' }) | null> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null
  const link = await findLink(deps, token)
  if (!link || (!link.usable && link.completedAt === null)) return null
  const described = await describeLink(deps, link)
  return described && { ...described, state: link.completedAt === null ? 'open' : 'completed' }
}

/** Link of a token, whichever of the deployment's keys it was stored under. */
export async function findLink({ database, hashToken }: Store & Vault, token: string): ReturnType<typeof findLinkByToken> {
  return await findLinkByToken(database, hashToken.all(token))
}

/** Token of a link, derived from `text`: the same each time. */
export async function deriveLinkToken(deps: Store & Vault, text: string): Promise<string> {
  return await deriveToken(deps.hashToken, text, async (token) => (await findLink(deps, token)) !== null)
}

/** Null when the company or service no longer exists. Throws `InstanceSuspended`. */
export async function describeLink(deps: Store & Vault & Catalogue, link: Link): Promise<OpenLink | null> {
  const instance = await findInstance(deps.database, link.instanceId)
  if (await isSuspended(deps.database, link.instanceId)) throw new InstanceSuspended()
  const company = await findCompany(deps.database, link.instanceId, link.companyId)
  const service = await findService(deps.database, deps.sources, link.instanceId, link.serviceId)
  if (!instance || !company || !service) return null
  const pages = await getOwnerPages(deps.database, link.instanceId)
  const purpose = await getPurpose(deps.database, link.instanceId, pages, link.purposeKey)
  const { minutes: refreshMinutes } = await findServiceInterval(deps.database, link.instanceId, service)
  return {
    link,
    instance,
    company,
    service: await serviceAsOffered(deps.database, deps, link.instanceId, service),
    pages,
    purpose,
    refreshMinutes,
  }
}
