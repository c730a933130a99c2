import { describe, expect, it } from 'vitest'
import { toFieldErrors } from './input-errors.ts'

const finding = (keyword: string, instancePath: string, params: Record<string, unknown> = {}, schemaPath = '#', message?: string) => ({
  ...{ keyword, instancePath, params, schemaPath },
  ...(message === undefined ? {} : { message }),
})
const only = (given: ReturnType<typeof finding>, part = 'body') => toFieldErrors([given], part)

describe('an error of validation', () => {
  it.each([
    ['a property that is missing', finding('required', '/address', { missingProperty: 'city' }), 'address.city', 'is required'],
    ['one at the top', finding('required', '', { missingProperty: 'name' }), 'name', 'is required'],
    ['one that is unknown', finding('additionalProperties', '/a', { additionalProperty: 'b' }), 'a.b', 'is not a known property'],
    [
      'one with a long name',
      finding('additionalProperties', '', { additionalProperty: 'x'.repeat(200) }),
      'x'.repeat(100),
      'is not a known property',
    ],
    ['the whole body', finding('type', '', {}, '#', 'must be object'), 'body', 'must be object'],
    ['an empty object', finding('minProperties', '/filter'), 'filter', 'needs at least one property'],
    ['a word that is none of those', finding('enum', '/role', { allowedValues: ['a', 'b'] }), 'role', 'must be one of a, b'],
    ['a word without a list', finding('enum', '/role', {}, '#', 'is odd'), 'role', 'is odd'],
    ['a form', finding('pattern', '/id', { pattern: '^secret$' }), 'id', 'has a wrong form'],
    ['a format', finding('format', '/at', { format: 'date-time' }), 'at', 'must be a valid date-time'],
    ['a name with special characters', finding('type', '/a~1b/c~0d/0', {}, '#', 'must be string'), 'a/b.c~d.0', 'must be string'],
    ['nothing in particular', finding('not', '/x'), 'x', 'is invalid'],
  ])('of %s names field and fault', (_what, given, field, message) => {
    expect(only(given)).toEqual([{ field, message }])
  })

  it('of a query speaks of parameters', () => {
    expect(only(finding('additionalProperties', '', { additionalProperty: 'b' }), 'querystring')).toEqual([
      { field: 'b', message: 'is not a known parameter' },
    ])
    expect(only(finding('type', '', {}, '#', 'x'), 'querystring')).toEqual([{ field: 'query', message: 'x' }])
    expect(only(finding('type', '', {}, '#', 'x'), 'params')).toEqual([{ field: 'params', message: 'x' }])
  })

  it('is told once for a field, the first, and for fifty fields at most', () => {
    const twice = [finding('type', '/a', {}, '#', 'first'), finding('type', '/b', {}, '#', 'x'), finding('pattern', '/a')]
    expect(toFieldErrors(twice, 'body')).toEqual([
      { field: 'a', message: 'first' },
      { field: 'b', message: 'x' },
    ])
    const many = Array.from({ length: 60 }, (_one, at) => finding('type', `/f${at}`, {}, '#', 'x'))
    expect(toFieldErrors(many, 'body')).toHaveLength(50)
    expect(toFieldErrors([], 'body')).toEqual([])
  })
})

describe('the errors of a choice between shapes', () => {
  const BRANCH = '#/properties/to/anyOf'
  const word = (branch: number, allowedValue: string) =>
    finding('const', '/to/kind', { allowedValue }, `${BRANCH}/${branch}/properties/kind/const`)
  const missing = (branch: number, name: string) => finding('required', '/to', { missingProperty: name }, `${BRANCH}/${branch}/required`)
  const whole = finding('anyOf', '/to', {}, BRANCH, 'must match a schema in anyOf')
  const other = finding('type', '/name', {}, '#/properties/name/type', 'must be string')

  it('are those of the shape that is meant', () => {
    expect(toFieldErrors([missing(0, 'bucket'), word(1, 'sftp'), missing(1, 'host'), whole, other], 'body')).toEqual([
      { field: 'to.bucket', message: 'is required' },
      { field: 'name', message: 'must be string' },
    ])
  })

  it('are the words to choose from where none is meant', () => {
    expect(toFieldErrors([word(0, 's3'), missing(0, 'bucket'), word(1, 'sftp'), whole, other], 'body')).toEqual([
      { field: 'to.kind', message: 'must be one of s3, sftp' },
      { field: 'name', message: 'must be string' },
    ])
  })

  it('of one do not hide those of another', () => {
    const second = finding('const', '/from/kind', { allowedValue: 'x' }, '#/properties/from/anyOf/0/properties/kind/const')
    expect(toFieldErrors([word(0, 's3'), word(1, 'sftp'), whole, second], 'body')).toEqual([
      { field: 'to.kind', message: 'must be one of s3, sftp' },
      { field: 'from.kind', message: 'must be one of x' },
    ])
  })

  it('without a word that decides are told as they are', () => {
    expect(toFieldErrors([missing(0, 'a'), missing(1, 'b'), whole], 'body')).toEqual([
      { field: 'to.a', message: 'is required' },
      { field: 'to.b', message: 'is required' },
      { field: 'to', message: 'must match a schema in anyOf' },
    ])
  })
})
