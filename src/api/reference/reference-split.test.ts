import { describe, expect, it } from 'vitest'
import { defaultApiSettings } from '../context/settings.ts'
import { openapiOptions } from './openapi.ts'
import { splitDocument } from './operator-document.ts'
import { addRecordedExamples, type Example } from './reference-examples.ts'
import { partOf, type Served, splitAdministration } from './reference-split.ts'

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
const json = (media: object) => ({ content: { 'application/json': media } })
const document = (more: Partial<Served>): Served => ({
  ...{ info: { title: 'Test', version: '1.0.0' }, tags: [], paths: {}, webhooks: {}, security: [], components: {} },
  ...more,
})

describe('a part of the document', () => {
  const whole = document({
    tags: [{ name: 'Data' }, { name: 'Users' }, { name: 'Jobs' }],
    paths: {
      '/data': { get: { tags: ['Data'], responses: { 200: json({ schema: ref('schemas', 'Thing') }) } }, put: { tags: ['Users'] } },
      '/users': { get: { tags: ['Users'], responses: { 200: json({ schema: ref('schemas', 'User') }) } } },
      '/jobs': { get: { tags: ['Jobs', 'Data'] } },
    },
    webhooks: { Thing: { post: { schema: ref('schemas', 'Event') } } },
    security: [{ bearer: [] }],
    components: {
      schemas: {
        Thing: { properties: { own: ref('schemas', 'Inner'), self: ref('schemas', 'Thing') } },
        Inner: { items: ref('responses', 'Gone') },
        User: { type: 'object' },
        Event: { type: 'object' },
        Unused: ref('schemas', 'Thing'),
      },
      responses: { Gone: {}, Other: {} },
      securitySchemes: { bearer: {}, apiKey: {} },
    },
  })

  it('has the operations of its tags, and the components that these and the events use, directly or not', () => {
    const { components, ...part } = partOf(whole, (tag) => tag === 'Data')
    expect(part).toEqual({
      ...{ info: whole.info, webhooks: whole.webhooks, security: whole.security, tags: [{ name: 'Data' }] },
      paths: { '/data': { get: whole.paths['/data']?.get }, '/jobs': whole.paths['/jobs'] },
    })
    expect(components).toEqual({
      schemas: { Thing: whole.components.schemas?.Thing, Inner: whole.components.schemas?.Inner, Event: { type: 'object' } },
      ...{ responses: { Gone: {} }, securitySchemes: { bearer: {} } },
    })
  })

  it('has the schemes of its own operations, too', () => {
    const own = document({ ...whole, paths: { '/a': { get: { tags: ['Data'], ...{ security: [{ apiKey: [] }] } } } } })
    expect(partOf(own, () => true).components.securitySchemes).toEqual({ bearer: {}, apiKey: {} })
  })

  it('is for developers, or for the administration, which has a name of its own and no events', () => {
    const { api, administration } = splitAdministration(whole)
    expect(api).toEqual(partOf(whole, (tag) => tag === 'Data'))
    expect(administration).toMatchObject({
      info: { title: 'Countinghouse administration API', version: '1.0.0', description: expect.stringMatching(/^Settings of an instance/) },
      ...{ tags: [{ name: 'Users' }, { name: 'Jobs' }], webhooks: {} },
      paths: { '/data': { put: { tags: ['Users'] } }, '/users': whole.paths['/users'], '/jobs': whole.paths['/jobs'] },
    })
    expect(administration).toHaveProperty('components', {
      ...{ schemas: { User: { type: 'object' } }, responses: {}, securitySchemes: { bearer: {} } },
    })
  })
})

describe('the documents of developers and of operators', () => {
  const generated = {
    ...{ info: { title: 'Whole', version: '1.0.0' }, tags: [{ name: 'Data' }], webhooks: { Thing: {} } },
    paths: {
      '/admin/operator/x': { get: { operationId: 'getX' } },
      '/operator/api/v1/operators': {
        get: { operationId: 'listOperators', summary: 'All' },
        post: { operationId: 'listOperators', description: 'Its own' },
        put: { operationId: 'other' },
        delete: {},
      },
      '/operator/none': null,
      '/operator/text': 'text',
    },
  }

  it('are told apart by the path', () => {
    const { api } = splitDocument(generated)
    expect(api).toEqual({ ...generated, paths: { '/admin/operator/x': generated.paths['/admin/operator/x'] } })
  })

  it('have for operators tags, a name and words of their own, and no events', () => {
    const { operators } = splitDocument(generated)
    expect(operators).toMatchObject({
      info: { title: 'Countinghouse operator API', version: '1.0.0', description: expect.stringContaining('for those who run it') },
      webhooks: {},
    })
    const { tags, paths } = operators as { tags: { name: string }[]; paths: object }
    expect(tags.map(({ name }) => name)).toEqual(['Sign-in', 'Operators', 'Instances', 'Deployment'])
    expect(paths).toEqual({
      '/operator/api/v1/operators': {
        get: { operationId: 'listOperators', summary: 'All', description: 'With the state of the sign-in of each.' },
        post: { operationId: 'listOperators', description: 'Its own' },
        put: { operationId: 'other' },
        delete: {},
      },
      ...{ '/operator/none': null, '/operator/text': 'text' },
    })
  })

  it('are made of a document without paths, too', () => {
    expect(splitDocument({ info: {} })).toMatchObject({ api: { paths: {} }, operators: { paths: {} } })
  })
})

describe('recorded examples', () => {
  const long = { text: 'x'.repeat(100) }
  /** Of exactly 100 characters. */
  const limit = { text: 'y'.repeat(89) }
  const operation = (operationId: string, more: object = {}) => ({
    ...{ operationId, tags: ['Data'], requestBody: { required: true, ...json({ schema: {}, example: 'old', examples: {} }) } },
    responses: { 200: { description: 'OK', ...json({ schema: {}, example: 'old', examples: {} }) }, 404: json({}) },
    ...more,
  })
  const shown = (examples: Record<string, Example>, ...operations: Served['paths'][string][string][]) => {
    const added = addRecordedExamples(
      document({
        paths: Object.fromEntries(operations.map((each, index) => [`/${index}`, { get: each }])),
        components: { schemas: { Thing: {} } },
      }),
      examples,
    )
    return { operations: Object.values(added.paths).map((item) => item.get), components: added.components }
  }
  const type = 'application/json'

  it('take the place of those of the schema, in the request and in the answer of their status and type', () => {
    const { operations, components } = shown({ getIt: { request: { a: 1 }, status: 200, type, answer: { b: 2 } } }, operation('getIt'))
    expect(operations).toEqual([
      {
        ...{ operationId: 'getIt', tags: ['Data'], requestBody: { required: true, ...json({ schema: {}, example: { a: 1 } }) } },
        responses: { 200: { description: 'OK', ...json({ schema: {}, example: { b: 2 } }) }, 404: json({}) },
      },
    ])
    expect(components).toEqual({ schemas: { Thing: {} }, examples: {} })
  })

  it.each<[string, Record<string, Example>]>([
    ['without one', {}],
    ['of another status', { getIt: { status: 202, type, answer: 1 } }],
    ['of a type that is not answered', { getIt: { status: 200, type: 'text/csv', answer: 1 } }],
    ['without a type', { getIt: { status: 200 } }],
  ])('%s leave the operation alone', (_which, examples) => {
    expect(shown(examples, operation('getIt')).operations).toEqual([operation('getIt')])
  })

  it('are shown for the request where the answer has none, and none where no body is sent', () => {
    const [only, none, nameless] = shown(
      { getIt: { request: 1, status: 204 }, getNone: { request: 1, status: 204 } },
      operation('getIt'),
      { operationId: 'getNone', tags: [] },
      { tags: [] },
    ).operations
    expect(only).toEqual(operation('getIt', { requestBody: { required: true, ...json({ schema: {}, example: 1 }) } }))
    expect([none, nameless]).toEqual([{ operationId: 'getNone', tags: [] }, { tags: [] }])
  })

  it('that are long and used more than once are a component, named after the first', () => {
    const examples = {
      getA: { request: long, status: 200, type, answer: limit },
      getB: { status: 200, type, answer: long },
      getC: { request: limit, status: 200, type, answer: { text: 'z'.repeat(100) } },
      getD: { request: { text: 'w'.repeat(80) }, status: 200, type, answer: { text: 'w'.repeat(80) } },
    }
    const { operations, components } = shown(examples, ...Object.keys(examples).map((id) => operation(id)))
    const recorded = (name: string) => ({ schema: {}, examples: { recorded: ref('examples', name) } })
    expect(components).toEqual({ schemas: { Thing: {} }, examples: { getARequest: { value: long }, getA: { value: limit } } })
    expect(operations).toMatchObject([
      { requestBody: json(recorded('getARequest')), responses: { 200: json(recorded('getA')) } },
      { requestBody: json({ example: 'old' }), responses: { 200: json(recorded('getARequest')) } },
      { requestBody: json(recorded('getA')), responses: { 200: json({ example: { text: 'z'.repeat(100) } }) } },
      { requestBody: json({ example: { text: 'w'.repeat(80) } }), responses: { 200: json({ example: { text: 'w'.repeat(80) } }) } },
    ])
  })
})

describe('what the document says of who may call', () => {
  const { transform } = openapiOptions(defaultApiSettings('https://books.example'))
  const said = (config: object, schema: object = {}) => {
    if (transform === undefined) throw new Error('there is no transformation')
    const route = { method: 'GET', url: '/x', handler: () => undefined, config }
    return transform({ schema, url: '/x', route, swaggerObject: {}, openapiObject: {} } as never).schema
  }

  it.each<[string, object, object, object]>([
    ['of a page', {}, { summary: 'A page' }, { summary: 'A page' }],
    ['of everybody', { roles: 'public' }, { description: 'Text.' }, { description: 'Text.', security: [] }],
    ['of everybody, without words', { roles: 'public' }, {}, { description: '', security: [] }],
    ['of users', { roles: ['admin', 'viewer'], scope: 'users' }, {}, { description: 'Roles: admin, viewer. Not for API keys.' }],
    ['without a scope', { roles: ['admin'] }, {}, { description: 'Roles: admin. Not for API keys.' }],
    [
      'of users with a fresh proof',
      { roles: ['admin'], scope: 'users', proof: 'fresh' },
      { description: 'Text.' },
      { description: 'Text.\n\nRoles: admin. Not for API keys.\n\nAsks sessions for a fresh proof.' },
    ],
    [
      'whose body is the proof',
      { roles: ['admin'], scope: 'users', proof: 'body' },
      {},
      { description: 'Roles: admin. Not for API keys.' },
    ],
    [
      'of keys',
      { roles: ['admin'], scope: 'data:read' },
      {},
      { description: 'Roles: admin. Scope of API keys: `data:read`.', security: [{ bearer: [] }, { apiKey: [] }] },
    ],
    [
      'with a note of its own operation behind its description',
      { roles: 'public' },
      { description: 'Text.', operationId: 'logout' },
      { operationId: 'logout', description: 'Text. Other sessions of the account go on.', security: [] },
    ],
    [
      'that will be gone',
      { roles: 'public', deprecated: { since: '2026-01-01', sunset: '2027-01-01', link: 'https://a.example' } },
      { description: 'Text.' },
      {
        ...{ deprecated: true, security: [] },
        description: 'Deprecated since 2026-01-01; it may be removed from 2027-01-01 on, see https://a.example. Text.',
      },
    ],
    [
      'of keys, that will be gone',
      { roles: ['admin'], scope: 'data:read', deprecated: { since: 'a', sunset: 'b', link: 'c' } },
      {},
      {
        ...{ deprecated: true, security: [{ bearer: [] }, { apiKey: [] }] },
        description: 'Deprecated since a; it may be removed from b on, see c.\n\nRoles: admin. Scope of API keys: `data:read`.',
      },
    ],
    [
      'of users, that will be gone',
      { roles: ['admin'], scope: 'users', deprecated: { since: 'a', sunset: 'b', link: 'c' } },
      {},
      { deprecated: true, description: 'Deprecated since a; it may be removed from b on, see c.\n\nRoles: admin. Not for API keys.' },
    ],
  ])('%s', (_which, config, schema, expected) => {
    expect(said(config, schema)).toEqual({ ...schema, ...expected })
  })
})
