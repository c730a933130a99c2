import type { Credentials } from '../../connectors/contract/contract.ts'
import type { Authorization } from '../../store/connections/authorizations.ts'
import type { Connection } from '../../store/connections/connections.ts'
import { findLinkById } from '../../store/connections/links.ts'
import type { Db } from '../../store/db/database.ts'
import type { Catalogue, Store, Vault } from '../context/groups.ts'
import { readCredentials } from '../credentials/credentials.ts'
import { describeLink, type OpenLink } from '../links/link.ts'
import { sourceOfAuthorization } from '../sources/source-keys.ts'

/** Restores the link of a pending authorization, with the keys it was begun with: a code is valid only for its app. */
export async function resumeAuthorization(deps: Store & Vault & Catalogue, authorization: Authorization): Promise<OpenLink | null> {
  const link = await findLinkById(deps.database, authorization.instanceId, authorization.linkId)
  const open = link && (await describeLink(deps, link))
  return open && { ...open, service: { ...open.service, source: await sourceOfAuthorization(deps, open.service.source, authorization) } }
}

/** Credentials to repair; null for those of another app, which this app cannot use. */
export async function formerCredentials(db: Db, vault: Vault, open: OpenLink, active: Connection): Promise<Credentials | null> {
  const isOfThisApp = active.sourceKeysId === (open.service.source.keysOf?.id ?? null)
  return isOfThisApp ? (await readCredentials(db, vault, active)).credentials : null
}
