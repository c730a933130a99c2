import { randomUUID } from 'node:crypto'
import type { Sources } from '../../connectors/sources.ts'
import { toServiceId } from '../../model/catalogue.ts'
import { copyLink } from '../../store/connections/links.ts'
import type { Catalogue, Store, Vault } from '../context/groups.ts'
import type { OpenLink } from './link.ts'

/** The service to which an owner can give statements as files; null where there is none. */
export function findStatementsService(sources: Sources): string | null {
  const source = [...sources.values()].find(({ description: { link, category }, isEnabled }) => {
    return isEnabled && link === 'upload' && category === 'Banking'
  })
  return source ? toServiceId(source.description.key) : null
}

/**
 * The token of a link by which the owner of this one can give statements instead, with the same company, options and end; null where files
 * are not taken. It is derived, so that asking twice makes one.
 */
export async function issueStatementsLink(
  deps: Store & Vault & Catalogue,
  from: { open: OpenLink; token: string },
): Promise<string | null> {
  const serviceId = findStatementsService(deps.sources)
  // Whoever has only the login has nothing to agree to.
  if (serviceId === null || from.open.link.parentId !== null) return null
  const token = Buffer.from(deps.hashToken(`statements/${from.token}`)).toString('base64url')
  await copyLink(deps.database, from.open.link, { id: randomUUID(), tokenHash: deps.hashToken(token), serviceId })
  return token
}
