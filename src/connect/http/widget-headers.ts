import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Widget } from '../../connectors/contract/authorization.ts'
import { Html } from '../../model/texts/html.ts'

/**
 * Allowed origin of a connector's widget, its first label perhaps a wildcard. Nothing that could end a directive of the
 * policy.
 */
const ORIGIN = /^https?:\/\/(\*\.)?([a-z0-9-]+\.)*[a-z0-9-]+(:\d{1,5})?$/

/**
 * Content security policy for one provider's widget: scripts from its origin, its frames, calls, images and forms, and
 * our glue by its hash.
 * NOTE: providers position their frame with inline styles, and FastLink sends a form into its frame. A bank's own
 * sign-in opens in a further window that has to report back, so the opener is kept; providers check the referrer for
 * the embedding site.
 */
export function setWidgetHeaders(reply: FastifyReply, widget: Widget): void {
  const scripts = widget.script === null ? [] : [new URL(widget.script).origin]
  const origins = [...new Set([...scripts, ...widget.origins])]
  const strange = origins.find((origin) => !ORIGIN.test(origin))
  if (strange !== undefined) throw new Error(`a widget names ${strange}, which is no origin`)
  const others = origins.join(' ')
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts, `'${hashOf(wrap(widget.glue))}'`].join(' '),
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: ${others}`,
    `font-src ${others}`,
    `connect-src ${others}`,
    `frame-src ${others}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action 'self' ${others}`,
  ]
  reply.headers({
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'strict-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  })
}

/** Glue script of the page, byte for byte as hashed. */
export function glueScript(widget: Widget): Html {
  if (/<\/script|<!--/i.test(widget.glue)) throw new Error('the glue of a widget would end its own script')
  return new Html(`<script>${wrap(widget.glue)}</script>`)
}

function wrap(glue: string): string {
  return `globalThis.countinghouseGlue = async function (params, finish, cancel) {\n'use strict'\n${glue.replaceAll('\r\n', '\n')}\n}`
}

function hashOf(script: string): string {
  return `sha256-${createHash('sha256').update(script).digest('base64')}`
}
