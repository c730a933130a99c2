import { type Html, html } from '../../model/texts/html.ts'
import { isAllowedReturn, leadsToSignIn, toReturnAddress } from '../../sync/branding/return-address.ts'
import type { Visit, Visitor } from '../visit/visitor.ts'

/** Link back to the return address, if one was given and is still allowed, and leads to no sign-in of the portal. */
export function backLink(visitor: Visitor, visit: Visit, status: 'connected' | 'declined'): Html | null {
  const { link, pages } = visit.open
  if (link.returnUrl === null || !isAllowedReturn(link.returnUrl, pages.returnAddresses)) return null
  if (leadsToSignIn(link.returnUrl, visitor.origin)) return null
  const address = toReturnAddress(link.returnUrl, { status, companyId: link.companyId, serviceId: link.serviceId })
  const look = status === 'connected' ? 'button' : 'button quiet'
  return html`<a class="${look}" href="${address}">${visitor.texts.consent.backTo(visit.requester)}</a>`
}
