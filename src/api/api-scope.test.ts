import Fastify from 'fastify'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { logInAt, testApi } from '../../test/harness/test-api.ts'
import { prepareRoute } from './api-scope.ts'

describe('a route that', () => {
  const ROUTE = { method: 'GET' as const, url: '/x', schema: { tags: ['X'] }, handler: async () => 'x' }
  const READ = { roles: ['admin'], scope: 'data:read' } as const
  const add = (route: object): void => {
    const app = Fastify()
    app.addHook('onRoute', prepareRoute)
    app.route({ ...ROUTE, ...route })
  }

  it.each([
    ['does not say which roles it takes', {}, 'does not say which roles it takes'],
    ['does not say which scope a key needs', { config: { roles: ['admin'] } }, 'does not say which scope an API key needs'],
    ['has no tags', { config: READ, schema: {} }, 'has no tags'],
    ['has an empty list of tags', { config: READ, schema: { tags: [] } }, 'has no tags'],
    ['changes an account without a proof', { config: { ...READ, audit: 'user.created' } }, 'does not say which proof'],
  ])('%s is not added', (_what, route, message) => {
    expect(() => add(route)).toThrow(message)
  })

  it.each([
    ['is public', { config: { roles: 'public' } }],
    ['names its roles and its scope', { config: READ }],
    ['is for users alone', { config: { roles: ['admin'], scope: 'users' } }],
  ])('%s is added', (_what, route) => {
    expect(() => add(route)).not.toThrow()
  })

  it('checks its input in its own way does so after the names of the query are read', async () => {
    const app = Fastify({ ajv: { customOptions: { coerceTypes: false } } })
    app.addHook('onRoute', prepareRoute)
    const seen: unknown[] = []
    app.route({
      ...ROUTE,
      config: READ,
      schema: { tags: ['X'], querystring: Type.Object({ PageSize: Type.Optional(Type.String()) }) },
      preValidation: (request, _reply, done) => {
        seen.push(request.query)
        done()
      },
    })
    await app.inject({ url: '/x?pagesize=10' })
    await app.close()
    expect(seen).toEqual([{ PageSize: '10' }])
  })
})

describe('a public route', () => {
  const api = openForTests(testApi)

  it('is no resource, so that If-Match means nothing to it', async () => {
    const { email } = await api.addUser()
    const payload = { email, password: 'wrong' }
    const answer = await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload, headers: { 'if-match': '"x"' } })
    expect([answer.statusCode, (await logInAt(api.app, email)).statusCode]).toEqual([401, 200])
  })
})
