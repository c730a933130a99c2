import { randomBytes, randomUUID } from 'node:crypto'
import { recordChange } from '../../audit/record.ts'
import type { Locale } from '../../model/values/text.ts'
import { findInstance, type Instance } from '../../store/access/instances.ts'
import { type Company, findCompany } from '../../store/connections/companies.ts'
import type { Link } from '../../store/connections/links.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { deriveToken, type TokenHash } from '../../store/keys/token-hash.ts'
import { isSuspended } from '../../store/operators/suspensions.ts'
import {
  findOwnerAccess,
  isOwnerAccessStored,
  type OwnerAccess,
  revokeOwnerAccesses,
  saveAccessOfLink,
  saveOwnerAccess,
} from '../../store/owners/owner-accesses.ts'
import { getOwnerPages, type OwnerPages } from '../../store/owners/owner-pages.ts'
import type { CompanyScope } from '../../store/records/account-matches.ts'
import type { Catalogue, Store, Vault } from '../context/groups.ts'
import { InstanceSuspended } from '../links/errors.ts'

/** Opened owner page with its company and instance. */
export interface OpenOwnerAccess {
  access: OwnerAccess
  instance: Instance
  company: Company
  /** Owner page settings of the instance. */
  pages: OwnerPages
}

/**
 * Issues a new URL of the company's own page, for the owner alone: its holder may pause, withdraw, delete and download.
 * It is valid while something is connected and 30 days longer, unless revoked. Only its hash is stored.
 */
export async function issueOwnerAccess(
  deps: Store & Vault & Catalogue,
  { instanceId, companyId, language }: CompanyScope & { language: Locale },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await saveOwnerAccess(deps.database, { instanceId, companyId, id: randomUUID(), tokenHash: hashOf(deps.hashToken, token) })
  return toAddress(deps.baseUrl, token, language)
}

/**
 * URL that belongs to a used link: the same one each time, for the holder of the link's token; null once it was
 * revoked, or when those of the company were revoked before anyone asked for this one. Without the deployment's key
 * neither can be derived from the other.
 */
export async function addressOfUsedLink(
  deps: Store & Vault & Catalogue,
  { instanceId, companyId, completedAt }: Pick<Link, 'instanceId' | 'companyId' | 'completedAt'>,
  linkToken: string,
  language: Locale,
): Promise<string | null> {
  if (!completedAt) return null
  const hashesOf = (token: string) => deps.hashToken.all(toHashed(token))
  const isStored = (token: string) => isOwnerAccessStored(deps.database, hashesOf(token))
  const token = await deriveToken(deps.hashToken, `owner-of-link/${linkToken}`, isStored)
  if (!(await isStored(token))) {
    const access = { instanceId, companyId, id: randomUUID(), tokenHash: hashOf(deps.hashToken, token) }
    await inTransaction(deps.database, async (db) => {
      if (!(await saveAccessOfLink(db, access, completedAt))) return
      await recordChange(db, { instanceId, action: 'owner-page.address-issued', subject: `company/${companyId}` })
    })
  }
  return (await findOwnerAccess(deps.database, hashesOf(token))) && toAddress(deps.baseUrl, token, language)
}

/** Null for every invalid token: unknown, revoked, expired or truncated. Throws `InstanceSuspended`. */
export async function openOwnerAccess(db: Db, hashToken: TokenHash, token: string): Promise<OpenOwnerAccess | null> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null
  const access = await findOwnerAccess(db, hashToken.all(toHashed(token)))
  if (!access) return null
  if (await isSuspended(db, access.instanceId)) throw new InstanceSuspended()
  const instance = await findInstance(db, access.instanceId)
  const company = await findCompany(db, access.instanceId, access.companyId)
  const pages = await getOwnerPages(db, access.instanceId)
  return instance && company ? { access, instance, company, pages } : null
}

/** Issues a new URL and revokes all others of the company. */
export async function replaceOwnerAccess(deps: Store & Vault & Catalogue, request: CompanyScope & { language: Locale }): Promise<string> {
  const { instanceId, companyId } = request
  const token = randomBytes(32).toString('base64url')
  await inTransaction(deps.database, async (db) => {
    await revokeOwnerAccesses(db, instanceId, companyId)
    await saveOwnerAccess(db, { instanceId, companyId, id: randomUUID(), tokenHash: hashOf(deps.hashToken, token) })
    await recordChange(db, { instanceId, action: 'owner-page.address-replaced', subject: `company/${companyId}` })
  })
  return toAddress(deps.baseUrl, token, request.language)
}

function hashOf(hashToken: TokenHash, token: string): Uint8Array {
  return hashToken(toHashed(token))
}

function toHashed(token: string): string {
  return `owner-access/${token}`
}

/** NOTE the parameter's name is one that the log redacts. */
function toAddress(baseUrl: string, token: string, language: Locale): string {
  return `${baseUrl}/connect/yours?${new URLSearchParams({ token, lang: language })}`
}
