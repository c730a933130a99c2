import { describe, expect, it } from 'vitest'
import { rolesOfGroups } from './roles-of-groups.ts'

const MAPPING = [
  { group: 'Finance', role: 'viewer' },
  { group: 'Robots', role: 'integration' },
  { group: 'IT', role: 'developer' },
  { group: '5f0c9a7e-1d0c-4c0c-9d5a-0b7a3f7a9b10', role: 'admin' },
] as const

describe('the role of somebody in groups', () => {
  it('is that of the only group with one', () => {
    expect(rolesOfGroups(MAPPING, ['Finance'])).toEqual({ role: 'viewer', unknown: [] })
  })

  it.each([
    [['Finance', 'Robots'], 'integration'],
    [['IT', 'Robots', 'Finance'], 'developer'],
    [['5f0c9a7e-1d0c-4c0c-9d5a-0b7a3f7a9b10', 'IT'], 'admin'],
  ])('of %j is the one that may do the most, in any order', (groups, role) => {
    expect([rolesOfGroups(MAPPING, groups).role, rolesOfGroups(MAPPING, groups.toReversed()).role]).toEqual([role, role])
  })

  it('is none without a group, and for groups that have none, which are reported once each', () => {
    expect(rolesOfGroups(MAPPING, [])).toEqual({ role: null, unknown: [] })
    expect(rolesOfGroups(MAPPING, ['Sales', 'HR', 'Sales'])).toEqual({ role: null, unknown: ['Sales', 'HR'] })
    expect(rolesOfGroups([], ['Finance'])).toEqual({ role: null, unknown: ['Finance'] })
  })

  it('does not change by groups that have no role', () => {
    expect(rolesOfGroups(MAPPING, ['Sales', 'Finance'])).toEqual({ role: 'viewer', unknown: ['Sales'] })
  })

  it.each(['finance', 'Finance ', 'constructor', '__proto__', ''])('is none for %j: names are compared as they are', (group) => {
    expect(rolesOfGroups(MAPPING, [group])).toEqual({ role: null, unknown: [group] })
  })
})
