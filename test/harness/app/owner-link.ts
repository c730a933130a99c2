import { beginAuthorization, completeRedirect, startRedirect, submitForm } from '../../../src/sync/authorize/authorize.ts'
import type { SyncDeps } from '../../../src/sync/context/deps.ts'
import { issueLink, type OpenLink, openLink } from '../../../src/sync/links/link.ts'
import { callbackOf } from './callback-of.ts'
import { ISSUER } from './tenants.ts'

/** A company at one service. */
interface LinkTarget {
  instanceId: string
  companyId: string
  serviceId: string
}

/** Issues a link and opens it, as its owner would. */
export async function openNewLink(deps: SyncDeps, target: LinkTarget, issuedBy = ISSUER): Promise<{ open: OpenLink; linkToken: string }> {
  const { instanceId, companyId, serviceId } = target
  const address = await issueLink(deps, { instanceId, companyId, serviceId, issuedBy })
  const linkToken = new URL(address).searchParams.get('token') ?? ''
  const open = await openLink(deps, linkToken)
  if (!open) throw new Error('the link cannot be opened')
  return { open, linkToken }
}

/** Links a company to a source by its form; returns the connection's id. */
export async function linkByForm(deps: SyncDeps, target: LinkTarget, values: Record<string, string> = {}): Promise<string> {
  const { open } = await openNewLink(deps, target)
  const { connectionId } = await beginAuthorization(deps.database, open)
  const [linked] = await submitForm(deps, open, connectionId, values)
  if (!linked) throw new Error('nothing was linked')
  return linked.connectionId
}

/**
 * Links a company to a source by a redirect; `walk` performs the owner's steps on the source's pages and returns the
 * callback address. `begunId` is the connection that the authorization began with; it differs if it turned out to
 * repair an existing one.
 */
export async function linkByRedirect(
  deps: SyncDeps,
  target: LinkTarget,
  walk: (url: string) => Promise<{ leftFor: string | null }>,
  institution: { institutionId?: string } = {},
) {
  const { open, linkToken } = await openNewLink(deps, target)
  const { connectionId: begunId } = await beginAuthorization(deps.database, open)
  const started = await startRedirect(deps, open, { connectionId: begunId, linkToken, locale: 'fr-CA', ...institution })
  if (started.step !== 'redirect') throw new Error('no redirect')
  const { leftFor } = await walk(started.url)
  const returned = leftFor ?? 'http://nowhere'
  const query = Object.fromEntries(new URL(returned).searchParams)
  const linked = await completeRedirect(deps, { state: query.state ?? '', linkToken, callback: callbackOf(returned), query })
  if (!Array.isArray(linked) || !linked[0]) throw new Error('nothing was linked')
  return { begunId, linked, connectionId: linked[0].connectionId }
}
