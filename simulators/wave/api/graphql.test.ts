import { describe, expect, test } from 'vitest'
import type { Schema } from './graphql-execution.ts'
import { answerGraphql } from './routes.ts'

const SCHEMA: Schema = {
  Query: {
    shelf: {
      type: 'Shelf',
      arguments: { id: 'ID!' },
      resolve: (_, given) => (given.id === '1' ? { name: 'A', books: [{ title: 'B' }] } : null),
    },
  },
  Shelf: { name: { type: 'String' }, books: { type: '[Book!]!' } },
  Book: { title: { type: 'String' } },
}

function ask(query: string, variables: object = {}): { status: number; body: unknown } {
  const { status, body } = answerGraphql(JSON.stringify({ query, variables }), SCHEMA)
  return { status, body: JSON.parse(body) }
}

describe('a query', () => {
  test('is answered in the shape it asks for: aliases, variables with defaults, fragments and conditions', () => {
    const query = `# a comment
      query Q($id: ID = "1", $no: Boolean!) { one: shelf(id: $id) { ...parts name @skip(if: $no) __typename } gone: shelf(id: "9") { name } }
      fragment parts on Shelf { books { title } }`
    expect(ask(query, { no: true }).body).toEqual({ data: { one: { books: [{ title: 'B' }], __typename: 'Shelf' }, gone: null } })
  })

  test.each([
    ['an unknown field', '{ shelf(id: "1") { colour } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an unknown argument', '{ shelf(id: "1", at: 2) { name } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a missing argument', '{ shelf { name } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an object without fields', '{ shelf(id: "1") }', 'GRAPHQL_VALIDATION_FAILED'],
    ['fields of a scalar', '{ shelf(id: "1") { name { x } } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an undeclared variable', '{ shelf(id: $id) { name } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a missing variable', 'query($id: ID!) { shelf(id: $id) { name } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an unknown fragment', '{ shelf(id: "1") { ...x } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a mutation', 'mutation { shelf(id: "1") { name } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an open brace', '{ shelf(id: "1") { name }', 'GRAPHQL_PARSE_FAILED'],
    ['a stray character', '{ shelf(id: ;) }', 'GRAPHQL_PARSE_FAILED'],
    ['nothing', '', 'GRAPHQL_PARSE_FAILED'],
  ])('with %s is refused with status 400', (_what, query, code) => {
    expect(ask(query)).toMatchObject({ status: 400, body: { errors: [{ extensions: { code } }] } })
  })
})
