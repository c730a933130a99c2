import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../contract/contract.ts'
import { kindOf } from '../toolkit/test-mapping.ts'
import { ANSWER, readAccounts } from './read.ts'

function answers(body: unknown): Answers {
  return { [ANSWER]: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)) }
}

function page(edges: unknown[]): object {
  return { data: { business: { id: 'b', active: { pageInfo: { currentPage: 1, totalPages: 1, totalCount: edges.length }, edges } } } }
}

describe('reading accounts', () => {
  test('active and archived accounts are items, with their sequence as the version', () => {
    const items = [...readAccounts({ [ANSWER]: readFileSync(new URL('fixtures/accounts.json', import.meta.url)) })]
    expect(items.map((item) => [Object(item).wire.name, Object(item).version])).toEqual([
      ['Compte-chèques', '000000000000012'],
      ['TVQ', '000000000000003'],
      ['Ancien compte', undefined],
    ])
  })

  test('an account without an id, and an edge without an account, are set aside and the others stay', () => {
    const items = [...readAccounts(answers(page([{ node: { name: 'x' } }, { node: null }, { node: { id: 'a' } }])))]
    expect(items.map((item) => ['unreadable' in item, item.origId])).toEqual([
      [true, null],
      [true, null],
      [false, 'a'],
    ])
  })

  test('a list without edges is an empty list', () => {
    expect([...readAccounts(answers(page([])))]).toEqual([])
  })

  test.each([
    ['no body', ''],
    ['HTML', '<!doctype html><html></html>'],
    ['a cut page', '{"data":{"business":{"active":{"edges":[{"node":{"id":"1"}}'],
    ['no data', '{}'],
    ['no business', '{"data":{}}'],
    ['neither list', '{"data":{"business":{"id":"b"}}}'],
    ['null for a list', '{"data":{"business":{"active":null}}}'],
    ['a list without edges', '{"data":{"business":{"active":{"pageInfo":{"currentPage":1}}}}}'],
    ['a list without its place', '{"data":{"business":{"active":{"edges":[]}}}}'],
    ['a bare list', '[]'],
  ])('%s is bad data, never an empty list', (_what, body) => {
    expect(kindOf(() => [...readAccounts(answers(body))])).toBe('badData')
  })

  test('a business that is null is closed to us: the owner must reconnect', () => {
    expect(kindOf(() => [...readAccounts(answers('{"data":{"business":null}}'))])).toBe('reconnect')
  })
})
