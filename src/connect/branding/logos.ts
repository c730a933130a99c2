import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Sources } from '../../connectors/sources.ts'
import { toServiceId } from '../../model/catalogue.ts'
import { initialsOf } from '../../model/values/display-names.ts'
import { IMAGE_POLICY } from '../http/headers.ts'

/** Backgrounds with a contrast of at least 4.5 to 1 to white letters. */
export const LOGO_COLORS = [
  '#1d4ed8',
  '#0f766e',
  '#7c3aed',
  '#b45309',
  '#be185d',
  '#15803d',
  '#9f1239',
  '#0369a1',
  '#6d28d9',
  '#92400e',
  '#334155',
  '#a21caf',
] as const

const CHILD_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const LETTERS = /^([\p{L}\p{N}]{1,4}|•)-(\d{1,2})$/u

/** Path of a name's monogram; deterministic. */
export function monogramPath(name: string): string {
  return `/logos/letters/${encodeURIComponent(initialsOf(name))}-${colorIndexOf(name)}.svg`
}

/** Path of a source's logo. */
export function logoPath(connectorKey: string): string {
  return `/logos/${connectorKey}.svg`
}

/**
 * Logos drawn by us, no trademarks: `/logos/{connector key or service id}.svg` has the initials of a source; the id of
 * a bank reached through an aggregator yields a bank icon in its own colour, since the id alone names nobody.
 */
export function addLogoRoutes(app: FastifyInstance, sources: Sources): void {
  const names = new Map(
    [...sources.values()].flatMap(({ description }) => [
      [description.key, description.name] as const,
      [toServiceId(description.key), description.name] as const,
    ]),
  )

  app.get<{ Params: { file: string } }>('/logos/:file', async (request, reply) => {
    const key = nameOf(request.params.file)
    const name = key === null ? undefined : names.get(key)
    if (name !== undefined) return sendLogo(reply, drawLetters(initialsOf(name), colorIndexOf(name)))
    if (key !== null && CHILD_ID.test(key)) return sendLogo(reply, drawBank(colorIndexOf(key)))
    return reply.callNotFound()
  })

  app.get<{ Params: { file: string } }>('/logos/letters/:file', async (request, reply) => {
    const [, letters, color] = LETTERS.exec(nameOf(request.params.file) ?? '') ?? []
    if (letters === undefined || Number(color) >= LOGO_COLORS.length) return reply.callNotFound()
    return sendLogo(reply, drawLetters(letters, Number(color)))
  })
}

function nameOf(file: string): string | null {
  return file.endsWith('.svg') ? file.slice(0, -'.svg'.length) : null
}

function colorIndexOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt16BE() % LOGO_COLORS.length
}

function drawLetters(letters: string, color: number): string {
  const size = [...letters].length === 1 ? 52 : 42
  return draw(
    color,
    `<text x="48" y="49" fill="#fff" font-family="ui-sans-serif,system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif" font-size="${size}" font-weight="600" text-anchor="middle" dominant-baseline="central">${letters}</text>`,
  )
}

function drawBank(color: number): string {
  return draw(color, '<path fill="#fff" d="M48 20 18 36v6h60v-6zM24 46h8v20h-8zm20 0h8v20h-8zm20 0h8v20h-8zM18 70h60v7H18z"/>')
}

function draw(color: number, shape: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96"><rect width="96" height="96" rx="22" fill="${LOGO_COLORS[color]}"/>${shape}</svg>`
}

function sendLogo(reply: FastifyReply, svg: string): FastifyReply {
  const etag = `"${createHash('sha256').update(svg).digest('base64url').slice(0, 22)}"`
  reply.headers({
    etag,
    'cache-control': 'public, max-age=86400',
    'content-security-policy': IMAGE_POLICY,
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (reply.request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type('image/svg+xml; charset=utf-8').send(svg)
}
