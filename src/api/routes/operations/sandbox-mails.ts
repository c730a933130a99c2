import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Catcher } from '../../../mail/catcher.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Database } from '../../../store/db/database.ts'
import { findOwnMails } from '../../../store/mail/mails.ts'
import { admins } from '../../access/caller.ts'
import { notFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const CaughtShape = strict(
  {
    id: Uuid,
    on: PlainTimestamp,
    from: Type.String(),
    to: Type.String(),
    subject: Type.String(),
    text: Type.String(),
    page: Type.String({ description: 'Address of the mail as a page of its own; nobody who was not told can guess it' }),
  },
  { title: 'CaughtMail' },
)

/**
 * Policy of a caught mail: styles only, no scripts, no forms, no images but its own, and an opaque origin. Links open
 * in a new window.
 * Source: https://www.w3.org/TR/CSP3/#directive-sandbox
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ')

const tags = ['Sandbox']

type Deps = { database: Database } & { catcher: Pick<Catcher, 'list' | 'find'> }

/** Mails of the caller's instance in the sandbox's mail catcher. Admins only: they include password links. */
export function sandboxMailRoutes(database: Database, catcher: Pick<Catcher, 'list' | 'find'>): FastifyPluginAsyncTypebox {
  return routes({ database, catcher }, [listCaughtMailsRoute, caughtMailPageRoute])
}

const listCaughtMailsRoute = route(
  {
    method: 'GET',
    url: '/sandbox/mails',
    scope: 'users',
    roles: admins,
    schema: {
      tags,
      summary: 'The mails that were caught, newest first',
      operationId: 'listCaughtMails',
      response: { 200: Type.Array(CaughtShape) },
    },
  },
  async ({ catcher, database }: Deps, request) => {
    const caught = catcher.list()
    const ids = caught.flatMap(({ mailId }) => (mailId === null ? [] : [mailId]))
    const own = await findOwnMails(database, request.caller.instanceId, ids)
    return caught.flatMap(({ mailId, key, at, from, to, subject, text }) => {
      if (mailId === null || !own.has(mailId)) return []
      return [{ id: mailId, on: toPlainTimestamp(at), from, to, subject, text, page: `/admin/api/v1/sandbox/mails/${key}/page` }]
    })
  },
)

const caughtMailPageRoute = route(
  {
    method: 'GET',
    url: '/sandbox/mails/:key/page',
    roles: 'public',
    schema: { tags, hide: true, params: strict({ key: Type.String({ pattern: '^[\\w-]{24}$' }) }) },
  },
  async ({ catcher }: Deps, request, reply) => {
    const mail = catcher.find(request.params.key)
    if (!mail) throw notFound('mail')
    const page = mail.html.replace('<head>', '<head>\n<base target="_blank">')
    return reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page)
  },
)
