import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { setPageHeaders } from './headers.ts'

const SITE = 'https://books.example.com'

async function headersOf(options: Partial<Parameters<typeof setPageHeaders>[1]>): Promise<Record<string, unknown>> {
  const app = fastify()
  app.get('/', async (_request, reply) => {
    setPageHeaders(reply, { isSecure: true, hasScript: false, frameOrigins: [], ...options })
    return {}
  })
  const { headers } = await app.inject('/')
  await app.close()
  return headers
}
const policyOf = async (options: Parameters<typeof headersOf>[0]) => String((await headersOf(options))['content-security-policy'])

describe('the headers of a page', () => {
  it('let nothing in from elsewhere, and nobody frame it', async () => {
    expect(await headersOf({})).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
    })
  })

  it('allow our own script and its calls where the page has one', async () => {
    const [without, withScript] = [await policyOf({}), await policyOf({ hasScript: true })]
    expect(withScript).toBe(`${without}; script-src 'self'; connect-src 'self'`)
  })

  it('ask for encryption only where the deployment has it', async () => {
    expect(await headersOf({ isSecure: false })).not.toHaveProperty('strict-transport-security')
  })

  it('allow the frames of the origins given, and no other', async () => {
    const headers = await headersOf({ frameOrigins: [SITE, 'http://localhost:3000', 'http://[::1]:3000'] })
    expect(headers['content-security-policy']).toContain(`; frame-ancestors ${SITE} http://localhost:3000 http://[::1]:3000; form-action`)
    expect(headers).not.toHaveProperty('x-frame-options')
  })

  it.each([
    '*',
    "'self'",
    'https:',
    'https://*.example.com',
    'https://books.example.com/page',
    `${SITE}; script-src *`,
    `${SITE} https://evil.example`,
    'ftp://books.example.com',
    'x https://books.example.com',
    'https://',
    '',
  ])('never carry %j as an origin', async (origin) => {
    expect(await headersOf({ frameOrigins: [origin] })).toEqual({ ...(await headersOf({})), date: expect.any(String) })
    expect(await policyOf({ frameOrigins: [origin, SITE] })).toContain(`frame-ancestors ${SITE}; form-action`)
  })
})
