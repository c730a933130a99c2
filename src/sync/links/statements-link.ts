import type { Sources } from '../../connectors/sources.ts'
import { toServiceId } from '../../model/catalogue.ts'
import type { Catalogue, Store, Vault } from '../context/groups.ts'
import { deriveLinkToken, findLink, issueCopy, type OpenLink } from './link.ts'

/** Service to which an owner can upload statement files; null where there is none. */
export function findStatementsService(sources: Sources): string | null {
  const source = [...sources.values()].find(({ description: { link, category }, isEnabled }) => {
    return isEnabled && link === 'upload' && category === 'Banking'
  })
  return source ? toServiceId(source.description.key) : null
}

/**
 * Token of a link with which the owner can upload statements instead, with the same company, options and expiry; null
 * where uploads are not available. Derived, so that asking twice creates one link.
 */
export async function issueStatementsLink(
  deps: Store & Vault & Catalogue,
  from: { open: OpenLink; token: string },
): Promise<string | null> {
  const serviceId = findStatementsService(deps.sources)
  // A helper cannot agree to anything.
  if (serviceId === null || from.open.link.parentId !== null) return null
  const token = await deriveLinkToken(deps, `statements/${from.token}`)
  if (!(await findLink(deps, token))) await issueCopy(deps.database, from.open.link, { tokenHash: deps.hashToken(token), serviceId })
  return token
}
