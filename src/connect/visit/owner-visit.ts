import type { FastifyRequest } from 'fastify'
import { identifyVisitor } from '../../audit/actor.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import { isUuid } from '../../model/values/uuid.ts'
import type { Db } from '../../store/db/database.ts'
import { acrossInstances, enterInstance } from '../../store/db/instance-scope.ts'
import type { TokenHash } from '../../store/keys/token-hash.ts'
import { findOwnedConnection, type OwnedConnection } from '../../store/owners/owner-connections.ts'
import { findOwnerTimeZone } from '../../store/owners/owner-time-zones.ts'
import type { Catalogue, Store, Vault } from '../../sync/context/groups.ts'
import { openOwnerAccess } from '../../sync/owner/owner-access.ts'
import { readOwnerToken } from '../http/cookies.ts'
import { isSameOriginRequest } from '../http/csrf.ts'
import { Problem } from '../http/problem.ts'
import type { VisitContext } from './context.ts'
import { formTokenOf, isFormTokenOf, isSecure, type OwnerVisit, readText, type Visitor } from './visitor.ts'

/** Opens the owner page of a token, entering its instance scope; null when there is none. */
export async function enterOwnerVisit(db: Db, hashToken: TokenHash, visitor: Visitor, token: string): Promise<OwnerVisit | null> {
  const open = await acrossInstances(() => openOwnerAccess(db, hashToken, token))
  if (!open) return null
  enterInstance(open.access.instanceId)
  identifyVisitor('owner', open.access.companyId)
  visitor.zone = visitor.browserZone ?? (await findOwnerTimeZone(db, open.access))
  return {
    ...open,
    token,
    zone: visitor.zone,
    requester: safeDisplayName(open.pages.publicName || open.instance.name),
    business: safeDisplayName(open.company.name),
    formToken: formTokenOf(hashToken, `owner-form/${token}`),
  }
}

/** Enters the owner page open in this browser; null when there is none. */
export async function enterOwnerVisitByCookie(deps: Store & Vault & Catalogue, request: FastifyRequest): Promise<OwnerVisit | null> {
  const owner = await enterOwnerVisit(deps.database, deps.hashToken, request.visitor, readOwnerToken(request, isSecure(deps.baseUrl)))
  request.visitor.owner = owner
  return owner
}

/** Enters the owner page open in this browser, and its instance scope; throws when there is none. */
export async function requireOwner(deps: Store & Vault & Catalogue, request: FastifyRequest): Promise<OwnerVisit> {
  const owner = await enterOwnerVisitByCookie(deps, request)
  if (!owner) throw new Problem('session')
  return owner
}

/**
 * Enters the owner page of a posted form, and its instance scope; throws for forms that did not come from it in this
 * browser.
 */
export async function requirePostedOwner(deps: VisitContext, request: FastifyRequest): Promise<OwnerVisit> {
  const owner = await requireOwner(deps, request)
  if (
    !isSameOriginRequest(request, deps.baseUrl) ||
    !isFormTokenOf(deps.hashToken, `owner-form/${owner.token}`, readText(request.body, 'form') ?? '')
  )
    throw new Problem('forged')
  deps.limits.countChange(owner.access.companyId, deps.now())
  return owner
}

/** The connection in the path; one of another company looks unknown. */
export async function requireOwnedConnection(db: Db, request: FastifyRequest, owner: OwnerVisit): Promise<OwnedConnection> {
  const connectionId = readText(request.query, 'connection') ?? ''
  const { instanceId, companyId } = owner.access
  const found = isUuid(connectionId) && (await findOwnedConnection(db, { instanceId, companyId, connectionId }))
  if (!found) throw new Problem('nowhere')
  return found
}
