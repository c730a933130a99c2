import { listConsentsOfConnection } from '../../store/connections/consents.ts'
import { findLinkById } from '../../store/connections/links.ts'
import type { OwnedConnection } from '../../store/owners/owner-connections.ts'
import type { LinkContext } from './context.ts'
import { deriveLinkToken, findLink, issueLink, LinkLimitReached, type LinkOptions, linkAddress } from './link.ts'

const LIFE_HOURS = 24
/** Maximum number of renewal links in a row that expire unused. */
const MAX_LINKS = 60

/**
 * Renewal link of an owner for the same source, with the same purpose. The token is derived, so that repeated requests
 * yield the same link while it is valid. Throws `LinkLimitReached`.
 */
export async function renewalLink(deps: LinkContext, connection: OwnedConnection, language: LinkOptions['language']): Promise<string> {
  const { instanceId, companyId, serviceId } = connection
  const consent = (await listConsentsOfConnection(deps.database, instanceId, connection.id)).at(-1)
  const before = consent && (await findLinkById(deps.database, instanceId, consent.linkId))
  const { issuedBy = '', applicationId = null } = before ?? {}
  const request = { instanceId, companyId, serviceId, issuedBy, applicationId }
  const purpose = consent && consent.purposeVersion > 0 ? { purposeKey: consent.purposeKey } : {}
  let token = `${connection.id}/${consent?.id ?? ''}`
  for (let turn = 0; turn < MAX_LINKS; turn += 1) {
    token = await deriveLinkToken(deps, `renewal/${token}`)
    const known = await findLink(deps, token)
    if (known?.usable) return linkAddress(deps.baseUrl, request, token)
    if (!known) return await issueLink(deps, request, { ...purpose, language, lifeHours: LIFE_HOURS, token })
  }
  throw new LinkLimitReached('the owner has begun to renew the connection as often as may be')
}
