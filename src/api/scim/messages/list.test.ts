import { describe, expect, it } from 'vitest'
import { readListQuery, readSearch, toListResponse } from './list.ts'
import { LIST_RESPONSE, SEARCH_REQUEST } from './schemas.ts'

const USUAL = { filter: null, offset: 0, limit: 100, projection: { only: null, without: new Set() } }
const refused = (scimType: string, message: string) => expect.objectContaining({ status: 400, scimType, message })

describe('a list', () => {
  it.each<[Record<string, unknown>, object]>([
    [{}, {}],
    [{ startIndex: '1', count: '200' }, { limit: 200 }],
    [
      { STARTINDEX: '11', Count: '201' },
      { offset: 10, limit: 200 },
    ],
    [
      { startIndex: 3, count: 7 },
      { offset: 2, limit: 7 },
    ],
    [{ startIndex: '0', count: '0' }, { limit: 0 }],
    [{ startIndex: '-5', count: '-5' }, { limit: 0 }],
    [{ startIndex: '', count: '', filter: '' }, {}],
    [{ startIndex: '1000000001' }, { offset: 999_999_999 }],
    [{ startIndex: '999999999999' }, { offset: 999_999_999 }],
    [{ filter: 'userName eq "noor"' }, { filter: { kind: 'compare', attribute: 'username', operator: 'eq', value: 'noor' } }],
    [{ attributes: 'userName, emails' }, { projection: { only: new Set(['username', 'emails']), without: new Set() } }],
    [{ excludedAttributes: ['groups', 'name'] }, { projection: { only: null, without: new Set(['groups', 'name']) } }],
    [{ sortBy: 'userName', other: 'x' }, {}],
  ])('is asked for by the query %j', (query, wanted) => {
    expect(readListQuery(query)).toEqual({ ...USUAL, ...wanted })
    expect(readSearch({ schemas: [SEARCH_REQUEST], ...query })).toEqual({ ...USUAL, ...wanted })
  })

  it.each([[undefined], [null], ['text'], [7]])('is the usual one where the query is %j', (query) => {
    expect(readListQuery(query)).toEqual(USUAL)
  })

  it.each([
    [{ startIndex: 'x' }, 'invalidValue', 'startIndex must be a whole number.'],
    [{ count: '1.5' }, 'invalidValue', 'count must be a whole number.'],
    [{ count: '1234567890123' }, 'invalidValue', 'count must be a whole number.'],
    [{ count: ' 1' }, 'invalidValue', 'count must be a whole number.'],
    [{ count: '1 ' }, 'invalidValue', 'count must be a whole number.'],
    [{ count: '-' }, 'invalidValue', 'count must be a whole number.'],
    [{ filter: ['a pr', 'b pr'] }, 'invalidFilter', 'filter must be given once, as a text.'],
    [{ attributes: 'a', excludedAttributes: 'b' }, 'invalidValue', 'Give either attributes or excludedAttributes.'],
  ])('is refused for %j', (query, scimType, message) => {
    expect(() => readListQuery(query)).toThrow(refused(scimType, message))
  })

  it('is refused for a search that does not say what it is', () => {
    expect(() => readSearch({ count: 1 })).toThrow(refused('invalidSyntax', `schemas must contain ${SEARCH_REQUEST}.`))
  })

  it('is answered with what is there, of how many, and from where', () => {
    expect(toListResponse([{ id: 'a' }, { id: 'b' }], 9, 3)).toEqual({
      ...{ schemas: [LIST_RESPONSE], totalResults: 9, startIndex: 3, itemsPerPage: 2 },
      Resources: [{ id: 'a' }, { id: 'b' }],
    })
  })
})
