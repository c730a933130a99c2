import { describe, expect, it } from 'vitest'
import type { Grant } from '../../connectors/contract/contract.ts'
import type { Connection } from '../../store/connections/connections.ts'
import { readGrants, selectKnownGrants, toMemo } from './books-choice.ts'

const grant = (id: string, bank?: string): Grant => ({
  credentials: { secret: 'x', expiresAt: null },
  entity: { id, name: `Books ${id}` },
  ...(bank === undefined ? {} : { institution: { id: bank, name: bank } }),
})
const active = (entityId: string | null) => ({ entityId }) as Connection
const [a, b, c] = [grant('a'), grant('b'), grant('c')]

describe('grants that need no choice of the owner', () => {
  it.each<[string, Grant[], Connection | null, Grant[] | null]>([
    ['none at all', [], null, []],
    ['one', [a], null, [a]],
    ['one for a connection to others', [a], active('b'), [a]],
    ['several banks', [grant('a', 'x'), grant('b', 'y')], null, [grant('a', 'x'), grant('b', 'y')]],
    ['several, of which one is a bank', [a, grant('b', 'y')], active('a'), [a, grant('b', 'y')]],
    ['those that were connected before', [a, b, c], active('b'), [b]],
    ['others than before, for the error', [b, c], active('a'), [b]],
  ])('are %s', (_what, grants, before, expected) => {
    expect(selectKnownGrants(grants, before)).toEqual(expected)
  })

  it('are none where several could be meant', () => {
    expect(selectKnownGrants([a, b], null)).toBeNull()
  })
})

it('grants are stored and read as they were, and anything else is none', () => {
  expect(readGrants(toMemo([a, grant('b', 'y')]))).toEqual([a, grant('b', 'y')])
  expect([null, {}, 'text', 7].map(readGrants)).toEqual([[], [], [], []])
})
