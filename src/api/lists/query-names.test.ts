import Fastify from 'fastify'
import { Type } from 'typebox'
import { afterAll, expect, it } from 'vitest'
import { ApiError } from '../errors/errors.ts'
import { queryReader } from './query-names.ts'

const app = Fastify()
app.addHook('onRoute', (route) => {
  const read = queryReader(route)
  route.preValidation = async (request) => read(request)
})
app.setErrorHandler((error, _request, reply) => reply.code(400).send(error instanceof ApiError ? error.fields : []))
const schema = {
  querystring: Type.Object({
    PageSize: Type.Optional(Type.Integer()),
    Desc: Type.Optional(Type.Boolean()),
    Name: Type.Optional(Type.String()),
  }),
}
app.get('/list', { schema, validatorCompiler: () => () => true }, async ({ query }) => query)
app.get('/none', async ({ query }) => query)
afterAll(() => app.close())

it.each([
  ['/list?pagesize=10&DESC=True&name=5', { PageSize: 10, Desc: true, Name: '5' }],
  ['/list?desc=FALSE&PageSize=-2.5', { Desc: false, PageSize: -2.5 }],
  ['/list?desc=yes&PageSize=1e3', { Desc: 'yes', PageSize: '1e3' }],
  ['/list?PageSize=1234567890123456', { PageSize: '1234567890123456' }],
  ['/list?PageSize=', { PageSize: '' }],
  ['/list', {}],
  ['/none', {}],
])('%s is read as %j', async (url, query) => {
  expect((await app.inject(url)).json()).toEqual(query)
})

it.each([
  ['/list?Name=a&Name=b', [{ field: 'Name', message: 'is given twice' }]],
  ['/list?Name=a&name=b', [{ field: 'Name', message: 'is given twice' }]],
  [
    `/list?${'x'.repeat(200)}=1&Name=a&NAME=b`,
    [
      { field: 'x'.repeat(100), message: 'is not a known parameter' },
      { field: 'Name', message: 'is given twice' },
    ],
  ],
  ['/none?a=1', [{ field: 'a', message: 'is not a known parameter' }]],
])('%s is refused', async (url, fields) => {
  const { statusCode, body } = await app.inject(url)
  expect([statusCode, JSON.parse(body)]).toEqual([400, fields])
})
