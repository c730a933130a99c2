import type { FastifyInstance } from 'fastify'
import type { Locale } from '../../model/values/text.ts'
import { findConsentOfLink, type LinkConsent } from '../../store/connections/hand-offs.ts'
import { addressOfUsedLink } from '../../sync/owner/owner-access.ts'
import { keepAndConfirm, mailRefusalOf } from '../../sync/owner/owner-mail.ts'
import { Problem } from '../http/problem.ts'
import { type Sender, sendPage } from '../views/page.ts'
import { remindersKeptPage, remindersPage } from '../views/reminders.ts'
import { requireCompletedVisit } from '../visit/guards.ts'
import { enterVisit, readText, type Visit } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'

/** Mail address for receipts and reminders. */
export function addReminderRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.post(
    '/reminders',
    { config: { audit: ['owner-address.saved', 'owner-address.removed', 'owner-page.address-issued'] } },
    async (request, reply) => {
      const visit = await requireCompletedVisit(deps, request)
      const { visitor } = request
      const { link } = visit.open
      if (link.parentId !== null) throw new Problem('nowhere')
      const typed = (readText(request.body, 'email') ?? '').slice(0, 300)
      const back = readBack(request.body)
      const refuse = (text: string, status: number) =>
        sendPage(reply, sender, visitor, remindersPage(visitor, visit, typed.slice(0, 254), back, { text, status }))
      const given = await findConsentOfLink(deps.database, link.instanceId, link.id)
      const page = given && (await addressOfUsedLink(deps, link, visit.token, visitor.locale))
      const receipt = given && toReceipt(visit, given, page, visitor.locale)
      try {
        const done = await keepAndConfirm(deps, link, typed, visitor.locale, receipt)
        if (done === null) return refuse(visitor.texts.handOff.emailNeeded, 422)
        // No receipt was sent: the address was deleted, or the consent has ended.
        if (done === 'kept') return reply.redirect(back, 303)
        return sendPage(reply, sender, visitor, remindersKeptPage(visitor, visit, back))
      } catch (error) {
        if (mailRefusalOf(error) === 'tooMany') return refuse(visitor.texts.reminders.tooMany, 429)
        throw error
      }
    },
  )

  // The language was switched on the page that answers the form.
  app.get('/reminders', async (request, reply) => {
    const visit = await enterVisit(deps, request)
    if (visit?.used !== 'recently') throw new Problem('session')
    return sendPage(reply, sender, request.visitor, remindersKeptPage(request.visitor, visit, readBack(request.query)))
  })
}

function toReceipt({ service }: Visit, { id: reference, givenAt, endsAt, texts }: LinkConsent, page: string | null, locale: Locale) {
  return { service, reference, givenAt, endsAt, page, statements: texts[locale] }
}

/** Path of the form's page; never any other. */
function readBack(values: unknown): string {
  const back = readText(values, 'back') ?? ''
  return /^\/connect\/done(\?[\w.&=-]*)?$/.test(back) ? back : '/connect/done'
}
