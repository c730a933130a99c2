import { expect, it } from 'vitest'
import { nameBodies } from './reference-bodies.ts'
import type { Operation, ReferenceDocument } from './reference-schema.ts'

const TIMESTAMP = { type: 'string', format: 'date-time' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
/** Operation that answers 200 with a schema. */
const answering = (operationId: string, schema: object): Operation => ({
  ...{ operationId, summary: 'Something', tags: ['Data'] },
  responses: { 200: { description: 'OK', ...json(schema) } },
})

function named(...operations: Operation[]): ReferenceDocument {
  return nameBodies({
    ...{ openapi: '3.1.0', info: { title: 'Test', version: '1.0.0' }, servers: [{ url: 'http://127.0.0.1' }] },
    ...{ webhooks: {}, security: [] },
    paths: Object.fromEntries(operations.map((operation, index) => [`/${index}`, { get: operation }])),
    components: { schemas: { Timestamp: TIMESTAMP } },
  })
}

/** Names of the components, and what the first answers of the operations are. */
function shown(...operations: Operation[]): { answers: unknown[]; components: unknown } {
  const { paths, components } = named(...operations)
  const answers = Object.values(paths).map((item) => item.get?.responses['200']?.content?.['application/json']?.schema)
  return { answers, components: components.schemas }
}

const Thing = { title: 'Thing', type: 'object', properties: { id: { type: 'string' } } }
const { title: _title, ...thing } = Thing

const Page = { type: 'object', properties: { data: { type: 'array', items: Thing } } }

it.each<[string, object, string]>([
  ['its title', Thing, 'Thing'],
  ['the title of its items', { type: 'array', items: Thing }, 'ThingList'],
  ['the title of the items of its page', Page, 'ThingPage'],
  ['its operation', { type: 'object', properties: { n: { type: 'number' } } }, 'GetItResponse'],
  ['its operation, as a list of what has no title', { type: 'array', items: { type: 'string' } }, 'GetItResponse'],
  ['its operation, as a list of nothing', { type: 'array', items: null }, 'GetItResponse'],
  ['its operation, as a list with a title that is no text', { items: { title: 7 } }, 'GetItResponse'],
  ['its operation, with data that is no list', { properties: { data: { type: 'string' } } }, 'GetItResponse'],
  ['its operation, with data that is null', { properties: { data: null } }, 'GetItResponse'],
  ['its operation, with data without a title', { properties: { data: { items: { type: 'string' } } } }, 'GetItResponse'],
])('an answer is a component with the name of %s', (_of, schema, name) => {
  expect(shown(answering('getIt', schema)).answers).toEqual([ref(name)])
})

it('lists and pages lead to the component of their items', () => {
  expect(shown(answering('listThings', { type: 'array', items: Thing }), answering('listPage', Page)).components).toEqual({
    ...{ Timestamp: TIMESTAMP, Thing: thing, ThingList: { type: 'array', items: ref('Thing') } },
    ThingPage: { type: 'object', properties: { data: { type: 'array', items: ref('Thing') } } },
  })
})

it('equal bodies share a component, whatever their operation; others of the same name get a number', () => {
  const list = { type: 'object', properties: { n: { type: 'number' } } }
  const other = { ...Thing, properties: { n: { type: 'number' } } }
  const third = { ...Thing, properties: { t: { type: 'boolean' } } }
  const operations = [list, list, Thing, other, Thing, third, other].map((schema, index) => answering(`get${index}`, schema))
  expect(shown(...operations)).toEqual({
    answers: ['Get0Response', 'Get0Response', 'Thing', 'Get0Response', 'Thing', 'Thing2', 'Get0Response'].map(ref),
    components: {
      ...{ Timestamp: TIMESTAMP, Get0Response: list, Thing: thing },
      Thing2: { type: 'object', properties: { t: { type: 'boolean' } } },
    },
  })
})

it('a third and a fourth of one name count on', () => {
  const things = ['a', 'b', 'c', 'd'].map((name) => ({ ...Thing, properties: { [name]: { type: 'string' } } }))
  const { components } = shown(...things.map((schema, index) => answering(`get${index}`, schema)))
  expect(Object.keys(components ?? {})).toEqual(['Timestamp', 'Thing', 'Thing2', 'Thing3', 'Thing4'])
})

it('bodies that are references, or have no schema, stay; answers without content too', () => {
  const operation = {
    ...answering('getIt', ref('Timestamp')),
    responses: {
      200: { description: 'OK', ...json(ref('Timestamp')) },
      204: { description: 'Done' },
      206: { content: { 'text/csv': {} } },
    },
  }
  const { paths } = named(operation)
  expect(paths['/0']?.get).toEqual(operation)
})

it('requests are named by their operation and every media type, beside the rest of the request', () => {
  const body = { type: 'object', properties: { name: { type: 'string' } } }
  const operation = {
    ...answering('addThing', Thing),
    requestBody: { required: true, content: { 'application/json': { schema: body }, 'text/plain': { schema: Thing } } },
  }
  const { paths, components } = named(operation)
  expect(paths['/0']?.get).toEqual({
    ...{ operationId: 'addThing', summary: 'Something', tags: ['Data'] },
    responses: { 200: { description: 'OK', ...json(ref('Thing')) } },
    requestBody: {
      required: true,
      content: { 'application/json': { schema: ref('AddThingRequest') }, 'text/plain': { schema: ref('Thing') } },
    },
  })
  expect(components.schemas).toEqual({ Timestamp: TIMESTAMP, Thing: thing, AddThingRequest: body })
})

it('events are named like operations, and what else a document says stays', () => {
  const event = { ...answering('onThing', Thing), requestBody: json({ type: 'object' }) }
  const before: ReferenceDocument = {
    ...{ openapi: '3.1.0', info: { title: 'Test', version: '1.0.0' }, servers: [{ url: 'http://127.0.0.1' }] },
    ...{ tags: [{ name: 'Data' }], security: [{ bearer: [] }], paths: {}, webhooks: { Thing: { post: event } } },
    components: { responses: { Gone: {} } },
  }
  const { webhooks, components, ...rest } = nameBodies(before)
  expect(webhooks.Thing?.post).toMatchObject({
    requestBody: json(ref('OnThingRequest')),
    responses: { 200: json(ref('Thing')) },
  })
  expect(components).toEqual({ responses: { Gone: {} }, schemas: { Thing: thing, OnThingRequest: { type: 'object' } } })
  expect({ ...rest, webhooks: before.webhooks, components: before.components }).toEqual(before)
})

it('what has a title is hoisted out of any depth, unless it says more than its component', () => {
  const timestamp = { title: 'Timestamp', ...TIMESTAMP }
  const schema = {
    ...{ title: 'Deep', type: 'object' },
    properties: {
      at: timestamp,
      until: { ...timestamp, description: 'The end' },
      maybe: { anyOf: [timestamp, { type: 'null' }] },
      inner: { type: 'array', items: { type: 'object', properties: { thing: Thing } } },
      count: { type: 'integer', minimum: 0, nothing: null },
    },
  }
  const { answers, components } = shown(answering('getIt', schema))
  expect(answers).toEqual([ref('Deep')])
  expect(components).toEqual({
    ...{ Timestamp: TIMESTAMP, Thing: thing },
    Deep: {
      type: 'object',
      properties: {
        at: ref('Timestamp'),
        until: { ...TIMESTAMP, description: 'The end' },
        maybe: { anyOf: [ref('Timestamp'), { type: 'null' }] },
        inner: { type: 'array', items: { type: 'object', properties: { thing: ref('Thing') } } },
        count: { type: 'integer', minimum: 0, nothing: null },
      },
    },
  })
})

it('a shape with properties that differs from the component of its name is another component', () => {
  const schemas = [Thing, { type: 'object', properties: { thing: { ...Thing, properties: { n: { type: 'number' } } } } }]
  const { components } = shown(...schemas.map((schema, index) => answering(`get${index}`, schema)))
  expect(components).toMatchObject({ Get1Response: { properties: { thing: ref('Thing2') } }, Thing2: { properties: { n: {} } } })
})

it('values are no schemas: nothing is hoisted out of them', () => {
  const value = { title: 'Mr', first: 'Ada' }
  const schema = {
    ...{
      type: 'object',
      properties: {},
      example: value,
      examples: [value],
      enum: [value],
      const: value,
      default: value,
      required: [value],
    },
  }
  expect(shown(answering('getIt', schema)).components).toEqual({ Timestamp: TIMESTAMP, GetItResponse: schema })
})
