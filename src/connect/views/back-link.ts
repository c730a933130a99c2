import { type Html, html } from '../../model/texts/html.ts'
import { isAllowedReturn, leadsToSignIn, toReturnAddress } from '../../sync/branding/return-address.ts'
import type { Visit, Visitor } from '../visit/visitor.ts'

/**
 * Way back to whoever asked: the page with the frame in which the owner began, or the return address, if one was given
 * and is still allowed; never a sign-in of the portal. In a frame there is none: the page around it goes on.
 */
export function backLink(visitor: Visitor, visit: Visit, status: 'connected' | 'declined'): Html | null {
  const { link, pages } = visit.open
  const { returnsTo, isFramed, texts } = visitor
  if (isFramed) return null
  if (returnsTo === 'window') return html`<button type="button" data-close hidden>${texts.frame.close}</button>`
  const look = status === 'connected' ? 'button' : 'button quiet'
  if (pages.frameOrigins.includes(URL.parse(returnsTo)?.origin ?? '') && !leadsToSignIn(returnsTo, visitor.origin))
    return html`<a class="${look}" href="${returnsTo}">${texts.consent.backTo(visit.requester)}</a>`
  if (link.returnUrl === null || !isAllowedReturn(link.returnUrl, pages.returnAddresses)) return null
  if (leadsToSignIn(link.returnUrl, visitor.origin)) return null
  const address = toReturnAddress(link.returnUrl, { status, companyId: link.companyId, serviceId: link.serviceId })
  return html`<a class="${look}" href="${address}">${texts.consent.backTo(visit.requester)}</a>`
}
