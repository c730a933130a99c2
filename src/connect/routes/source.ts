import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormAuthorization, InputRefused, type UploadAuthorization } from '../../connectors/contract/authorization.ts'
import { type Connector, SourceError } from '../../connectors/contract/contract.ts'
import type { Html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import { countStep } from '../../store/connections/link-progress.ts'
import { noteChosenInstitution } from '../../store/connections/links.ts'
import type { Db } from '../../store/db/database.ts'
import { beginUpload, endUpload } from '../../store/operators/uploads-in-flight.ts'
import { findInstitution } from '../../store/sources/institutions.ts'
import { beginAuthorization, startRedirect, submitForm } from '../../sync/authorize/authorize.ts'
import type { GrantContext } from '../../sync/authorize/context.ts'
import { FilesRefused, submitFiles, type UploadedFile } from '../../sync/authorize/submit-files.ts'
import type { Catalogue, CrashPoints, Store, Vault } from '../../sync/context/groups.ts'
import { ScannerUnavailable } from '../../sync/malware/check-file.ts'
import { isSilent, Problem } from '../http/problem.ts'
import { localize } from '../texts/locale.ts'
import { MAX_FILES, type Upload, withUpload } from '../uploads/upload.ts'
import { donePath } from '../views/done.ts'
import type { FieldProblem } from '../views/field-problems.ts'
import { outsidePage } from '../views/frame.ts'
import { choosesBank, type Page, resumePath, type Sender, sendPage } from '../views/page.ts'
import { type ChosenBank, formPage, leavingPage, redirectPage, uploadPage } from '../views/source.ts'
import { widgetPage } from '../views/widget.ts'
import type { Limits, VisitContext } from '../visit/context.ts'
import { requirePostedVisit, requireVisit, requireVisitOfForm } from '../visit/guards.ts'
import { readText, type Visit, type Visitor } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'
import { warnOfHeldBank } from './held-bank.ts'

const MEGABYTE = 1024 * 1024
export const MAX_UPLOADED_BYTES = 25 * MEGABYTE
const MAX_VALUE = 1_000
/** Longer than any upload may take and be stored. */
const UPLOAD_LIFE_MS = 600_000
/** `Retry-After` while others upload, and while no file can be scanned. */
const RETRY_AFTER_S = 30

/** Step at the source: redirect or widget, form, or files. */
export function addSourceRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/source', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    const bank = await findChosenBank(deps.database, visit, request.query)
    if (!visit.agreed || bank === 'none yet') return reply.redirect(resumePath(visit), 303)
    if (choosesBank(visit)) await noteChosenInstitution(deps.database, visit.open.link, bank?.id ?? '')
    await countStep(deps.database, visit.open.link, 'chose')
    const { authorize } = await visit.open.service.source.load()
    const notice = await warnOfHeldBank(deps.database, deps.sources, request.visitor, visit, bank)
    if (request.visitor.isFramed) return sendPage(reply, sender, request.visitor, outsidePage(request.visitor, visit, bank, notice))
    return sendPage(reply, sender, request.visitor, stepPage(request.visitor, visit, authorize, bank, notice))
  })

  app.post(
    '/source',
    { config: { audit: ['authorization.started', 'connection.authorized', 'file.malware-found'] } },
    async (request, reply) => {
      if (request.isMultipart()) return await receiveUpload(deps, sender, request, reply)
      const visit = await requirePostedVisit(deps, request)
      const bank = await findChosenBank(deps.database, visit, request.query)
      if (!visit.agreed || bank === 'none yet') return reply.redirect(resumePath(visit), 303)
      const { authorize } = await visit.open.service.source.load()
      if (authorize.step === 'form') return await submitSourceForm(deps, sender, request, reply, visit, authorize)
      if (authorize.step === 'upload') throw new Problem('unreadable')
      return await redirectToSource(deps, sender, request, reply, visit, bank)
    },
  )
}

/** The bank chosen by the owner; null when none is needed here. */
export async function findChosenBank(db: Db, visit: Visit, query: unknown): Promise<ChosenBank | null | 'none yet'> {
  const { service } = visit.open
  if (!choosesBank(visit)) return service.institutionId === null ? null : { id: service.institutionId, name: service.name }
  if (readText(query, 'choose') === 'there') return null
  const id = readText(query, 'institution') ?? ''
  const isPossible = id !== '' && id.length <= 200 && !id.includes('\0')
  return (isPossible && (await findInstitution(db, service.source.directory, id))) || 'none yet'
}

function stepPage(visitor: Visitor, visit: Visit, authorize: Connector['authorize'], bank: ChosenBank | null, notice: Html | null): Page {
  if (authorize.step === 'redirect' || authorize.step === 'widget') return redirectPage(visitor, visit, bank, authorize.step, notice)
  if (authorize.step === 'form') return formPage(visitor, visit, authorize.fields, {}, [], 200, notice)
  return uploadPage(visitor, visit, toUploadHint(authorize), [], 200)
}

/**
 * Redirects to the source, or to the widget page. NOTE: answers with a page that forwards, because a redirect after a
 * form would need the source's origins in the policy.
 */
export async function redirectToSource(
  deps: Store & Vault & Catalogue,
  sender: Sender,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  bank: ChosenBank | null,
): Promise<FastifyReply> {
  const { connectionId } = await beginAuthorization(deps.database, visit.open)
  const started = await startRedirect(deps, visit.open, {
    connectionId,
    linkToken: visit.token,
    locale: request.visitor.locale,
    ...(bank ? { institutionId: bank.id } : {}),
  })
  if (started.step === 'widget') return sendPage(reply, sender, request.visitor, widgetPage(request.visitor, visit, bank, started))
  const { url } = started
  if (!/^https?:\/\//.test(url)) throw new Error('the source wants the owner at an address that is no web page')
  return sendPage(reply, sender, request.visitor, leavingPage(request.visitor, visit, bank, url))
}

async function submitSourceForm(
  deps: GrantContext,
  sender: Sender,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  authorize: FormAuthorization,
): Promise<FastifyReply> {
  const typed = Object.fromEntries(authorize.fields.map(({ name }) => [name, readText(request.body, name) ?? '']))
  const faults = validateTyped(request.visitor, authorize, typed)
  if (faults.length > 0)
    return sendPage(reply, sender, request.visitor, formPage(request.visitor, visit, authorize.fields, typed, faults, 422))
  try {
    const { connectionId } = await beginAuthorization(deps.database, visit.open)
    const linked = await submitForm(deps, visit.open, connectionId, typed)
    return reply.redirect(
      donePath(
        visit,
        linked.map((one) => one.connectionId),
        false,
      ),
      303,
    )
  } catch (error) {
    if (error instanceof SourceError) await countStep(deps.database, visit.open.link, 'failed')
    const { problem, status } = toFormProblem(request.visitor, visit, authorize, error)
    return sendPage(reply, sender, request.visitor, formPage(request.visitor, visit, authorize.fields, typed, [problem], status))
  }
}

function validateTyped(visitor: Visitor, authorize: FormAuthorization, typed: Record<string, string>): FieldProblem[] {
  const texts = visitor.texts.form
  return authorize.fields.flatMap(({ name, label, required }): FieldProblem[] => {
    const value = typed[name] ?? ''
    const text = required && value.trim() === '' ? texts.needed : value.length > MAX_VALUE ? texts.tooLong : null
    return text === null ? [] : [{ field: name, label: localize(label, visitor.locale), text }]
  })
}

/** Errors that the owner can correct appear beside the field; temporary ones above the form, which keeps its input. */
function toFormProblem(
  visitor: Visitor,
  visit: Visit,
  authorize: FormAuthorization,
  error: unknown,
): { problem: FieldProblem; status: number } {
  if (error instanceof InputRefused) {
    const isField = authorize.fields.some(({ name }) => name === error.field)
    return { problem: { field: isField ? error.field : null, text: localize(error.text, visitor.locale) }, status: 422 }
  }
  if (!(error instanceof SourceError)) throw error
  const service = visit.source
  const { silent, refused } = visitor.texts.problems
  const text = isSilent(error) ? `${silent.title(service)}. ${silent.next}` : `${refused.what(service)} ${refused.next(visit.requester)}`
  return { problem: { field: null, text }, status: 502 }
}

async function receiveUpload(
  deps: VisitContext & CrashPoints,
  sender: Sender,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const admit = async (form: string) => {
    const admitted = await requireVisitOfForm(deps, request, form)
    const { authorize } = await admitted.open.service.source.load()
    if (authorize.step !== 'upload') throw new Problem('unreadable')
    const { instanceId } = admitted.open.link
    const begin = async () => {
      const id = await beginUpload(deps.database, instanceId, UPLOAD_LIFE_MS)
      // The upload is stored by then, and its place frees itself.
      return () =>
        endUpload(deps.database, instanceId, id).catch((error: unknown) => request.log.warn({ err: error }, 'an upload stays counted'))
    }
    return { visit: admitted, maxBytes: maxBytesOf(authorize), begin }
  }
  return await withUpload(request, deps.limits.uploads, admit, (upload) => answerUpload(deps, sender, request, reply, upload))
}

async function answerUpload(
  deps: GrantContext & Limits,
  sender: Sender,
  request: FastifyRequest,
  reply: FastifyReply,
  { visit, files, refusal }: Upload,
): Promise<FastifyReply> {
  const { authorize } = await visit.open.service.source.load()
  if (authorize.step !== 'upload') throw new Problem('unreadable')
  if (!visit.agreed) return reply.redirect(resumePath(visit), 303)
  const texts = request.visitor.texts.upload
  const refuse = (status: number, ...faults: string[]) => {
    const problems = faults.map((text) => ({ field: 'files', text }))
    return sendPage(reply, sender, request.visitor, uploadPage(request.visitor, visit, toUploadHint(authorize), problems, status))
  }
  if (refusal === 'tooLarge') return refuse(413, texts.tooLarge(toUploadHint(authorize).megabytes))
  if (refusal === 'tooMany') return refuse(413, texts.tooMany(MAX_FILES))
  if (refusal === 'tooSlow') {
    // Does not wait for the rest of the upload.
    reply.header('connection', 'close')
    return refuse(408, texts.tooSlow)
  }
  if (refusal !== null) {
    reply.header('retry-after', RETRY_AFTER_S)
    return refuse(refusal === 'full' ? 503 : 429, texts[refusal])
  }
  if (files.length === 0) return refuse(422, texts.noFile)
  const empty = files.filter(({ size }) => size === 0)
  if (empty.length > 0) return refuse(422, ...empty.map(({ name }) => texts.inFile(safeDisplayName(name), texts.empty)))
  try {
    return reply.redirect(await deps.limits.uploads.runStore(() => storeFiles(deps, visit, files)), 303)
  } catch (error) {
    if (error instanceof ScannerUnavailable) {
      reply.header('retry-after', RETRY_AFTER_S)
      return refuse(503, texts.notScanned)
    }
    if (!(error instanceof FilesRefused)) throw error
    return refuse(
      422,
      ...error.refusals.map(({ name, text }) => texts.inFile(safeDisplayName(name), localize(text, request.visitor.locale))),
    )
  }
}

async function storeFiles(deps: GrantContext, visit: Visit, files: readonly UploadedFile[]): Promise<string> {
  const { connectionId } = await beginAuthorization(deps.database, visit.open)
  const linked = await submitFiles(deps, visit.open, connectionId, files)
  return donePath(
    visit,
    linked.map((one) => one.connectionId),
    false,
  )
}

function maxBytesOf(authorize: UploadAuthorization): number {
  return Math.min(authorize.maxBytes, MAX_UPLOADED_BYTES)
}

function toUploadHint(authorize: UploadAuthorization): { accept: readonly string[]; megabytes: number } {
  return { accept: authorize.accept, megabytes: Math.floor(maxBytesOf(authorize) / MEGABYTE) }
}
