import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { answerFault, type DocumentedOperation, readDocument, schemaValidator } from '../../../test/harness/test-answers.ts'
import { bearerOf, logInAt, testApi } from '../../../test/harness/test-api.ts'
import { OPERATION_TEXTS } from './reference-texts.ts'

describe('the reference', () => {
  const api = openForTests(testApi)
  const document = openForTests(() => readDocument(api.app))
  let operations: DocumentedOperation[]
  beforeAll(() => {
    operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  })

  it('is OpenAPI by a validator that none of us wrote', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    expect([valid, errors]).toEqual([true, undefined])
  })

  it('has no two paths that differ in the names of their parameters only', () => {
    const templates = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'))
    expect(templates.filter((template, index) => templates.indexOf(template) !== index)).toEqual([])
  })

  it('defines every tag, says who runs it, and names every body', () => {
    const defined = new Set((document.tags ?? []).filter(({ description }) => description).map(({ name }) => name))
    expect(operations.filter(({ tags }) => tags?.length !== 1 || !defined.has(tags[0] ?? ''))).toEqual([])
    expect(document.info.contact?.name).toBeTruthy()
    const bodies = operations.flatMap(({ requestBody, responses }) => [
      ...Object.values(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap((answer) => ('content' in answer ? Object.values(answer.content ?? {}) : [])),
    ])
    expect(bodies.filter(({ schema }) => schema && !('$ref' in schema) && 'properties' in schema)).toEqual([])
    // A second schema of the same name would get a number.
    expect(Object.keys(document.components.schemas).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([])
    expect(document.components.schemas.Timestamp).toMatchObject({ description: 'UTC, ISO 8601 without an offset' })
    expect(document.components.schemas).toMatchObject({
      Company: {},
      ListedConnection: {},
      BankAccount: {},
      Subscription: {},
      ProblemDetails: {},
    })
  })

  it('gives a schema and a parameter no name in common: generators make a type of each', async () => {
    for (const name of ['openapi', 'administration']) {
      const { components } = (await api.app.inject({ url: `/admin/api/${name}.json` })).json<{ components: Record<string, object> }>()
      const names = ['schemas', 'parameters'].flatMap((kind) => Object.keys(components[kind] ?? {}))
      expect(names.filter((each, index) => names.indexOf(each) !== index)).toEqual([])
    }
  })

  it('describes every operation in more words than its summary and who may call it', () => {
    const words = ({ description = '' }: DocumentedOperation) => description.replace(/\n*Roles: .*\.$/, '').length
    expect(operations.filter((operation) => words(operation) < 5).map(({ operationId }) => operationId)).toEqual([])
    const ids = new Set(operations.map(({ operationId }) => operationId))
    // The sandbox operations are left out here.
    const sandbox = ['listSimulators', 'armFault', 'clearFaults', 'moveClock', 'listCaughtMails']
    expect(Object.keys(OPERATION_TEXTS).filter((id) => !ids.has(id))).toEqual(sandbox)
  })

  it('gives parameters examples with which a list answers', async () => {
    const { email } = await api.addUser()
    const headers = await bearerOf(api, email)
    const refused: string[] = []
    for (const [path, { get }] of Object.entries(document.paths)) {
      const parameters = (get?.parameters ?? []).filter((parameter) => parameter.in === 'query' && 'example' in parameter)
      const query = new URLSearchParams(parameters.map(({ name, example }) => [name, String(example)]))
      const url = `${path.replace(/\{\w+\}/g, '3f2504e0-4f89-41d3-9a0c-0305e82c3301')}?${query}`
      const { statusCode, body } = get ? await api.app.inject({ url, headers }) : { statusCode: 200, body: '' }
      if (statusCode === 400) refused.push(`${url}: ${body}`)
    }
    expect(refused).toEqual([])
  })

  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/)
  })

  it('leads with every reference to something in it', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '')
    const dangling = references.filter((path) => path.split('/').reduce<unknown>(step, document) === undefined)
    expect([references.length > 0, dangling]).toEqual([true, []])
  })

  it('holds only schemas that are JSON Schema 2020-12', () => {
    const ajv = schemaValidator()
    const schemas = [
      ...Object.values(document.components.schemas),
      ...operations.flatMap((operation) => [
        ...(operation.parameters ?? []).map((parameter) => parameter.schema),
        ...Object.values(operation.requestBody?.content ?? {}).map((media) => media.schema),
        ...Object.values(operation.responses).flatMap((answer) =>
          'content' in answer ? Object.values(answer.content ?? {}).map((media) => media.schema ?? {}) : [],
        ),
      ]),
    ]
    expect(schemas.filter((schema) => !ajv.validateSchema(schema))).toEqual([])
  })

  it('closes every object of an answer and of an event, so that no field goes undocumented, or says why it is open', () => {
    const { components, webhooks } = document
    expect(listOpenObjects({ components, webhooks, answers: operations.map(({ responses }) => responses) })).toEqual([])
    expect(listOpenObjects({ a: { type: 'object', properties: {} }, b: { type: 'object', additionalProperties: true } })).toEqual([
      '/a',
      '/b',
    ])
  })

  it('declares every parameter of a path, and requires it', () => {
    const missing = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item).flatMap((operation) => {
        const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
        const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
        const isWhole =
          declared.every((parameter) => parameter.required) && declared.map((parameter) => parameter.name).join() === named.join()
        return isWhole ? [] : [operation.operationId]
      }),
    )
    expect(missing).toEqual([])
  })

  it('gives every operation an id of its own, a summary, a tag and what it answers', () => {
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(operations.length)
    // Names of methods of the SDKs: a verb, and what it is done to.
    expect(operations.map(({ operationId }) => operationId).filter((id) => !METHOD_NAME.test(id))).toEqual([])
    expect(operations.filter((operation) => !operation.summary || !operation.tags?.length)).toEqual([])
    expect(operations.filter((operation) => !Object.keys(operation.responses).some((status) => /^[23]\d\d$/.test(status)))).toEqual([])
  })

  it('gives every answer a description', () => {
    const answers = operations.flatMap((operation) => Object.values(operation.responses))
    expect(answers.filter((answer) => !('$ref' in answer) && !answer.description)).toEqual([])
  })

  it('says how errors look, for every operation', () => {
    expect(operations.filter(({ responses }) => !responses['400'] || !responses.default)).toEqual([])
    expect(document.components.schemas.ProblemDetails).toHaveProperty('properties.Code')
  })

  it('holds against what the server answers', async () => {
    const { email } = await api.addUser()
    const headers = await bearerOf(api, email)
    const get = (path: string, with_: Record<string, string> = headers) => api.app.inject({ url: `/admin/api/v1${path}`, headers: with_ })
    const live = [
      ['login', await logInAt(api.app, email)],
      ['login', await logInAt(api.app, email, 'wrong')],
      ['login', await logInAt(api.app, email, '')],
      ['whoami', await get('/auth/me')],
      ['whoami', await get('/auth/me', {})],
      ['listUsers', await get('/users')],
      ['listUsers', await get('/users?PageSize=1')],
      ['getUser', await get('/users/3f2504e0-4f89-41d3-9a0c-0305e82c3301')],
      ['getTwoStep', await get('/auth/two-step/setup')],
      ['logout', await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/logout', headers })],
    ] as const
    expect(live.map(([operation, response]) => answerFault(document, operation, response)).filter(Boolean)).toEqual([])
  })
})

const METHOD_NAME =
  /^(login|logout|whoami|(accept|answer|arm|begin|change|check|clear|complete|confirm|count|create|delete|disable|disconnect|download|enable|end|explain|find|get|invite|list|move|promote|prove|read|redrive|refresh|rename|renew|replay|replicate|request|reset|resume|retire|revoke|rotate|scan|search|send|start|suspend|test|update)[A-Z][A-Za-z]+)$/

/** One step of a JSON pointer. */
function step(value: unknown, name: string): unknown {
  const key = decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([own]) => own === key)?.[1] : undefined
}

/** Object schemas that accept properties of any name; a map, whose values have a schema, does not count. */
function listOpenObjects(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, additionalProperties: others, patternProperties, $comment }: Record<string, unknown> = { ...value }
  const isMap = typeof others === 'object' || patternProperties !== undefined
  const isOpen = type === 'object' && others !== false && !isMap && !String($comment).startsWith('open: ')
  return [...(isOpen ? [path] : []), ...Object.entries(value).flatMap(([key, each]) => listOpenObjects(each, `${path}/${key}`))]
}
