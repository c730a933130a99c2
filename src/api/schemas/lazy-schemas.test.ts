import { createRequire } from 'node:module'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { compileSchemasLazily, noOwnCompilers } from './lazy-schemas.ts'

const compilerFiles = () =>
  Object.keys(createRequire(import.meta.url).cache).filter((file) => /\/(ajv\/dist|fast-json-stringify\/index)/.test(file))

it('a server is ready without what compiles schemas, and checks requests and answers by them from the first on', async () => {
  // Other tests of this worker may have loaded them.
  const before = compilerFiles()
  const app = Fastify({ schemaController: noOwnCompilers })
  compileSchemasLazily(app)
  const body = Type.Object({ name: Type.String(), size: Type.Number() }, { additionalProperties: false })
  app.post('/things', { schema: { body, response: { 200: Type.Object({ name: Type.String() }) } } }, (request) => request.body)
  await app.ready()
  expect(compilerFiles()).toEqual(before)
  const post = async (payload: object) => await app.inject({ method: 'POST', url: '/things', payload })
  const refused = await post({ name: 1, more: true })
  expect(refused.statusCode).toBe(400)
  // All faults at once, nothing converted.
  for (const fault of ["required property 'size'", 'must be string', 'additional properties'])
    expect(refused.json<{ message: string }>().message).toContain(fault)
  expect((await post({ name: 'a', size: 1 })).body).toBe('{"name":"a"}')
  expect((await post({ name: 'b' })).statusCode).toBe(400)
  expect(compilerFiles().length).toBeGreaterThan(0)
  await app.close()
})
