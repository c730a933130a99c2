import fastifyCookie from '@fastify/cookie'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import {
  isFramed,
  readLanguage,
  readLinkCookies,
  readOwnerToken,
  readReturn,
  readZone,
  writeLanguage,
  writeLinkCookies,
  writeOwnerToken,
  writeReturn,
} from './cookies.ts'

const TOKENS = Array.from('abcdefg', (letter) => letter.repeat(43))
const [A = '', B = '', C = '', D = '', E = ''] = TOKENS
const FRAME = { 'sec-fetch-dest': 'iframe' }

/** What `use` returns for a request with these headers, and the cookies that it sets. */
async function answer<T>(headers: Record<string, string>, use: (request: FastifyRequest, reply: FastifyReply) => T) {
  const app = fastify()
  await app.register(fastifyCookie)
  app.get('/', async (request, reply) => ({ value: use(request, reply) ?? null }))
  const response = await app.inject({ url: '/', headers })
  await app.close()
  return { value: response.json<{ value: T }>().value, set: [response.headers['set-cookie'] ?? []].flat() }
}
const read = async <T>(cookie: string, use: (request: FastifyRequest) => T, headers = {}) =>
  (await answer({ ...(cookie === '' ? {} : { cookie }), ...headers }, use)).value
const write = async (use: (reply: FastifyReply) => void, headers = {}) => (await answer(headers, (_request, reply) => use(reply))).set
const links = (cookie: string, headers = {}, isSecure = true) => read(cookie, (request) => readLinkCookies(request, isSecure), headers)

describe('the links open in a browser', () => {
  it('are read newest first, with the consent that was given', async () => {
    expect(await links(`__Host-connect=${A}~.${B}`)).toEqual([
      { token: A, agreed: true },
      { token: B, agreed: false },
    ])
    expect([await links(''), await links(`connect=${A}`), await links(`connect=${A}`, {}, false)]).toEqual([
      [],
      [],
      [{ token: A, agreed: false }],
    ])
  })

  it('are none for texts that are no tokens', async () => {
    const strange = [A.slice(1), `${A}x`, `${A}~~`, `${A} `, ` ${A}`, `${A.slice(1)}+`, '~', '']
    expect(await links(`__Host-connect=${strange.map(encodeURIComponent).join('.')}.${B}`)).toEqual([{ token: B, agreed: false }])
  })

  it('are four, those of the own kind of window first, each once', async () => {
    const cookie = `__Host-connect=${A}~.${B}; __Host-frame=${C}.${A}.${D}`
    const tokens = async (headers: object) => (await links(cookie, headers)).map(({ token, agreed }) => [token, agreed])
    expect(await tokens({})).toEqual([
      [A, true],
      [B, false],
      [C, false],
      [D, false],
    ])
    expect(await tokens(FRAME)).toEqual([
      [C, false],
      [A, false],
      [D, false],
      [B, false],
    ])
    expect((await links(`__Host-connect=${TOKENS.join('.')}`)).map(({ token }) => token)).toEqual([A, B, C, D])
  })

  it('are written four at most, for a day, where only our own pages and servers read them', async () => {
    const entries = [A, B, C, D, E].map((token, at) => ({ token, agreed: at === 0 }))
    const value = `${A}~.${B}.${C}.${D}`
    expect(await write((reply) => writeLinkCookies(reply, entries, true))).toEqual([
      `__Host-connect=${encodeURIComponent(value)}; Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ])
    expect(await write((reply) => writeLinkCookies(reply, entries, false))).toEqual([
      `connect=${encodeURIComponent(value)}; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax`,
    ])
    expect(await write((reply) => writeLinkCookies(reply, [{ token: A, agreed: false }], true), FRAME)).toEqual([
      `__Host-frame=${A}; Max-Age=86400; Path=/; HttpOnly; Secure; Partitioned; SameSite=None`,
    ])
  })
})

describe('a frame', () => {
  it.each([
    [{}, false],
    [FRAME, true],
    [{ 'sec-fetch-dest': 'document' }, false],
  ])('is told by what the browser reports: %j', async (headers, framed) => {
    expect((await answer(headers, isFramed)).value).toBe(framed)
  })
})

describe('the owner page, and where an owner returns to', () => {
  it('are read from their cookies, and empty without one', async () => {
    const cookie = `__Host-owner=${A}; __Host-return=window; owner=x; return=y`
    expect(await read(cookie, (request) => [readOwnerToken(request, true), readReturn(request, true)])).toEqual([A, 'window'])
    expect(await read(cookie, (request) => [readOwnerToken(request, false), readReturn(request, false)])).toEqual(['x', 'y'])
    expect(await read('', (request) => [readOwnerToken(request, true), readReturn(request, true)])).toEqual(['', ''])
  })

  it('are kept for a day, and the way back is forgotten when there is none', async () => {
    const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'
    expect(await write((reply) => writeOwnerToken(reply, A, true))).toEqual([`__Host-owner=${A}; Max-Age=86400; ${attributes}`])
    expect(await write((reply) => writeReturn(reply, 'window', true))).toEqual([`__Host-return=window; Max-Age=86400; ${attributes}`])
    expect(await write((reply) => writeReturn(reply, '', true))).toEqual([`__Host-return=; Max-Age=0; ${attributes}`])
    expect(await write((reply) => writeReturn(reply, '', false))).toEqual(['return=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
  })
})

describe('the language and the time zone', () => {
  const language = (cookie: string, headers = {}) => read(cookie, (request) => readLanguage(request, true) ?? 'none', headers)

  it('are those of the own kind of window, else of the other', async () => {
    const both = '__Host-language=en; __Host-frame-language=fr-CA'
    expect([await language(both), await language(both, FRAME)]).toEqual(['en', 'fr-CA'])
    expect([await language('__Host-language=en', FRAME), await language('__Host-frame-language=fr-CA')]).toEqual(['en', 'fr-CA'])
    expect([await language(''), await language('language=en')]).toEqual(['none', 'none'])
  })

  it('are kept for a year', async () => {
    expect(await write((reply) => writeLanguage(reply, 'fr-CA', true))).toEqual([
      '__Host-language=fr-CA; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax',
    ])
    expect(await write((reply) => writeLanguage(reply, 'fr-CA', true), FRAME)).toEqual([
      '__Host-frame-language=fr-CA; Max-Age=31536000; Path=/; HttpOnly; Secure; Partitioned; SameSite=None',
    ])
  })

  it('are a zone that exists, or none', async () => {
    const zone = (cookie: string) => read(cookie, (request) => readZone(request, true))
    expect(await zone('__Host-zone=America/Toronto')).toBe('America/Toronto')
    expect([await zone('__Host-zone=Mars/Olympus'), await zone(''), await zone('zone=America/Toronto')]).toEqual([null, null, null])
  })
})
