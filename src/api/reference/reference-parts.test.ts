import { describe, expect, it } from 'vitest'
import { compact } from './reference-compact.ts'
import { readOperatorReference, readReference } from './reference-document.ts'
import type { Operation, Parameter, ReferenceDocument } from './reference-schema.ts'

const operation = (operationId: string, more: Partial<Operation> = {}): Operation => ({
  ...{ operationId, summary: 'Something', tags: ['Data'], responses: { 200: { description: 'OK' } } },
  ...more,
})
const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({ name, in: 'query', schema: { type: 'string' }, ...more })
const documentOf = (paths: ReferenceDocument['paths'], more: Partial<ReferenceDocument> = {}): ReferenceDocument => ({
  ...{ openapi: '3.1.0', info: { title: 'Test', version: '1.0.0' }, servers: [{ url: 'http://127.0.0.1' }], webhooks: {} },
  ...{ security: [{ bearer: [] }], components: { schemas: {} }, paths },
  ...more,
})
const namesOf = (of: Operation | undefined) => (of?.parameters ?? []).map(({ name }) => name)

describe('the whole reference', () => {
  it.each<[string, unknown]>([
    ['a summary', { operationId: 'getIt', tags: ['Data'], responses: {} }],
    ['an id', { summary: 'Something', tags: ['Data'], responses: {} }],
    ['a tag', { operationId: 'getIt', summary: 'Something', tags: [], responses: {} }],
    ['responses', { operationId: 'getIt', summary: 'Something', tags: ['Data'] }],
  ])('is refused for an operation without %s, which is named', (_what, broken) => {
    const document = { ...documentOf({}), paths: { '/things': { get: broken } } }
    for (const read of [readReference, readOperatorReference])
      expect(() => read(document)).toThrow(/the routes make no whole reference: \/paths\/~1things\/get.* .+/)
  })

  it('is refused for what is no document', () => {
    expect(() => readReference({})).toThrow('the routes make no whole reference')
  })

  it('offers the key against repetition to each POST of a caller, and the precondition to each change', () => {
    const [before] = [parameter('Days')]
    const { paths } = readReference(
      documentOf({
        '/things': {
          get: operation('listThings', { parameters: [before] }),
          post: operation('addThing', { parameters: [before] }),
          put: operation('changeThing'),
          delete: operation('removeThing', { parameters: [before] }),
        },
        '/login': { post: operation('login', { security: [] }) },
        '/open': { put: operation('open', { security: [] }), delete: operation('close', { security: [] }) },
      }),
    )
    expect(
      Object.entries(paths).flatMap(([path, item]) => Object.entries(item).map(([method, of]) => [`${method} ${path}`, namesOf(of)])),
    ).toEqual([
      ['get /things', ['Days']],
      ['post /things', ['Days', 'Idempotency-Key', 'If-Match']],
      ['put /things', ['If-Match']],
      ['delete /things', ['Days', 'If-Match']],
      ['post /login', []],
      ['put /open', []],
      ['delete /open', []],
    ])
    const header = paths['/things']?.post?.parameters?.[1]
    expect(header).toMatchObject({ in: 'header', schema: { type: 'string', minLength: 1, maxLength: 255 } })
    expect(paths['/things']?.put?.parameters).toMatchObject([{ in: 'header', schema: { type: 'string', maxLength: expect.any(Number) } }])
  })

  it('says to operators when the key counts', () => {
    const texts = [readReference, readOperatorReference].map(
      (read) => read(documentOf({ '/things': { post: operation('addThing') } })).paths['/things']?.post?.parameters?.[0]?.description ?? '',
    )
    expect(texts[1]).toBe(`${texts[0]} It counts once the sign-in is complete; before that it is ignored.`)
  })

  it.each<[string, Partial<Parameter>, unknown]>([
    ['the first of its schema', { schema: { examples: ['one', 'two'], default: 'three', enum: ['four'] } }, 'one'],
    ['its default', { schema: { examples: [], default: 3, enum: [1, 2] } }, 3],
    ['its first word', { schema: { enum: ['en', 'fr'] } }, 'en'],
    ['none where the schema has none', { schema: { type: 'string' } }, undefined],
    ['none in a path', { in: 'path', schema: { examples: ['one'] } }, undefined],
  ])('gives a parameter of a query an example: %s', (_which, more, example) => {
    const { paths } = readReference(documentOf({ '/things': { get: operation('listThings', { parameters: [parameter('Days', more)] }) } }))
    expect(paths['/things']?.get?.parameters).toEqual([parameter('Days', example === undefined ? more : { ...more, example })])
  })

  it('has the errors of each operation: those of its path and its words, and what any may give', () => {
    const { paths, components } = readReference(
      documentOf(
        {
          '/things': {
            get: operation('listThings', { description: '429 at the limit, 409 and again 409; not 499, 4040 or 14091' }),
            post: operation('addThing', { responses: { 201: {}, 400: { description: 'Its own' }, default: { description: 'Own' } } }),
          },
          '/things/{id}': { get: operation('getThing', { description: '410 when it is gone. 404 for none.' }) },
        },
        { components: { schemas: { Thing: { type: 'object' } }, responses: { Old: {} } } },
      ),
    )
    const refs = (item: Operation | undefined) =>
      Object.entries(item?.responses ?? {}).map(([status, answer]) => [status, ...('$ref' in answer ? [answer.$ref] : [])])
    const to = (name: string) => `#/components/responses/${name}`
    expect(refs(paths['/things']?.get)).toEqual([
      ['200'],
      ['400', to('BadRequest')],
      ['409', to('Conflict')],
      ['429', to('TooManyRequests')],
      ['default', to('OtherProblem')],
    ])
    expect(paths['/things']?.post?.responses).toEqual({ 201: {}, 400: { description: 'Its own' }, default: { description: 'Own' } })
    expect(refs(paths['/things/{id}']?.get)).toEqual([
      ['200'],
      ['400', to('BadRequest')],
      ['404', to('NotFound')],
      ['410', to('Gone')],
      ['default', to('OtherProblem')],
    ])
    const problem = { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } } }
    expect(Object.keys(components.responses ?? {}).sort()).toEqual(
      ['BadRequest', 'Conflict', 'Gone', 'NotFound', 'OtherProblem', 'TooManyRequests'].sort(),
    )
    for (const answer of Object.values(components.responses ?? {})) expect(answer).toMatchObject({ ...problem, description: /\w/ })
    expect(components.schemas).toMatchObject({ Thing: { type: 'object' }, ProblemDetails: { additionalProperties: false } })
  })
})

describe('paths that differ in the names of their parameters', () => {
  const inPath = (name: string) => parameter(name, { in: 'path', required: true })
  const read = (paths: ReferenceDocument['paths']) =>
    Object.entries(readReference(documentOf(paths)).paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, of]) => [method, namesOf(of)])),
    ])

  it('are one, with a parameter of all the names', () => {
    expect(
      read({
        '/a/{name}/x': { get: operation('getX', { parameters: [inPath('name'), parameter('name')] }) },
        '/b': { get: operation('getB') },
        '/a/{id}/x': { put: operation('putX', { parameters: [inPath('id'), inPath('other')] }) },
        '/a/{key}/x': { delete: operation('deleteX') },
      }),
    ).toEqual([
      ['/a/{nameOrIdOrKey}/x', { get: ['nameOrIdOrKey', 'name'], put: ['nameOrIdOrKey', 'other', 'If-Match'], delete: ['If-Match'] }],
      ['/b', { get: [] }],
    ])
  })

  it('keep a name that all of them have', () => {
    expect(
      read({
        '/a/{id}/x/{one}': { get: operation('getX', { parameters: [inPath('id'), inPath('one')] }) },
        '/a/{id}/x/{two}': { delete: operation('deleteX', { parameters: [inPath('id'), inPath('two')] }) },
      }),
    ).toEqual([['/a/{id}/x/{oneOrTwo}', { get: ['id', 'oneOrTwo'], delete: ['id', 'oneOrTwo', 'If-Match'] }]])
  })
})

describe('the compact document', () => {
  it('has a parameter of several operations once, and each other where it was', () => {
    const days = parameter('Days')
    const { paths, components } = compact(
      documentOf(
        {
          '/a': { get: operation('getA', { parameters: [days, parameter('only-here')] }), put: operation('putA', { parameters: [] }) },
          '/b': { get: operation('getB', { parameters: [parameter('If-Match'), days] }), post: operation('postB') },
          '/c': { get: operation('getC', { parameters: [parameter('If-Match'), parameter('If-Match', { in: 'header' })] }) },
          '/d': { get: operation('getD', { parameters: [parameter('If-Match', { in: 'header' })] }) },
        },
        { components: { schemas: { Days: {} }, responses: { Gone: {} } } },
      ),
    )
    const refer = (name: string) => ({ $ref: `#/components/parameters/${name}` })
    expect(components).toEqual({
      ...{ schemas: { Days: {} }, responses: { Gone: {} } },
      parameters: { Days2: days, IfMatch: parameter('If-Match'), IfMatch2: parameter('If-Match', { in: 'header' }) },
    })
    expect(Object.values(paths).flatMap((item) => Object.values(item))).toEqual([
      operation('getA', { parameters: [refer('Days2'), parameter('only-here')] as never }),
      operation('putA'),
      operation('getB', { parameters: [refer('IfMatch'), refer('Days2')] as never }),
      operation('postB'),
      operation('getC', { parameters: [refer('IfMatch'), refer('IfMatch2')] as never }),
      operation('getD', { parameters: [refer('IfMatch2')] as never }),
    ])
  })

  it('names who may call where that is not as for most operations', () => {
    const both = [{ bearer: [] }, { apiKey: [] }]
    const { security, paths } = compact(
      documentOf({
        '/a': { get: operation('getA', { security: both }), put: operation('putA', { security: both }) },
        '/b': { get: operation('getB'), post: operation('postB', { security: [] }) },
      }),
    )
    expect(security).toEqual(both)
    expect(Object.values(paths).flatMap((item) => Object.values(item))).toEqual([
      operation('getA'),
      operation('putA'),
      operation('getB', { security: [{ bearer: [] }] }),
      operation('postB', { security: [] }),
    ])
  })

  it('leaves out the pattern of a UUID, “not required”, and descriptions that say nothing', () => {
    const schemas = {
      Id: { type: 'string', format: 'uuid', pattern: '^[0-9a-f-]+$', required: true },
      Other: { type: 'string', pattern: '^x$', required: ['a'] },
      Time: { type: 'string', format: 'date-time', pattern: '^.+$' },
      Plain: { format: 'uuid' },
      Optional: { name: 'Days', required: false, pattern: '^y$' },
      Both: { format: 'uuid', pattern: '^z$', required: false },
      None: null,
    }
    const { components, paths } = compact(
      documentOf(
        { '/a': { get: operation('getA', { responses: { 200: { description: 'Default Response' }, 201: { description: 'Made' } } }) } },
        {
          components: { schemas },
        },
      ),
    )
    expect(components.schemas).toEqual({
      ...schemas,
      Id: { type: 'string', format: 'uuid', required: true },
      Optional: { name: 'Days', pattern: '^y$' },
      Both: { format: 'uuid' },
    })
    expect(paths['/a']?.get?.responses).toEqual({ 200: { description: 'OK' }, 201: { description: 'Made' } })
  })
})
