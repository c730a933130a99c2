import { describe, expect, it } from 'vitest'
import { readPatch } from './patch.ts'
import { PATCH_OP } from './schemas.ts'
import { ScimError } from './scim-error.ts'

const patch = (...Operations: unknown[]) => readPatch({ schemas: [PATCH_OP], Operations })
/** Status, keyword and sentence of the refusal. */
function refusal(body: unknown): string {
  try {
    readPatch(body)
    return 'taken'
  } catch (error) {
    if (!(error instanceof ScimError)) throw error
    return `${error.status} ${error.scimType}: ${error.message}`
  }
}
const path = (attribute: string) => ({ attribute, filter: null, part: null })

describe('a PATCH', () => {
  it.each<[string, object, object[]]>([
    [
      'an operation with a path',
      { op: 'add', path: 'displayName', value: 'x' },
      [{ operation: 'add', path: path('displayname'), value: 'x' }],
    ],
    [
      'capitals, as Entra ID writes them',
      { Op: 'Replace', Path: 'active', Value: false },
      [{ operation: 'replace', path: path('active'), value: false }],
    ],
    [
      'a removal without a value',
      { op: 'remove', path: 'externalId' },
      [{ operation: 'remove', path: path('externalid'), value: undefined }],
    ],
    ['null, which is a value', { op: 'add', path: 'name', value: null }, [{ operation: 'add', path: path('name'), value: null }]],
    [
      'an operation without a path as one step for each attribute but schemas and meta',
      { op: 'replace', path: null, value: { active: true, 'name.givenName': 'Ann', SCHEMAS: [], Meta: {} } },
      [
        { operation: 'replace', path: path('active'), value: true },
        { operation: 'replace', path: path('name.givenname'), value: 'Ann' },
      ],
    ],
    [
      'the attribute of an extension as a whole',
      { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', value: 1 },
      [{ operation: 'add', path: path('urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:manager'), value: 1 }],
    ],
    [
      'the attribute of a core schema without its prefix',
      { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName', value: 1 },
      [{ operation: 'add', path: path('displayname'), value: 1 }],
    ],
  ])('says %s', (_what, operation, steps) => {
    expect(patch(operation)).toEqual(steps)
  })

  const named = { schemas: [PATCH_OP.toUpperCase()] }
  it.each<[unknown, string]>([
    [[], '400 invalidSyntax: The body must be a JSON object.'],
    [null, '400 invalidSyntax: The body must be a JSON object.'],
    [{ Operations: [] }, `400 invalidSyntax: schemas must contain ${PATCH_OP}.`],
    [{ schemas: ['x', 7], Operations: [] }, `400 invalidSyntax: schemas must contain ${PATCH_OP}.`],
    [{ schemas: PATCH_OP, Operations: [{}] }, `400 invalidSyntax: schemas must contain ${PATCH_OP}.`],
    [{ ...named, operations: [{}], Operations: [{}] }, '400 invalidSyntax: Operations is given twice.'],
    [{ ...named, Operations: 'x' }, '400 invalidSyntax: Operations must be a list of operations.'],
    [{ ...named, Operations: [7] }, '400 invalidSyntax: Operations[0] must be an object.'],
    [{ ...named, Operations: [{ op: 'move' }] }, '400 invalidSyntax: Operations[0].op must be add, replace or remove.'],
    [{ ...named, Operations: [{ op: 7 }] }, '400 invalidSyntax: Operations[0].op must be add, replace or remove.'],
    [{ ...named, Operations: [{ op: 'add', path: 7, value: 1 }] }, '400 invalidPath: Operations[0].path must be a text.'],
    [{ ...named, Operations: [{ op: 'add', path: 'active' }] }, '400 invalidValue: Operations[0] has no value.'],
    [{ ...named, Operations: [{ op: 'remove' }] }, '400 noTarget: Operations[0] has no path.'],
    [{ ...named, Operations: [{ op: 'remove', path: '' }] }, '400 noTarget: Operations[0] has no path.'],
    [
      { ...named, Operations: [{ op: 'add', value: 'x' }] },
      '400 invalidValue: Operations[0].value must be an object where there is no path.',
    ],
    [
      {
        ...named,
        Operations: [
          { op: 'remove', path: 'a' },
          { op: 'add', path: 'a b', value: 1 },
        ],
      },
      '400 invalidPath: Operations[1]: the path cannot be read. Not expected here: b',
    ],
  ])('%j: %s', (body, sentence) => {
    expect(refusal(body)).toBe(sentence)
  })

  it('changes a thousand attributes at most, however they are written', () => {
    const attributes = (count: number) => Object.fromEntries(Array.from({ length: count }, (_one, at) => [`a${at}`, at]))
    const bodyOf = (...Operations: object[]) => ({ ...named, Operations })
    const one = { op: 'remove', path: 'a' }
    const many = '413 tooMany: A request changes at most 1000 attributes.'
    expect(refusal(bodyOf(...Array(1_000).fill(one)))).toBe('taken')
    expect(refusal(bodyOf(...Array(1_001).fill(one)))).toBe(many)
    expect(refusal(bodyOf({ op: 'add', value: attributes(1_000) }))).toBe('taken')
    expect(refusal(bodyOf({ op: 'add', value: attributes(1_001) }))).toBe(many)
    expect(refusal(bodyOf(one, { op: 'add', value: attributes(1_000) }))).toBe(many)
  })

  it('says no attribute twice in one object, of a thousand at most', () => {
    const wide = Object.fromEntries(Array.from({ length: 998 }, (_one, at) => [`a${at}`, at]))
    expect(refusal({ ...named, ...wide, Operations: [] })).toBe('400 invalidSyntax: Operations must be a list of operations.')
    expect(refusal({ ...named, ...wide, more: 1, Operations: [] })).toBe('400 invalidSyntax: An object has more than 1000 attributes.')
  })
})
