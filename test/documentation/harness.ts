import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import { documentationRoutes } from '../../src/documentation/routes.ts'
import { buildDocumentation } from '../../src/process/built/documentation-files.ts'
import { readReferencePages } from '../../tools/docs/api-document.ts'

export const BASE_URL = 'https://data.example.com'

/** The built site alone, without the API. */
export async function openSite(reference = readReferencePages): Promise<FastifyInstance> {
  const folder = await buildDocumentation()
  const app = Fastify()
  await app.register(documentationRoutes({ folder: () => folder, baseUrl: BASE_URL, reference }))
  return app
}

/** Paths of all pages, found by following links from the first. */
export async function listPages(app: FastifyInstance): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const waiting = ['/docs/']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const { statusCode, headers, body } = await app.inject({ url: path })
    if (statusCode !== 200 || !String(headers['content-type']).startsWith('text/html')) continue
    pages.set(path, body)
    waiting.push(...listLinks(body).map((link) => link.replace(/#.*/, '')))
  }
  return pages
}

/** Addresses below `/docs` that a page leads to or shows. */
export function listLinks(html: string): string[] {
  return [...html.matchAll(/(?:href|src|srcset)="(\/docs[^"]*)"/g)].map(([, target = '']) => target.replaceAll('&amp;', '&'))
}

/** Sends a path as it is: clients for the web resolve dots in it before. */
export async function requestAsIs(origin: string, path: string): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  const { hostname, port } = new URL(origin)
  const sent = request({ hostname, port, path }).end()
  const [answer]: IncomingMessage[] = await once(sent, 'response')
  if (!answer) throw new Error('no answer')
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
}
