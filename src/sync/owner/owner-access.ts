import { randomBytes, randomUUID } from 'node:crypto'
import type { Locale } from '../../model/values/text.ts'
import { findInstance, type Instance } from '../../store/access/instances.ts'
import { type Company, findCompany } from '../../store/connections/companies.ts'
import type { Link } from '../../store/connections/links.ts'
import type { Db } from '../../store/db/database.ts'
import { inTransaction } from '../../store/db/database.ts'
import {
  findOwnerAccess,
  type OwnerAccess,
  revokeOwnerAccesses,
  saveAccessOfLink,
  saveOwnerAccess,
} from '../../store/owners/owner-accesses.ts'
import { getOwnerPages, type OwnerPages } from '../../store/owners/owner-pages.ts'
import type { Catalogue, Store, TokenHash, Vault } from '../context/groups.ts'

interface CompanyKey {
  instanceId: string
  companyId: string
}

/** An owner's own page with all that it shows of whose it is. */
export interface OpenOwnerAccess {
  access: OwnerAccess
  instance: Instance
  company: Company
  /** How the instance shows itself. */
  pages: OwnerPages
}

/**
 * A new address of the company's own page, for the owner alone: whoever has it may pause, withdraw, delete and download. It works while
 * something is connected and 30 days longer, and until it is revoked. Only its hash is kept.
 */
export async function issueOwnerAccess(
  deps: Store & Vault & Catalogue,
  { instanceId, companyId, language }: CompanyKey & { language: Locale },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await saveOwnerAccess(deps.database, { instanceId, companyId, id: randomUUID(), tokenHash: hashOf(deps.hashToken, token) })
  return toAddress(deps.baseUrl, token, language)
}

/**
 * The address that belongs to a used link: the same one each time, for whoever still has the link's token; null once it was revoked, or those
 * of the company were before anybody asked for this one. It cannot be told from the link without the deployment's key, nor the link from it.
 */
export async function addressOfUsedLink(
  deps: Store & Vault & Catalogue,
  { instanceId, companyId, completedAt }: Pick<Link, 'instanceId' | 'companyId' | 'completedAt'>,
  linkToken: string,
  language: Locale,
): Promise<string | null> {
  if (!completedAt) return null
  const token = Buffer.from(deps.hashToken(`owner-of-link/${linkToken}`)).toString('base64url')
  const tokenHash = hashOf(deps.hashToken, token)
  await saveAccessOfLink(deps.database, { instanceId, companyId, id: randomUUID(), tokenHash }, completedAt)
  return (await findOwnerAccess(deps.database, tokenHash)) && toAddress(deps.baseUrl, token, language)
}

/** Null for whatever does not open, be it unknown, revoked, past its time or cut. */
export async function openOwnerAccess(db: Db, hashToken: TokenHash, token: string): Promise<OpenOwnerAccess | null> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return null
  const access = await findOwnerAccess(db, hashOf(hashToken, token))
  if (!access) return null
  const instance = await findInstance(db, access.instanceId)
  const company = await findCompany(db, access.instanceId, access.companyId)
  const pages = await getOwnerPages(db, access.instanceId)
  return instance && company ? { access, instance, company, pages } : null
}

/** Makes a new address and lets no other of the company open any more. */
export async function replaceOwnerAccess(deps: Store & Vault & Catalogue, request: CompanyKey & { language: Locale }): Promise<string> {
  const { instanceId, companyId } = request
  const token = randomBytes(32).toString('base64url')
  await inTransaction(deps.database, async (db) => {
    await revokeOwnerAccesses(db, instanceId, companyId)
    await saveOwnerAccess(db, { instanceId, companyId, id: randomUUID(), tokenHash: hashOf(deps.hashToken, token) })
  })
  return toAddress(deps.baseUrl, token, request.language)
}

function hashOf(hashToken: TokenHash, token: string): Uint8Array {
  return hashToken(`owner-access/${token}`)
}

/** NOTE the parameter's name is one that the log hides. */
function toAddress(baseUrl: string, token: string, language: Locale): string {
  return `${baseUrl}/connect/yours?${new URLSearchParams({ token, lang: language })}`
}
