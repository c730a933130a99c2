import { createHash } from 'node:crypto'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Widget } from '../../connectors/contract/authorization.ts'
import { glueScript, setWidgetHeaders } from './widget-headers.ts'

const WIDGET: Widget = {
  ...{ script: 'https://js.bank.example/v2/widget.js?lang=en', origins: ['https://*.bank.example', 'https://api.example:8443'] },
  ...{ glue: 'open(params)\r\nfinish({})', params: {} },
}

async function headersOf(widget: Widget): Promise<Record<string, unknown>> {
  const app = fastify()
  app.get('/', async (_request, reply) => {
    setWidgetHeaders(reply, widget)
    return {}
  })
  const { headers, statusCode } = await app.inject('/')
  await app.close()
  return { ...headers, statusCode }
}
const hashOf = (widget: Widget) => {
  const [, script = ''] = /^<script>(.*)<\/script>$/s.exec(glueScript(widget).markup) ?? []
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}

describe('the headers of a page with a widget', () => {
  it('allow its script by its origin, our glue by its hash, and its origins for what they show and call', async () => {
    const others = 'https://js.bank.example https://*.bank.example https://api.example:8443'
    expect(await headersOf(WIDGET)).toMatchObject({
      'content-security-policy': [
        "default-src 'none'",
        `script-src 'self' https://js.bank.example ${hashOf(WIDGET)}`,
        "style-src 'self' 'unsafe-inline'",
        `img-src 'self' data: ${others}`,
        `font-src ${others}`,
        `connect-src ${others}`,
        `frame-src ${others}`,
        "base-uri 'none'",
        "frame-ancestors 'none'",
        `form-action 'self' ${others}`,
      ].join('; '),
      'referrer-policy': 'strict-origin',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
    })
  })

  it('name an origin once, and none for a script where the window is a frame', async () => {
    const widget = { ...WIDGET, script: null, origins: ['http://localhost:9000', 'https://bank.example', 'https://bank.example'] }
    const policy = String((await headersOf(widget))['content-security-policy'])
    expect(policy).toContain(`; script-src 'self' ${hashOf(widget)}; style-src`)
    expect(policy).toContain('; frame-src http://localhost:9000 https://bank.example; ')
  })

  it.each([
    '*',
    'https://*',
    'https://bank.*.example',
    'https://bank.example/frames',
    'https://bank.example;',
    'https://bank.example https://evil.example',
    "'unsafe-inline'",
    'data:',
    'ftp://bank.example',
    'x https://bank.example',
    'https://bank.example:123456',
    'https://bank.example:',
    'https://.example',
    'https://bank..example',
    '',
  ])('refuse %j, which is no origin', async (origin) => {
    expect((await headersOf({ ...WIDGET, origins: [origin] })).statusCode).toBe(500)
  })
})

describe('the glue of a widget', () => {
  it('is a function in strict mode, with line breaks as browsers hash them', () => {
    expect(glueScript(WIDGET).markup).toBe(
      "<script>globalThis.countinghouseGlue = async function (params, finish, cancel) {\n'use strict'\nopen(params)\nfinish({})\n}</script>",
    )
  })

  it.each(['x</script>', 'x</SCRIPT >', 'x <!-- y'])('is refused where it would end its script: %s', (glue) => {
    expect(() => glueScript({ ...WIDGET, glue })).toThrow(Error)
  })
})
