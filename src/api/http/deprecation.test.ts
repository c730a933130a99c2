import fastifySwagger from '@fastify/swagger'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { defaultApiSettings } from '../context/settings.ts'
import { openapiOptions } from '../reference/openapi.ts'
import { announceDeprecation } from './deprecation.ts'

const DEPRECATED = { since: '2026-11-24', sunset: '2027-11-24', link: 'https://example.com/changes' }

async function appWith(deprecated: typeof DEPRECATED) {
  const app = Fastify()
  await app.register(fastifySwagger, openapiOptions(defaultApiSettings('http://127.0.0.1:8480')))
  app.addHook('onRoute', announceDeprecation)
  const schema = { tags: ['Data'], summary: 'Old', operationId: 'getOld' }
  app.get('/old', { config: { roles: 'public', deprecated, audit: { none: 'a read' } }, schema }, async (_request, reply) =>
    reply.header('link', '</old?PageNumber=1>; rel="first"').send({}),
  )
  app.get('/lost', { config: { roles: 'public', deprecated }, schema: { ...schema, operationId: 'getLost' } }, async (_request, reply) =>
    reply.code(404).send({}),
  )
  app.get('/new', { config: { roles: 'public' }, schema: { ...schema, operationId: 'getNew' } }, async (_request, reply) =>
    reply.code(404).send({}),
  )
  await app.ready()
  return app
}

describe('a deprecated operation', () => {
  it('says so in each answer, and since when, until when and what to read; others say nothing', async () => {
    const app = await appWith(DEPRECATED)
    expect((await app.inject('/old')).headers).toMatchObject({
      deprecation: '@1795478400',
      sunset: 'Wed, 24 Nov 2027 00:00:00 GMT',
      link: '</old?PageNumber=1>; rel="first", <https://example.com/changes>; rel="deprecation"',
    })
    const { headers } = await app.inject('/new')
    expect([headers.deprecation, headers.sunset, headers.link]).toEqual([undefined, undefined, undefined])
  })

  it.each([
    ['GET', '/lost', 404],
    ['HEAD', '/old', 200],
    ['HEAD', '/lost', 404],
  ] as const)('says so once in the answer to %s %s, a %d', async (method, url, status) => {
    const { statusCode, headers } = await (await appWith(DEPRECATED)).inject({ method, url })
    expect([statusCode, headers.deprecation, headers.sunset]).toEqual([status, '@1795478400', 'Wed, 24 Nov 2027 00:00:00 GMT'])
    expect(String(headers.link).match(/rel="deprecation"/g)).toHaveLength(1)
  })

  it('is marked in the document', async () => {
    const { paths } = (await appWith(DEPRECATED)).swagger() as {
      paths: Record<string, { get: { deprecated?: boolean; description: string } }>
    }
    expect([paths['/old']?.get.deprecated, paths['/new']?.get.deprecated]).toEqual([true, undefined])
    expect(paths['/old']?.get.description).toContain('may be removed from 2027-11-24 on')
  })

  it('cannot end less than twelve months later', async () => {
    await expect(appWith({ ...DEPRECATED, sunset: '2027-11-23' })).rejects.toThrow('ends earlier than 12 months')
  })

  it.each(['2028-02-30', '2028-02-28x', 'never'])('cannot begin or end on %s, which is no day', async (day) => {
    await expect(appWith({ ...DEPRECATED, sunset: day })).rejects.toThrow(`no such day: ${day}`)
    await expect(appWith({ ...DEPRECATED, since: day })).rejects.toThrow(`no such day: ${day}`)
  })
})
