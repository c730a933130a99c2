import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { baseHeaders, dataHeaders, readHeaders, setPairs } from '../../src/api/http/security-headers.ts'

const toRecord = (pairs: readonly string[]) =>
  Object.fromEntries(Array.from({ length: pairs.length / 2 }, (_one, at) => pairs.slice(2 * at, 2 * at + 2)))
const EVERY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

it('every response has its policy, and asks for https for two years where the public address is https', () => {
  expect(toRecord(baseHeaders('http://localhost:8080'))).toEqual(EVERY)
  expect(toRecord(baseHeaders('https://books.example.com'))).toEqual({
    ...EVERY,
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
  })
  expect(toRecord(readHeaders('http://localhost:8080'))).toEqual({ ...EVERY, 'cross-origin-resource-policy': 'same-origin' })
})

it('data is cached nowhere, and read by no page of another site', async () => {
  const app = Fastify()
  app.get('/', async (_request, reply) => {
    dataHeaders(reply)
    setPairs(reply, ['x-a', '1', 'x-b', '2'])
    return {}
  })
  const { headers } = await app.inject('/')
  await app.close()
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin', 'x-a': '1', 'x-b': '2' })
})
