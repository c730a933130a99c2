import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { MAX_NOTE, toNote } from '../../../mail/queue.ts'
import { MAIL_KINDS } from '../../../mail/templates.ts'
import { Status } from '../../../model/statuses.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { findCurrentConnection } from '../../../store/connections/connections.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { getMailSettings, saveMailSettings } from '../../../store/mail/mail-settings.ts'
import { listMails } from '../../../store/mail/mails.ts'
import { mailLink, mailOwnerPage } from '../../../sync/owner/owner-mail.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import { ensureDirectory } from '../../../sync/sources/directory.ts'
import { closedBy, readSourceAccess } from '../../../sync/sources/source-access.ts'
import type { Access } from '../../access/access.ts'
import { admins, developers, operators } from '../../access/caller.ts'
import { findResponsibleUser, toIssuer } from '../../access/keys/issuer.ts'
import { badField, conflict, notFound, orNotFound, serviceNotEnabled } from '../../errors/errors.ts'
import { toMailApiError } from '../../errors/mail-errors.ts'
import { route, routes } from '../../http/route.ts'
import { filterParameter, pageOf, readFilter } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { pageParameters, readPageRequest } from '../../lists/page-parameters.ts'
import { linkQuery, readLinkOptions } from '../../schemas/link-options.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { AccessRouteDeps, RouteDeps } from '../route-deps.ts'

const tags = ['Mail']
const FILTER = {
  createdOn: 'date',
  settledOn: 'date',
  id: 'uuid',
  kind: 'string',
  companyId: 'uuid',
  state: 'string',
  attempts: 'number',
} as const

const LinkMail = strict(
  {
    to: Type.String({ minLength: 3, maxLength: 254, description: 'One e-mail address' }),
    language: Type.String({ enum: ['en', 'fr'], description: 'Of the mail, and of the pages unless `Language` says otherwise' }),
    note: Type.Optional(Type.String({ maxLength: MAX_NOTE, description: 'Your own words, shown as plain text' })),
  },
  { examples: [{ to: 'owner@example.com', language: 'fr', note: 'Pour votre demande de prêt.' }] },
)

const MailShape = strict(
  {
    id: Uuid,
    kind: Type.String({ enum: [...MAIL_KINDS], examples: ['link'] }),
    companyId: orNull(Uuid),
    to: Type.String({ description: 'First letter and domain', examples: ['o•••@example.com'] }),
    state: Type.String({ enum: ['waiting', 'sent', 'refused', 'failed'] }),
    attempts: Type.Integer(),
    problem: orNull(Type.String({ description: 'What the mail server said last' })),
    createdOn: PlainTimestamp,
    settledOn: orNull(PlainTimestamp),
  },
  { title: 'Mail' },
)

const Settings = strict(
  {
    writesToOwners: Type.Boolean({ description: 'Owners who gave an address are written to when a connection needs them' }),
  },
  { title: 'MailSettingsInput' },
)
const ShownSettings = strict(
  { ...Settings.properties, canSend: Type.Boolean({ description: 'Whether a mail server is set' }) },
  { title: 'MailSettings' },
)

/** Mail routes: links by mail, state of mails, and settings of automatic mails. */
export function mailRoutes(deps: RouteDeps, access: Access): FastifyPluginAsyncTypebox {
  return routes({ ...deps, access }, [
    mailConnectionLinkRoute,
    mailOwnerPageRoute,
    listMailsRoute,
    getMailSettingsRoute,
    setMailSettingsRoute,
  ])
}

const mailConnectionLinkRoute = route(
  {
    method: 'POST',
    url: '/normalized-data/company/:companyId/data-connection/:serviceId/link-mail',
    scope: 'links:write',
    roles: operators,
    audit: 'link.created',
    schema: {
      tags,
      summary: 'Create a link and mail it to the owner',
      description:
        'Asks to renew the connection where it needs its owner. The mail is sent within seconds and tried for a day. At most five an hour go to ' +
        'one address. 409 where no mail server is set.',
      operationId: 'sendConnectionLink',
      params: strict({ companyId: Uuid, serviceId: Uuid }),
      querystring: linkQuery,
      body: LinkMail,
      response: { 202: strict({ mailId: Uuid }) },
    },
  },
  async (deps: AccessRouteDeps, request, reply) => {
    const { database } = deps
    const { instanceId, keyId } = request.caller
    const { companyId, serviceId } = request.params
    const { to, language } = request.body
    if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
    const service = orNotFound(await findService(database, deps.sync.sources, instanceId, serviceId), 'service')
    const closed = closedBy(await readSourceAccess(database, instanceId), service.source)
    if (closed) throw serviceNotEnabled(closed)
    const note = toNote(request.body.note ?? '')
    if ([...note].length > MAX_NOTE) throw badField('note', `must have at most ${MAX_NOTE} characters`)
    const options = await readLinkOptions(database, instanceId, request.query)
    const connection = await findCurrentConnection(database, instanceId, companyId, serviceId)
    const user = await findResponsibleUser(database, request.caller)
    await ensureDirectory(deps.sync, service.source)
    try {
      const mailId = await inTransaction(database, (db) =>
        mailLink(db, deps.sync, {
          ...{ instanceId, companyId, serviceId, to, note, options },
          ...toIssuer(request.caller, user),
          kind: connection?.status === Status.Deauthorized ? 'repair' : 'link',
          locale: language === 'fr' ? 'fr-CA' : 'en',
          ...(user && keyId === null && user.role !== 'integration' ? { replyTo: user.email } : {}),
        }),
      )
      reply.code(202)
      return { mailId }
    } catch (error) {
      throw toMailApiError(error)
    }
  },
)

const mailOwnerPageRoute = route(
  {
    method: 'POST',
    url: '/normalized-data/companies/:companyId/owner-page-mail',
    scope: 'links:write',
    roles: operators,
    audit: 'owner-page.mailed',
    schema: {
      tags,
      summary: 'Mail the owner the address of the own page',
      description: 'To the address that the owner gave for reminders, and to no other. 409 where there is none, or no mail server is set.',
      operationId: 'sendOwnerPage',
      params: strict({ companyId: Uuid }),
      response: { 202: strict({ mailId: Uuid }) },
    },
  },
  async (deps: AccessRouteDeps, request, reply) => {
    const { database } = deps
    const companyKey = { instanceId: request.caller.instanceId, companyId: request.params.companyId }
    if (!(await findCompany(database, companyKey.instanceId, companyKey.companyId))) throw notFound('company')
    try {
      const mailId = await mailOwnerPage(deps.sync, companyKey)
      if (mailId === null) throw conflict('The owner of this company has given no address.')
      reply.code(202)
      return { mailId }
    } catch (error) {
      throw toMailApiError(error)
    }
  },
)

const listMailsRoute = route(
  {
    method: 'GET',
    url: '/mails',
    replica: true,
    scope: 'operations:read',
    roles: developers,
    schema: {
      tags,
      summary: 'Mails of the last 30 days, newest first',
      description: 'What a mail said is not kept once it was sent.',
      operationId: 'listMails',
      querystring: strict({ ...pageParameters, FilterQuery: filterParameter(FILTER) }),
      response: { 200: pageOf(MailShape) },
    },
  },
  async ({ database }: AccessRouteDeps, request, reply) => {
    const { instanceId } = request.caller
    const page = readPageRequest(request.query)
    const filter = readFilter(request.query.FilterQuery, FILTER)
    const { mails, total } = await listMails(database, instanceId, { ...page, filter })
    const rows = mails.map(({ recipientShown, createdAt, settledAt, ...rest }) => ({
      ...rest,
      to: recipientShown,
      createdOn: toPlainTimestamp(createdAt),
      settledOn: settledAt && toPlainTimestamp(settledAt),
    }))
    return listPage(reply, page, rows, total)
  },
)

const getMailSettingsRoute = route(
  {
    method: 'GET',
    url: '/mail-settings',
    scope: 'settings:read',
    roles: developers,
    schema: { tags, summary: 'What is mailed by itself', operationId: 'getMailSettings', response: { 200: ShownSettings } },
  },
  async (deps: AccessRouteDeps, request) => await showSettings(deps, request.caller.instanceId),
)

const setMailSettingsRoute = route(
  {
    method: 'PUT',
    url: '/mail-settings',
    scope: 'settings:write',
    roles: admins,
    audit: 'mail.settings',
    schema: {
      tags,
      summary: 'Set what is mailed by itself',
      operationId: 'updateMailSettings',
      body: Settings,
      response: { 200: ShownSettings },
    },
  },
  async (deps: AccessRouteDeps, request) => {
    const { database } = deps
    const { instanceId } = request.caller
    const { writesToOwners } = request.body
    await inTransaction(database, async (db) => {
      const before = await getMailSettings(db, instanceId)
      await saveMailSettings(db, instanceId, { writesToOwners })
      await recordChange(db, { instanceId, action: 'mail.settings', subject: null, before, after: { writesToOwners } })
    })
    return await showSettings(deps, instanceId)
  },
)

async function showSettings(deps: AccessRouteDeps, instanceId: string): Promise<Static<typeof ShownSettings>> {
  const { database } = deps
  return { ...(await getMailSettings(database, instanceId)), canSend: deps.sync.mail !== undefined }
}
