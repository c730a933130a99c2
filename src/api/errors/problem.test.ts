import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { handleError } from './problem.ts'

it.each([
  ['a deadlock', '40P01', 503, '5'],
  ['a wait for a lock that took too long', '55P03', 503, '5'],
  ['a row that is there already', '23505', 500, undefined],
])('%s in the database (%s) gets a %i', async (_what, code, status, retryAfter) => {
  const app = Fastify()
  app.setErrorHandler(handleError)
  app.get('/', () => {
    throw Object.assign(new Error('by the database'), { code })
  })
  const answer = await app.inject('/')
  await app.close()
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([status, retryAfter])
})
