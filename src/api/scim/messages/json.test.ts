import { describe, expect, it } from 'vitest'
import { Attributes, isObject, readMessage } from './json.ts'
import { ScimError } from './scim-error.ts'

/** Type and words of the refusal. */
function refusalOf(read: () => unknown): string {
  try {
    return `taken: ${JSON.stringify(read())}`
  } catch (error) {
    if (!(error instanceof ScimError)) throw error
    return `${error.status} ${error.scimType} ${error.message}`
  }
}
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'

it.each([
  [{}, true],
  [[], false],
  [null, false],
  ['text', false],
  [undefined, false],
])('%j is an object: %s', (value, is) => {
  expect(isObject(value)).toBe(is)
})

describe('a message', () => {
  it.each([[[SCHEMA]], [['other', SCHEMA.toLowerCase()]], [[7, SCHEMA.toUpperCase()]]])('names its schema with %j', (schemas) => {
    expect(readMessage({ schemas, userName: 'noor' }, SCHEMA).get('username')).toBe('noor')
  })

  it.each([
    ['a text', 'text', 'The body must be a JSON object.'],
    ['a list', [], 'The body must be a JSON object.'],
    ['no schemas', {}, `schemas must contain ${SCHEMA}.`],
    ['a schema that is no list', { schemas: SCHEMA }, `schemas must contain ${SCHEMA}.`],
    ['another schema', { schemas: ['other', 7, null] }, `schemas must contain ${SCHEMA}.`],
    ['a schema that only begins like it', { schemas: [`${SCHEMA}s`] }, `schemas must contain ${SCHEMA}.`],
  ])('is refused with %s', (_what, body, words) => {
    expect(refusalOf(() => readMessage(body, SCHEMA))).toBe(`400 invalidSyntax ${words}`)
  })
})

describe('attributes', () => {
  it('are found in lower case, whatever their capitals; null and an empty list count as absent', () => {
    const attributes = new Attributes({ UserName: 'a', none: null, empty: [], list: [0], no: false, zero: 0 })
    expect(['username', 'UserName', 'none', 'empty', 'list', 'no', 'zero'].map((name) => attributes.get(name))).toEqual([
      ...['a', undefined, undefined, undefined, [0], false, 0],
    ])
  })

  it('are a thousand at most, and each is given once', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, at]))
    expect(refusalOf(() => new Attributes(many(1_000)).get('a999'))).toBe('taken: 999')
    expect(refusalOf(() => new Attributes(many(1_001)))).toBe('400 invalidSyntax An object has more than 1000 attributes.')
    expect(refusalOf(() => new Attributes({ active: 1, ACTIVE: 2 }))).toBe('400 invalidSyntax ACTIVE is given twice.')
    const long = 'x'.repeat(101)
    expect(refusalOf(() => new Attributes({ [long]: 1, [long.toUpperCase()]: 2 }))).toBe(
      `400 invalidSyntax ${'X'.repeat(100)} is given twice.`,
    )
  })

  const INVALID = '400 invalidValue'
  it.each([
    ['a text', 'noor', 'taken: "noor"'],
    ['a blank', ' ', 'taken: " "'],
    ['nothing', '', 'taken: undefined'],
    ['null', null, 'taken: undefined'],
    ['as much as it may', 'abcde', 'taken: "abcde"'],
    ['more than it may', 'abcdef', `${INVALID} userName has more than 5 characters.`],
    ['a number', 7, `${INVALID} userName must be a text.`],
    ['an object', {}, `${INVALID} userName must be a text.`],
    ['a NUL', 'a\0', `${INVALID} userName holds a character that is not allowed.`],
    ['half a character', '\ud800', `${INVALID} userName holds a character that is not allowed.`],
  ])('of text: %s', (_what, value, result) => {
    expect(refusalOf(() => new Attributes({ userName: value }).text('username', 'userName', 5))).toBe(result)
  })

  it.each([
    [true, 'taken: true'],
    [false, 'taken: false'],
    ['True', 'taken: true'],
    ['FALSE', 'taken: false'],
    [null, 'taken: undefined'],
    ['', `${INVALID} active must be true or false.`],
    ['yes', `${INVALID} active must be true or false.`],
    [1, `${INVALID} active must be true or false.`],
  ])('of truth: %j', (value, result) => {
    expect(refusalOf(() => new Attributes({ active: value }).truth('active', 'active'))).toBe(result)
  })

  it.each([
    [undefined, 'taken: []'],
    [null, 'taken: []'],
    [[], 'taken: []'],
    [{ value: 1 }, 'taken: [{"value":1}]'],
    [[1, 2], 'taken: [1,2]'],
    [[1, 2, 3], `${INVALID} emails has more than 2 values.`],
  ])('of lists: %j', (value, result) => {
    expect(refusalOf(() => new Attributes({ emails: value }).list('emails', 'emails', 2))).toBe(result)
  })
})
