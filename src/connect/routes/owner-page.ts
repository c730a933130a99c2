import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditRule } from '../../audit/rule.ts'
import type { OwnedConnection } from '../../store/owners/owner-connections.ts'
import { ActionNotAllowed } from '../../sync/connection/connection-actions.ts'
import type { Catalogue, Store, Vault } from '../../sync/context/groups.ts'
import type { LinkContext } from '../../sync/links/context.ts'
import { renewalLink } from '../../sync/links/renewal-link.ts'
import type { OwnerContext } from '../../sync/owner/context.ts'
import { replaceOwnerAccess } from '../../sync/owner/owner-access.ts'
import { continueByOwner, deleteByOwner, pauseByOwner, type SignReceipt, withdraw } from '../../sync/owner/owner-actions.ts'
import { writeOwnerToken } from '../http/cookies.ts'
import { Problem } from '../http/problem.ts'
import { OWNER_FILES, openOwnerFile } from '../owner/owner-files.ts'
import { signReceipt } from '../owner/receipts.ts'
import { confirmPage, downloadPage, newAddressPage, OWNER_ACTIONS, type OwnerAction } from '../views/owner-confirm.ts'
import { OWNER_PAGE_PATH, ownerPage } from '../views/owner-page.ts'
import { type Sender, sendPage } from '../views/page.ts'
import type { Signing } from '../visit/context.ts'
import { enterOwnerVisit, requireOwnedConnection, requireOwner, requirePostedOwner } from '../visit/owner-visit.ts'
import { isSecure, type OwnerVisit, readText, type Visitor } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'
import { listOwnedViews, toOwnedName } from './owner-views.ts'

const AUDITED = {
  pause: 'connection.suspended',
  continue: 'connection.resumed',
  renew: 'link.created',
  withdraw: 'consent.withdrawn',
  delete: 'connection.data-deleted',
} as const satisfies Record<OwnerAction, AuditRule>

/** Owner page: what is shared, and the actions on it. */
export function addOwnerPageRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  // As with a link, the token in the URL becomes a cookie and a clean URL; an invalid one gets the response of an
  // invalid link.
  app.get('/yours', async (request, reply) => {
    const token = readText(request.query, 'token')
    if (token !== undefined) return await openOwnerPage(deps, request.visitor, reply, token)
    const owner = await requireOwner(deps, request)
    const views = await listOwnedViews(deps, request.visitor, owner, request.query)
    const address = `${OWNER_PAGE_PATH}?token=${owner.token}`
    const isNewAddress = readText(request.query, 'address') === 'new'
    return sendPage(reply, sender, request.visitor, ownerPage(request.visitor, owner, { ...views, address, isNewAddress }))
  })

  for (const action of OWNER_ACTIONS) {
    app.get(`/yours/${action}`, async (request, reply) => {
      const owner = await requireOwner(deps, request)
      const connection = await requireOwnedConnection(deps.database, request, owner)
      if (connection.endedAt && !(action === 'delete' && connection.eraseAt)) return reply.redirect(OWNER_PAGE_PATH, 303)
      const named = await toOwnedName(deps.database, deps.sources, request.visitor.locale, connection)
      return sendPage(reply, sender, request.visitor, confirmPage(request.visitor, owner, connection, named, action))
    })

    app.post(`/yours/${action}`, { config: { audit: AUDITED[action] } }, async (request, reply) => {
      const owner = await requirePostedOwner(deps, request)
      const connection = await requireOwnedConnection(deps.database, request, owner)
      return reply.redirect(await performAction(deps, request, owner, connection, action), 303)
    })
  }

  app.get('/yours/address', async (request, reply) => {
    const owner = await requireOwner(deps, request)
    return sendPage(reply, sender, request.visitor, newAddressPage(request.visitor, owner))
  })

  app.post('/yours/address', { config: { audit: 'owner-page.address-replaced' } }, async (request, reply) => {
    const owner = await requirePostedOwner(deps, request)
    const address = await replaceOwnerAccess(deps, { ...owner.access, language: request.visitor.locale })
    writeOwnerToken(reply, new URL(address).searchParams.get('token') ?? '', isSecure(deps.baseUrl))
    return reply.redirect(`${OWNER_PAGE_PATH}?address=new`, 303)
  })

  app.get('/yours/download', async (request, reply) => {
    const owner = await requireOwner(deps, request)
    const connection = await requireOwnedConnection(deps.database, request, owner)
    const { name } = await toOwnedName(deps.database, deps.sources, request.visitor.locale, connection)
    return sendPage(reply, sender, request.visitor, downloadPage(request.visitor, connection, name))
  })

  for (const file of OWNER_FILES) {
    app.get(`/yours/files/${file}`, async (request, reply) => {
      const owner = await requireOwner(deps, request)
      const connection = await requireOwnedConnection(deps.database, request, owner)
      if (connection.endedAt && !connection.eraseAt) throw new Problem('nowhere')
      const { name } = await toOwnedName(deps.database, deps.sources, request.visitor.locale, connection)
      const { type, stream } = openOwnerFile(deps.database, owner, connection, name, file)
      return reply.headers(fileHeaders(file)).type(type).send(stream)
    })
  }
}

/** Headers of a download that the browser stores and never displays. */
export function fileHeaders(name: string): Record<string, string> {
  return {
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}

async function openOwnerPage(deps: Store & Vault & Catalogue, visitor: Visitor, reply: FastifyReply, token: string): Promise<FastifyReply> {
  if (!(await enterOwnerVisit(deps.database, deps.hashToken, visitor, token))) throw new Problem('link')
  writeOwnerToken(reply, token, isSecure(deps.baseUrl))
  return reply.redirect(OWNER_PAGE_PATH, 303)
}

/**
 * Performs an action; returns the path on which the owner continues. Idempotent for actions already done in another tab
 * or by a second click.
 */
async function performAction(
  deps: OwnerContext & Signing,
  request: FastifyRequest,
  owner: OwnerVisit,
  connection: OwnedConnection,
  action: OwnerAction,
): Promise<string> {
  const { instanceId, companyId } = owner.access
  const place = { instanceId, companyId, connectionId: connection.id }
  const sign: SignReceipt = (facts) => signReceipt(deps, owner, facts)
  switch (action) {
    case 'pause':
      return await ignoreNotAllowed(() => pauseByOwner(deps, place))
    case 'continue':
      return await ignoreNotAllowed(() => continueByOwner(deps, place))
    case 'renew':
      return connection.endedAt ? OWNER_PAGE_PATH : await renewalPath(deps, request, connection)
    case 'withdraw':
    case 'delete': {
      const receipt = await (action === 'withdraw' ? withdraw : deleteByOwner)(deps, place, sign)
      return receipt ? `${OWNER_PAGE_PATH}/receipt?receipt=${receipt.id}` : OWNER_PAGE_PATH
    }
  }
}

/** Ignores actions that the status does not allow: the page itself shows the status. */
async function ignoreNotAllowed(act: () => Promise<unknown>): Promise<string> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof ActionNotAllowed)) throw error
  }
  return OWNER_PAGE_PATH
}

async function renewalPath(deps: LinkContext, request: FastifyRequest, connection: OwnedConnection): Promise<string> {
  const address = new URL(await renewalLink(deps, connection, request.visitor.locale))
  return `${address.pathname}${address.search}`
}
