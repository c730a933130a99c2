import type { FastifyInstance } from 'fastify'
import type { MailColours } from '../../mail/render.ts'
import { type Html, html } from '../../model/texts/html.ts'
import { type Accent, type Theme, toAccent } from '../../model/values/colours.ts'
import { isUuid } from '../../model/values/uuid.ts'
import type { Db } from '../../store/db/database.ts'
import { findLogo } from '../../store/owners/owner-pages.ts'
import type { OpenLink } from '../../sync/links/link.ts'
import { IMAGE_POLICY } from '../http/headers.ts'
import { monogramPath } from './logos.ts'

const FOR_EVER = 'public, max-age=31536000, immutable'
const LOGO_FILE = /^([0-9a-f]{16})$/
const COLOURS_FILE = /^([0-9a-f]{6}|none)-([0-9a-f]{6}|none)\.css$/

/** Branding of an instance. */
export type Branding = Pick<OpenLink, 'instance' | 'pages'>

/** Public name of an instance. */
export function requesterName({ pages, instance }: Branding): string {
  return pages.publicName || instance.name
}

/** Path of the instance's logo, or of its monogram when it has none. */
export function requesterLogoPath(open: Branding): string {
  const { pages, instance } = open
  return pages.logo ? `/logos/instances/${instance.id}/${pages.logo.hash}` : monogramPath(requesterName(open))
}

export function requesterLogo(open: Branding, size: number): Html {
  return html`<img src="${requesterLogoPath(open)}" alt="" width="${size}" height="${size}"${open.pages.logo && html` class="logo"`}>`
}

/** Colours for mails; null for the default ones. */
export function mailColours({ pages: { accentLight, accentDark } }: Branding): MailColours | null {
  return accentLight === null && accentDark === null ? null : { light: accentLight, dark: accentDark }
}

/** Path of the style sheet with the instance's colours; null for the default ones. */
export function coloursPath({ pages: { accentLight, accentDark } }: Branding): string | null {
  if (accentLight === null && accentDark === null) return null
  return `/connect/colours/${accentLight?.slice(1) ?? 'none'}-${accentDark?.slice(1) ?? 'none'}.css`
}

/** Colours are a separate style sheet, so that no page needs inline styles. Its content follows from its path. */
export function addColoursRoute(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>('/colours/:file', async (request, reply) => {
    const [, light, dark] = COLOURS_FILE.exec(request.params.file) ?? []
    if (light === undefined || dark === undefined) return reply.callNotFound()
    reply.headers({ 'cache-control': FOR_EVER, 'x-content-type-options': 'nosniff' })
    return reply.type('text/css; charset=utf-8').send(`${drawColours(light, 'light')}${drawColours(dark, 'dark')}`)
  })
}

/** Logos uploaded by instances. Visible to holders of a link, and in e-mails. */
export function addRequesterLogoRoute(app: FastifyInstance, db: Db): void {
  app.get<{ Params: { instanceId: string; file: string } }>('/logos/instances/:instanceId/:file', async (request, reply) => {
    const { instanceId, file } = request.params
    const logo = isUuid(instanceId) && LOGO_FILE.test(file) ? await findLogo(db, instanceId, file) : null
    if (!logo) return reply.callNotFound()
    reply.headers({
      'cache-control': FOR_EVER,
      'content-security-policy': `${IMAGE_POLICY}; sandbox`,
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    return reply.type(logo.type).send(logo.bytes)
  })
}

function drawColours(hex: string, theme: Theme): string {
  if (hex === 'none') return ''
  return `@media (prefers-color-scheme: ${theme}) {\n  :root {\n${drawVariables(toAccent(`#${hex}`, theme))}  }\n}\n`
}

function drawVariables({ accent, ink, hover, tint }: Accent): string {
  const values = { accent, 'accent-ink': ink, 'accent-hover': hover, tint }
  return Object.entries(values)
    .map(([name, value]) => `    --${name}: ${value};\n`)
    .join('')
}
