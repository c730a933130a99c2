import { randomBytes } from 'node:crypto'
import cookie from '@fastify/cookie'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deriveTokens, tokenHasher } from '../../store/keys/token-hash.ts'
import { TEXTS } from '../texts/locale.ts'
import { formTokenOf, isFormTokenOf, pathTo, readText, readVisitor } from './visitor.ts'

const app = fastify()
beforeAll(async () => {
  await app.register(cookie)
  app.get('/secure', (request) => shown(readVisitor('https://connect.example.com/below', request)))
  app.get('/plain', (request) => shown(readVisitor('http://connect.example.com', request)))
  await app.ready()
})
afterAll(() => app.close())

function shown({
  locale,
  hasChosenLocale,
  zone,
  browserZone,
  browserLocale,
  texts,
  origin,
  isFramed,
  visit,
  owner,
}: ReturnType<typeof readVisitor>) {
  return { locale, hasChosenLocale, zone, browserZone, browserLocale, isInIt: texts === TEXTS[locale], origin, isFramed, visit, owner }
}
const visitor = async (url: string, headers: Record<string, string> = {}) => (await app.inject({ url, headers })).json()

describe('a visitor', () => {
  it('of whom nothing is known reads English, in UTC, and has nothing open', async () => {
    expect(await visitor('/secure')).toEqual({
      ...{ locale: 'en', hasChosenLocale: false, browserLocale: null, zone: 'UTC', browserZone: null },
      ...{ isInIt: true, origin: 'https://connect.example.com', isFramed: false, visit: null, owner: null },
    })
  })

  it.each([
    ['the browser', '/secure', { 'accept-language': 'fr' }, 'fr-CA', false],
    ['an earlier choice', '/secure', { 'accept-language': 'en', cookie: '__Host-language=fr-CA' }, 'fr-CA', true],
    ['the choice of this page', '/secure?lang=en', { 'accept-language': 'fr', cookie: '__Host-language=fr-CA' }, 'en', true],
    ['an earlier choice, where this page names no language of ours', '/secure?lang=de', { cookie: '__Host-language=fr-CA' }, 'fr-CA', true],
  ])('reads the language of %s', async (_, url, headers, locale, hasChosenLocale) => {
    expect(await visitor(url, headers)).toMatchObject({ locale, hasChosenLocale, isInIt: true })
  })

  it('is asked in frames and in the time zone of the browser', async () => {
    const headers = { 'sec-fetch-dest': 'iframe', cookie: '__Host-zone=America/Toronto' }
    expect(await visitor('/secure', headers)).toMatchObject({ isFramed: true, zone: 'America/Toronto', browserZone: 'America/Toronto' })
  })

  it('without encryption has cookies without the prefix of encrypted ones', async () => {
    const cookies = { cookie: 'language=fr-CA; zone=America/Toronto' }
    expect(await visitor('/plain', cookies)).toMatchObject({
      locale: 'fr-CA',
      zone: 'America/Toronto',
      origin: 'http://connect.example.com',
    })
    expect(await visitor('/secure', cookies)).toMatchObject({ locale: 'en', zone: 'UTC' })
  })
})

describe('a value of a form or a query', () => {
  it.each([
    [{ name: 'one' }, 'one'],
    [{ name: '' }, ''],
    [{ name: ['one', 'two'] }, undefined],
    [{}, undefined],
    [Object.create({ name: 'inherited' }), undefined],
    [null, undefined],
    [undefined, undefined],
    ['name', undefined],
  ])('of %o is %s', (values, value) => {
    expect(readText(values, 'name')).toBe(value)
  })
})

it('a path of ours names the link where several are open, and leaves out what is not given', () => {
  expect([
    pathTo(null, '/connect/source'),
    pathTo({ ref: null }, '/connect/source', { institution: undefined }),
    pathTo({ ref: 'abc' }, '/connect/source'),
    pathTo({ ref: 'abc' }, '/connect/source', { institution: 'a b', page: undefined }),
  ]).toEqual(['/connect/source', '/connect/source', '/connect/source?link=abc', '/connect/source?link=abc&institution=a+b'])
})

describe('the token of a form', () => {
  const [old, newest] = [randomBytes(32), randomBytes(32)].map((bytes, at) => ({ id: `key-${at}`, bytes }))
  if (!old || !newest) throw new Error('two keys')
  const before = tokenHasher({ tokenHash: { newest: old, all: [old], find: () => undefined } })
  const now = tokenHasher({ tokenHash: { newest, all: [old, newest], find: () => undefined } })

  it('is of the newest key, and one of an older key is still taken', () => {
    expect(formTokenOf(now, 'form/a')).toBe(deriveTokens(now, 'form/a')[0])
    expect([formTokenOf(now, 'form/a'), formTokenOf(before, 'form/a')].map((token) => isFormTokenOf(now, 'form/a', token))).toEqual([
      true,
      true,
    ])
  })

  it('of another page, of a newer key, or empty, is not taken', () => {
    const strangers = [formTokenOf(now, 'form/b'), '', formTokenOf(now, 'form/a').slice(1)]
    expect(strangers.map((token) => isFormTokenOf(now, 'form/a', token))).toEqual([false, false, false])
    expect(isFormTokenOf(before, 'form/a', formTokenOf(now, 'form/a'))).toBe(false)
  })
})
