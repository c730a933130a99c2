import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { BuiltSite } from './built-site.ts'
import type { ServedFile } from './pages/site.ts'
import { prefersMarkdown } from './preferred-type.ts'

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
}

/** The site at `/docs`: built files only, so that no request renders anything. */
export function documentationRoutes({ folder, baseUrl }: DocumentationDeps): FastifyPluginAsync {
  return async (app) => {
    let opened: Promise<BuiltSite> | null = null
    const openSite = async (): Promise<BuiltSite | null> => {
      const built = folder()
      if (built === null) return null
      opened ??= BuiltSite.open(built).catch((error: unknown) => {
        opened = null
        throw error
      })
      return await opened
    }

    const sendPath = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
      const site = await openSite()
      if (site === null) return sendPreparing(reply)
      const asMarkdown = prefersMarkdown(request.headers.accept)
      const file = site.find(path, asMarkdown)
      return file === null ? await sendFile(request, reply.code(404), site, site.notFound) : await sendFile(request, reply, site, file)
    }

    app.get('/docs/reference', { schema: hidden }, async (_request, reply) => reply.redirect('/admin/api/docs', 302))

    app.get('/docs', { schema: hidden }, async (_request, reply) => reply.redirect('/docs/', 308))

    app.get<{ Params: { '*': string } }>('/docs/*', { schema: hidden }, async (request, reply) => {
      const path = `/docs/${request.params['*']}`
      const shorter = path.replace(/\/+$/, '')
      const site = shorter !== '/docs' && shorter !== path ? await openSite() : null
      if (site?.find(shorter, false)) return reply.redirect(encodeURI(shorter), 308)
      return await sendPath(request, reply, path)
    })

    app.get('/llms.txt', { schema: hidden }, async (request, reply) => {
      const site = await openSite()
      const file = site?.find('/llms.txt', false)
      if (!site || !file) return sendPreparing(reply)
      const { bytes } = await site.read(file, false)
      setHeaders(reply, file)
      if (isFresh(request, file)) return reply.code(304).send()
      return reply.type(file.type).send(bytes.toString('utf8').replaceAll('](/', `](${baseUrl}/`))
    })
  }
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, site: BuiltSite, file: ServedFile): Promise<FastifyReply> {
  setHeaders(reply, file)
  if (reply.statusCode === 404) reply.header('cache-control', 'no-store')
  else if (isFresh(request, file)) return reply.code(304).send()
  const { bytes, isGzip } = await site.read(file, /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')))
  if (isGzip) reply.header('content-encoding', 'gzip')
  return reply.type(file.type).send(bytes)
}

function setHeaders(reply: FastifyReply, file: ServedFile): void {
  reply
    .header('cache-control', file.isImmutable ? ONE_YEAR : FIVE_MINUTES)
    .header('vary', 'accept, accept-encoding')
    .header('etag', file.etag)
  if (file.type.startsWith('text/html')) reply.header('content-security-policy', POLICY)
}

/** Whether the reader has this version already. */
function isFresh(request: FastifyRequest, file: ServedFile): boolean {
  const known = String(request.headers['if-none-match'] ?? '')
  return known
    .split(',')
    .map((tag) => tag.trim())
    .includes(file.etag)
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
