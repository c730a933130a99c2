import type { FastifyRequest } from 'fastify'
import { rootLinkId } from '../../store/connections/links.ts'
import type { LinkContext } from '../../sync/links/context.ts'
import { isSameOriginRequest } from '../http/csrf.ts'
import { Problem } from '../http/problem.ts'
import type { VisitContext } from './context.ts'
import { enterPostedVisit, enterVisit, readText, type Visit } from './visitor.ts'

/** The open link of a page, entering its instance scope; throws the problem page otherwise. */
export async function requireVisit(deps: LinkContext, request: FastifyRequest): Promise<Visit> {
  const visit = await enterVisit(deps, request)
  if (!visit) throw new Problem('session')
  return requireUsable(visit)
}

/**
 * The link of a posted form, entering its instance scope. Throws for forms that did not come from a page of ours in
 * this browser.
 */
export async function requireVisitOfForm(deps: VisitContext, request: FastifyRequest, form: string): Promise<Visit> {
  return requireUsable(await requireVerifiedForm(deps, request, form))
}

/** The recently completed link of a form on a result page, entering its instance scope. */
export async function requireCompletedVisit(deps: VisitContext, request: FastifyRequest): Promise<Visit> {
  const visit = await requireVerifiedForm(deps, request, readText(request.body, 'form') ?? '')
  if (visit.used !== 'recently') throw new Problem(visit.used === 'no' ? 'forged' : 'used')
  return visit
}

async function requireVerifiedForm(deps: VisitContext, request: FastifyRequest, form: string): Promise<Visit> {
  if (!isSameOriginRequest(request, deps.baseUrl)) throw new Problem('forged')
  if (request.visitor.linkCookies.length === 0) throw new Problem('session')
  const visit = await enterPostedVisit(deps, request.visitor, form)
  if (!visit) throw new Problem('forged')
  deps.limits.countChange(rootLinkId(visit.open.link), deps.now())
  return visit
}

/** The same for a form that names itself in its field `form`, entering the link's instance scope. */
export async function requirePostedVisit(deps: VisitContext, request: FastifyRequest): Promise<Visit> {
  return await requireVisitOfForm(deps, request, readText(request.body, 'form') ?? '')
}

export function requireUsable(visit: Visit): Visit {
  if (visit.used !== 'no') throw new Problem('used')
  if (!visit.open.service.isEnabled) throw new Problem('off')
  return visit
}
