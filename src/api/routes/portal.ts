import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { notFound } from '../errors/errors.ts'

/**
 * Scripts and styles from here only; the components set `style` attributes from scripts. The logos of sources are
 * images of ours.
 * Source: https://www.w3.org/TR/CSP3/
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  // Mails of the sandbox.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const ONE_YEAR = 'public, max-age=31536000, immutable'
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** Names of built files: with a hash, so the content of a name never changes. */
const ASSET = /^[\w.-]+-[\w-]{8}\.(js|css|svg)$/

/** Pages of operators, whose API is below the same path. */
const OPERATOR_PAGES = [
  '/operator/',
  '/operator/link',
  '/operator/instances',
  '/operator/instances/:id',
  '/operator/operators',
  '/operator/account',
  '/operator/health',
]

const hidden = { hide: true }

/**
 * Developer portal: built files, and its single page at every other URL below `/portal/`. `folder` is null until it is
 * built.
 */
export function portalRoutes(folder: () => string | null): FastifyPluginAsync {
  return async (app) => {
    app.get('/', { schema: hidden }, async (_request, reply) => reply.redirect('/portal/', 302))

    app.get('/portal', { schema: hidden }, async (_request, reply) => reply.redirect('/portal/', 308))

    app.get<{ Params: { name: string } }>('/portal/assets/:name', { schema: hidden }, async (request, reply) => {
      const built = folder()
      const { name } = request.params
      if (built === null || !ASSET.test(name)) throw notFound('file')
      const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
      const bytes = await readFile(join(built, 'assets', takesGzip ? `${name}.gz` : name)).catch(() => {
        throw notFound('file')
      })
      if (takesGzip) reply.header('content-encoding', 'gzip')
      reply.header('cache-control', ONE_YEAR).header('vary', 'accept-encoding')
      return reply.type(TYPES[extname(name)] ?? 'application/octet-stream').send(bytes)
    })

    const sendIndex = async (reply: FastifyReply) => {
      const built = folder()
      if (built === null) return sendPage(reply.code(503).header('retry-after', '2').header('refresh', '2'), PREPARING)
      return sendPage(reply, await readFile(join(built, 'index.html')))
    }
    app.get('/portal/*', { schema: hidden }, async (_request, reply) => await sendIndex(reply))

    app.get('/operator', { schema: hidden }, async (_request, reply) => reply.redirect('/operator/', 308))
    for (const page of OPERATOR_PAGES) app.get(page, { schema: hidden }, async (_request, reply) => await sendIndex(reply))
  }
}

function sendPage(reply: FastifyReply, page: string | Buffer): FastifyReply {
  return reply.header('cache-control', 'no-store').header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page)
}

const PREPARING = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Countinghouse</title>
<main>
<h1>The portal is being prepared</h1>
<p>This happens once after an installation and takes less than a minute. The page opens by itself.</p>
<p lang="fr-CA">Le portail est en préparation. Cela n’arrive qu’une fois après une installation et prend moins d’une minute. La page s’ouvrira d’elle-même.</p>
</main>
</html>
`
