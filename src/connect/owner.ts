import type { FastifyRequest } from 'fastify'
import { shownName } from '../model/values/names.ts'
import { isUuid } from '../model/values/uuid.ts'
import { acrossInstances, enterInstance } from '../store/db/instance-scope.ts'
import { findOwnedConnection, type OwnedConnection } from '../store/owners/owner-connections.ts'
import { findOwnerZone } from '../store/owners/owner-zones.ts'
import { type OpenOwnerAccess, openOwnerAccess } from '../sync/owner/owner-access.ts'
import { readOwnerToken } from './cookies.ts'
import { isFromOurPage } from './forgery.ts'
import { Problem } from './problem.ts'
import { type ConnectDeps, isSame, isSecure, readText, type Visitor } from './visitor.ts'

/** The owner's own page that is open in this browser. */
export interface OwnerVisit extends OpenOwnerAccess {
  token: string
  /** Names as they may stand in a sentence. */
  asker: string
  business: string
  /** Whose days the receipts of this visit are written in. */
  zone: string
  /** Goes into each form: says whose page it is on and that the form is ours. */
  formToken: string
}

export async function openOwnerVisit(deps: ConnectDeps, visitor: Visitor, token: string): Promise<OwnerVisit | null> {
  const open = await acrossInstances(() => openOwnerAccess(deps, token))
  if (!open) return null
  enterInstance(open.access.instanceId)
  visitor.zone = visitor.browserZone ?? (await findOwnerZone(deps.database, open.access))
  return {
    ...open,
    token,
    zone: visitor.zone,
    asker: shownName(open.pages.publicName || open.instance.name),
    business: shownName(open.company.name),
    formToken: Buffer.from(deps.hashToken(`owner-form/${token}`)).toString('base64url'),
  }
}

/** The page that this browser has open; null when there is none. */
export async function findOwner(deps: ConnectDeps, request: FastifyRequest): Promise<OwnerVisit | null> {
  const owner = await openOwnerVisit(deps, request.visitor, readOwnerToken(request, isSecure(deps)))
  request.visitor.owner = owner
  return owner
}

export async function requireOwner(deps: ConnectDeps, request: FastifyRequest): Promise<OwnerVisit> {
  const owner = await findOwner(deps, request)
  if (!owner) throw new Problem('session')
  return owner
}

/** Forms that did not come from the owner's page in this browser end here. */
export async function requireOwnerPosted(deps: ConnectDeps, request: FastifyRequest): Promise<OwnerVisit> {
  const owner = await requireOwner(deps, request)
  if (!isFromOurPage(request, deps.baseUrl) || !isSame(owner.formToken, readText(request.body, 'form') ?? '')) throw new Problem('forged')
  deps.limits.countChange(owner.access.companyId, deps.now())
  return owner
}

/** The connection that the address names; of another company it looks unknown. */
export async function requireOwned(deps: ConnectDeps, request: FastifyRequest, owner: OwnerVisit): Promise<OwnedConnection> {
  const connectionId = readText(request.query, 'connection') ?? ''
  const { instanceId, companyId } = owner.access
  const found = isUuid(connectionId) && (await findOwnedConnection(deps.database, { instanceId, companyId, connectionId }))
  if (!found) throw new Problem('nowhere')
  return found
}
