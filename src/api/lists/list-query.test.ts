import { describe, expect, it } from 'vitest'
import { ApiError } from '../errors/errors.ts'
import { filterParameter, type ListDefinition, listQuerySchema, readFilter, readListQuery, withStoreNames } from './list-query.ts'
import { readPageRequest } from './page-parameters.ts'

const LIST: ListDefinition = {
  filter: { name: 'string', city: 'string', size: 'number', createdOn: 'date', isOn: 'boolean' },
  orderBy: ['createdOn', 'name'],
}

describe('the request for a list', () => {
  it('is for the first page of 100 items, in the first order, of everything, unless it says otherwise', () => {
    expect(readListQuery({}, LIST)).toEqual({
      ...{ pageNumber: 1, pageSize: 100, limit: 100, offset: 0 },
      ...{ orderBy: 'createdOn', descending: false, filter: [] },
    })
    expect(readListQuery({ PageNumber: 3, PageSize: 20, OrderBy: 'name', Desc: true, FilterQuery: 'size>1' }, LIST)).toEqual({
      ...{ pageNumber: 3, pageSize: 20, limit: 20, offset: 40 },
      ...{ orderBy: 'name', descending: true, filter: [[{ property: 'size', operator: '>', value: '1' }]] },
    })
    expect([readPageRequest({}), readPageRequest({ PageNumber: 3, PageSize: 20 })]).toEqual([
      { pageNumber: 1, pageSize: 100, limit: 100, offset: 0 },
      { pageNumber: 3, pageSize: 20, limit: 20, offset: 40 },
    ])
  })

  it('with a filter that cannot be read is a bad request that says why', () => {
    const error = (() => {
      try {
        return readFilter('other=1', LIST.filter)
      } catch (caught) {
        return caught
      }
    })()
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 400, fields: [{ field: 'FilterQuery', message: expect.stringContaining('other') }] })
    expect(readFilter(undefined, LIST.filter)).toEqual([])
  })

  it('is put into the names of the store, where they are others', () => {
    const list = readListQuery({ OrderBy: 'name', FilterQuery: 'name=a && size=1 || name=b' }, LIST)
    expect(withStoreNames(list, { name: 'title' })).toEqual({
      ...list,
      orderBy: 'title',
      filter: [
        [
          { property: 'title', operator: '=', value: 'a' },
          { property: 'size', operator: '=', value: '1' },
        ],
        [{ property: 'title', operator: '=', value: 'b' }],
      ],
    })
    expect(withStoreNames(list, { size: 'bytes' }).orderBy).toBe('name')
  })
})

describe('the parameters of a list', () => {
  it('say what they take', () => {
    const schema = listQuerySchema(LIST, { Search: filterParameter({}) })
    const { properties } = schema
    expect(Object.keys(properties)).toEqual(['PageNumber', 'PageSize', 'Desc', 'FilterQuery', 'OrderBy', 'Search'])
    expect(schema).toMatchObject({ additionalProperties: false })
    expect(properties).toMatchObject({
      PageNumber: { minimum: 1, maximum: 9999, default: 1 },
      PageSize: { minimum: 10, maximum: 500, default: 100 },
      Desc: { default: false },
      OrderBy: { enum: ['createdOn', 'name'], default: 'createdOn' },
      FilterQuery: {
        maxLength: 2048,
        description:
          'Clauses as described under “Filters”. Properties: `name`, `city` (text: = != ~); `size` (number: = != > < >= <=); ' +
          '`createdOn` (instant: = != > < >= <=); `isOn` (true or false: = !=).',
      },
    })
  })

  it.each<[ListDefinition['filter'], string]>([
    [{ name: 'string', createdOn: 'date', day: 'day' }, 'createdOn>=2026-11-01 && createdOn<2026-12-01'],
    [{ size: 'number', day: 'day' }, 'day>=2026-11-01 && day<2026-12-01'],
    [{ size: 'number', name: 'string', city: 'string' }, 'name~a'],
    [{ size: 'number', isOn: 'boolean' }, ''],
  ])('show a filter of %j in an example', (filter, example) => {
    expect(filterParameter(filter)).toMatchObject({ examples: [example] })
  })
})
