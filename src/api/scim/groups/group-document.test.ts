import { describe, expect, it } from 'vitest'
import { Attributes } from '../messages/json.ts'
import { readPatch } from '../messages/patch.ts'
import { PATCH_OP } from '../messages/schemas.ts'
import { patchGroup, readGroupDocument } from './group-document.ts'

const idOf = (number: number) => `6f6a2a0e-7d59-4c7e-9f5e-${number.toString(16).padStart(12, '0')}`
const [A, B, C] = [idOf(1), idOf(2), idOf(3)]
const ID = idOf(99)
const BEFORE = { displayName: 'Finance', externalId: 'e1', members: new Set([A, B]) }

const patched = (...operations: object[]) => {
  const { members, ...rest } = patchGroup(BEFORE, ID, readPatch({ schemas: [PATCH_OP], Operations: operations }))
  return { ...rest, members: [...members] }
}
const read = (body: object) => {
  const { members, ...rest } = readGroupDocument(new Attributes({ ...body }))
  return { ...rest, members: [...members] }
}
/** What `run` returns; status and keyword of a refusal. */
function outcome(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    const { status, scimType } = error as { status?: number; scimType?: string }
    return scimType === undefined ? error : `${status} ${scimType}`
  }
}
const refusal = (...operations: object[]) => outcome(() => patched(...operations))
const membersAfter = (...operations: object[]) => patched(...operations).members

describe('a group of an identity provider', () => {
  it('has a name without blanks around it, perhaps an external id, and its members once each', () => {
    const members = [{ value: A.toUpperCase() }, { value: A }, B, { value: C, type: 'User' }]
    expect(read({ displayName: ' Finance ', members })).toEqual({ displayName: 'Finance', externalId: null, members: [A, B, C] })
    expect(read({ DISPLAYNAME: 'X', externalId: 'e' })).toEqual({ displayName: 'X', externalId: 'e', members: [] })
  })

  it.each<[string, object]>([
    ['no name', {}],
    ['a blank name', { displayName: '  ' }],
    ['a name that is too long', { displayName: 'x'.repeat(256) }],
    ['a member without a value', { displayName: 'X', members: [{}] }],
    ['a member that is no id', { displayName: 'X', members: [{ value: 'ann' }] }],
    ['a member that is a number', { displayName: 'X', members: [7] }],
    ['a group as a member', { displayName: 'X', members: [{ value: A, type: 'Group' }] }],
    ['an external id that is too long', { displayName: 'X', externalId: 'x'.repeat(401) }],
  ])('is refused with %s', (_what, body) => {
    expect(outcome(() => read(body))).toBe('400 invalidValue')
  })
})

describe('a PATCH of a group', () => {
  it('changes the name and the external id, and leaves what is not meant', () => {
    expect(patched({ op: 'replace', path: 'displayName', value: ' Books ' })).toEqual({ ...BEFORE, displayName: 'Books', members: [A, B] })
    expect(patched({ op: 'remove', path: 'externalId' }).externalId).toBeNull()
    expect(patched({ op: 'add', path: 'externalId', value: 'e2' }).externalId).toBe('e2')
    expect(patched({ op: 'replace', value: { id: ID, 'urn:x:y': 1, displayName: 'Y' } }).displayName).toBe('Y')
  })

  it('adds, replaces and removes members, and leaves the group of before as it was', () => {
    expect(membersAfter({ op: 'add', path: 'members', value: [{ value: C }, { value: A }] })).toEqual([A, B, C])
    expect(membersAfter({ op: 'replace', path: 'members', value: [{ value: C }] })).toEqual([C])
    expect(membersAfter({ op: 'replace', path: 'members', value: [] })).toEqual([])
    expect(membersAfter({ op: 'remove', path: 'members', value: [{ value: A }] })).toEqual([B])
    expect(membersAfter({ op: 'remove', path: `members[value eq "${B.toUpperCase()}"]` })).toEqual([A])
    expect(membersAfter({ op: 'remove', path: `members[value eq "${A}" or value eq "${B}"]` })).toEqual([])
    expect(BEFORE.members.size).toBe(2)
  })

  it('that removes an empty list removes nobody; one without a value removes all', () => {
    expect(membersAfter({ op: 'remove', path: 'members', value: [] })).toEqual([A, B])
    expect([membersAfter({ op: 'remove', path: 'members' }), membersAfter({ op: 'remove', path: 'members', value: null })]).toEqual([
      [],
      [],
    ])
  })

  it.each<[string, object, string]>([
    ['another id', { op: 'replace', path: 'id', value: A }, '400 mutability'],
    ['meta', { op: 'replace', path: 'meta', value: {} }, '400 mutability'],
    ['part of a member', { op: 'replace', path: `members[value eq "${A}"].value`, value: B }, '400 mutability'],
    ['the name to nothing', { op: 'remove', path: 'displayName' }, '400 invalidValue'],
    ['chosen members to others', { op: 'add', path: `members[value eq "${A}"]`, value: [{ value: B }] }, '400 invalidPath'],
    ['members chosen by a name', { op: 'remove', path: 'members[display eq "Ann"]' }, '400 invalidPath'],
    ['members chosen by what they are not', { op: 'remove', path: `members[value ne "${A}"]` }, '400 invalidPath'],
    ['members chosen by a number', { op: 'remove', path: 'members[value eq 7]' }, '400 invalidPath'],
    ['members chosen by two conditions', { op: 'remove', path: `members[value eq "${A}" and value eq "${B}"]` }, '400 invalidPath'],
    ['a chosen value of a name', { op: 'replace', path: 'displayName[type eq "x"]', value: 'x' }, '400 invalidPath'],
    ['what does not exist', { op: 'replace', path: 'colour', value: 'x' }, '400 invalidPath'],
  ])('does not change %s', (_what, operation, refused) => {
    expect(refusal(operation)).toBe(refused)
  })

  it('leaves 10,000 members at most', () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_value, index) => ({ value: idOf(from + index) }))
    const addAll = (count: number) => ({ op: 'add', path: 'members', value: ids(1, count) })
    expect(membersAfter(addAll(10_000))).toHaveLength(10_000)
    expect(refusal(addAll(10_000), { op: 'add', path: 'members', value: ids(20_000, 1) })).toBe('400 invalidValue')
    expect(refusal(addAll(10_001))).toBe('400 invalidValue')
  })
})
