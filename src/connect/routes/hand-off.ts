import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { MailContext } from '../../mail/queue.ts'
import { toMailAddress } from '../../model/values/mail-address.ts'
import { isUuid } from '../../model/values/uuid.ts'
import { listConnectionsOfLink } from '../../store/connections/hand-offs.ts'
import { rootLinkId } from '../../store/connections/links.ts'
import type { Db } from '../../store/db/database.ts'
import { findInstitution } from '../../store/sources/institutions.ts'
import type { Catalogue, Mailing, Store, Vault } from '../../sync/context/groups.ts'
import { LinkAlreadyUsed } from '../../sync/links/errors.ts'
import { findOutgoingHandOff, handOff, revokeHandOff } from '../../sync/links/hand-off.ts'
import { mailRefusalOf } from '../../sync/owner/owner-mail.ts'
import { mailColours } from '../branding/branding.ts'
import { Problem } from '../http/problem.ts'
import { donePath } from '../views/done.ts'
import type { FieldProblem } from '../views/field-problems.ts'
import { type HandOffForm, handedAddressPage, handOffPage, waitingPage } from '../views/hand-off.ts'
import { resumePath, type Sender, sendPage } from '../views/page.ts'
import { requirePostedVisit, requireUsable } from '../visit/guards.ts'
import { enterVisit, pathTo, readText, type Visit, type Visitor } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'

const MAX_NAME = 100

/** Hand-off pages of the owner ("My accountant has the login"). */
export function addHandOffRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/hand-off', async (request, reply) => {
    const visit = await enterVisit(deps, request)
    if (!visit) throw new Problem('session')
    if (visit.used === 'recently') return reply.redirect(await resultPath(deps.database, visit), 303)
    requireUsable(visit)
    if (!canHandOff(visit)) return reply.redirect(resumePath(visit), 303)
    const handed = await findOutgoingHandOff(deps.database, deps.sealer, visit.open.link)
    if (handed) return sendPage(reply, sender, request.visitor, waitingPage(request.visitor, visit, handed))
    const institutionId = await findChosen(deps.database, visit, readText(request.query, 'institution'))
    const form = { ...emptyForm(deps.mail), institutionId }
    return sendPage(reply, sender, request.visitor, handOffPage(request.visitor, visit, form, [], 200))
  })

  app.post('/hand-off', { config: { audit: 'hand-off.created' } }, async (request, reply) => {
    const visit = await requirePostedVisit(deps, request)
    if (!canHandOff(visit)) return reply.redirect(resumePath(visit), 303)
    const form = await readForm(deps.database, deps.mail, visit, request.body)
    const isMail = readText(request.body, 'choice') !== 'copy'
    const refuse = (problem: FieldProblem, status: number) =>
      sendPage(reply, sender, request.visitor, handOffPage(request.visitor, visit, form, [problem], status))
    const texts = request.visitor.texts.handOff
    const email = toMailAddress(form.email)
    if (isMail && email === null) return refuse({ field: 'email', text: texts.emailNeeded }, 422)
    try {
      const helper = { name: form.name, email: isMail ? email : null }
      const address = await handOffLink(deps, request.visitor, visit, form, helper)
      if (isMail) return reply.redirect(pathTo(visit, '/connect/hand-off'), 303)
      return sendPage(reply, sender, request.visitor, handedAddressPage(request.visitor, visit, address, visit.open.link.expiresAt))
    } catch (error) {
      // Revoked or completed since the form was opened: the current page shows that.
      if (error instanceof LinkAlreadyUsed) return reply.redirect(pathTo(visit, '/connect/hand-off'), 303)
      const refusal = mailRefusalOf(error)
      if (refusal === 'tooMany') return refuse({ field: null, text: texts.tooMany }, 429)
      if (refusal === 'noServer') return refuse({ field: null, text: texts.noServer }, 409)
      throw error
    }
  })

  app.post('/hand-off/cancel', { config: { audit: 'hand-off.revoked' } }, async (request, reply) => {
    const visit = await requirePostedVisit(deps, request)
    if (!canHandOff(visit)) return reply.redirect(resumePath(visit), 303)
    const handed = await findOutgoingHandOff(deps.database, deps.sealer, visit.open.link)
    await revokeHandOff(deps.database, visit.open.link)
    const institution = handed?.institutionId ?? undefined
    return reply.redirect(pathTo(visit, '/connect/hand-off', { institution }), 303)
  })
}

/** Owners who have consented may hand off; helpers may not. */
function canHandOff(visit: Visit): boolean {
  return visit.agreed && visit.open.link.parentId === null
}

async function resultPath(db: Db, visit: Visit): Promise<string> {
  const { link } = visit.open
  return donePath(visit, await listConnectionsOfLink(db, link.instanceId, rootLinkId(link)), false)
}

async function handOffLink(
  deps: Store & Vault & Catalogue & Mailing,
  visitor: Visitor,
  visit: Visit,
  form: HandOffForm,
  helper: { name: string; email: string | null },
): Promise<string> {
  const colours = mailColours(visit.open)
  return await handOff(deps, {
    open: visit.open,
    token: visit.token,
    onceId: form.onceId,
    institutionId: form.institutionId,
    helper,
    locale: visitor.locale,
    names: { requester: visit.requester, company: visit.company, service: visit.source },
    ...(colours ? { colours } : {}),
  })
}

function emptyForm(mail: MailContext | undefined): HandOffForm {
  return { onceId: randomUUID(), institutionId: null, name: '', email: '', canMail: mail !== undefined }
}

async function readForm(db: Db, mail: MailContext | undefined, visit: Visit, body: unknown): Promise<HandOffForm> {
  const once = readText(body, 'once') ?? ''
  if (!isUuid(once)) throw new Problem('unreadable')
  return {
    ...emptyForm(mail),
    onceId: once,
    institutionId: await findChosen(db, visit, readText(body, 'institution')),
    name: (readText(body, 'name') ?? '').toWellFormed().trim().slice(0, MAX_NAME),
    email: (readText(body, 'email') ?? '').trim().slice(0, 300),
  }
}

/** The bank chosen by the owner; null when none is needed or none was chosen. */
async function findChosen(db: Db, visit: Visit, id: string | undefined): Promise<string | null> {
  if (id === undefined || id === '' || id.length > 200 || id.includes('\0')) return null
  const { directory } = visit.open.service.source
  return (await findInstitution(db, directory, id)) ? id : null
}
