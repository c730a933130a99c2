import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { ReferenceDocument } from '../api/reference/reference-schema.ts'
import { BuiltSite } from './built-site.ts'
import { prefersMarkdown } from './preferred-type.ts'
import { type Answer, Site } from './served-site.ts'

/** Scripts, styles and data from here only; nothing can frame a page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const FIVE_MINUTES = 'public, max-age=300'
const ONE_YEAR = 'public, max-age=31536000, immutable'
const hidden = { hide: true }

interface DocumentationDeps {
  /** Built site; null until it is built. */
  folder(): string | null
  /** Address of the deployment, without a slash at its end. */
  baseUrl: string
  /** What the reference shows; called once. */
  reference(): Promise<ReferenceDocument>
}

/** The site at `/docs`: built files, and the reference, which is rendered once; no request renders anything else. */
export function documentationRoutes({ folder, baseUrl, reference }: DocumentationDeps): FastifyPluginAsync {
  return async (app) => {
    let opened: Promise<Site> | null = null
    const openSite = async (): Promise<Site | null> => {
      const built = folder()
      if (built === null) return null
      opened ??= BuiltSite.open(built).then(
        (files) => new Site(files, reference),
        (error: unknown) => {
          opened = null
          throw error
        },
      )
      return await opened
    }

    const sendPath = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
      const site = await openSite()
      if (site === null) return sendPreparing(reply)
      const found = await site.find(path, prefersMarkdown(request.headers.accept))
      return found === null ? await send(request, reply.code(404), site.notFound) : await send(request, reply, found)
    }

    app.get('/docs', { schema: hidden }, async (_request, reply) => reply.redirect('/docs/', 308))

    app.get<{ Params: { '*': string } }>('/docs/*', { schema: hidden }, async (request, reply) => {
      const path = `/docs/${request.params['*']}`
      const shorter = path.replace(/\/+$/, '')
      const site = shorter !== '/docs' && shorter !== path ? await openSite() : null
      if (await site?.find(shorter, false)) return reply.redirect(encodeURI(shorter), 308)
      return await sendPath(request, reply, path)
    })

    app.get('/llms.txt', { schema: hidden }, async (request, reply) => {
      const site = await openSite()
      const found = await site?.find('/llms.txt', false)
      if (!found) return sendPreparing(reply)
      setHeaders(reply, found)
      if (isFresh(request, found)) return reply.code(304).send()
      const { bytes } = await found.read(false)
      return reply.type(found.type).send(bytes.toString('utf8').replaceAll('](/', `](${baseUrl}/`))
    })
  }
}

async function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
  setHeaders(reply, answer)
  if (reply.statusCode === 404) reply.header('cache-control', 'no-store')
  else if (isFresh(request, answer)) return reply.code(304).send()
  const { bytes, isGzip } = await answer.read(/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')))
  if (isGzip) reply.header('content-encoding', 'gzip')
  return reply.type(answer.type).send(bytes)
}

function setHeaders(reply: FastifyReply, answer: Answer): void {
  reply
    .header('cache-control', answer.isImmutable ? ONE_YEAR : FIVE_MINUTES)
    .header('vary', 'accept, accept-encoding')
    .header('etag', answer.etag)
  if (answer.type.startsWith('text/html')) reply.header('content-security-policy', POLICY)
}

/** Whether the reader has this version already. */
function isFresh(request: FastifyRequest, answer: Answer): boolean {
  const known = String(request.headers['if-none-match'] ?? '')
  return known
    .split(',')
    .map((tag) => tag.trim())
    .includes(answer.etag)
}

function sendPreparing(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .header('retry-after', '2')
    .header('refresh', '2')
    .header('cache-control', 'no-store')
    .header('content-security-policy', POLICY)
    .type('text/html; charset=utf-8')
    .send(PREPARING)
}

const PREPARING = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Countinghouse docs</title>
<main>
<h1>The documentation is being prepared</h1>
<p>This happens once after an installation and takes some seconds. The page opens by itself.</p>
</main>
</html>
`
