import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../messages/json.ts'
import { readPatch } from '../messages/patch.ts'
import { PATCH_OP } from '../messages/schemas.ts'
import { readUserDocument, toRequest } from './user-document.ts'
import { patchUser } from './user-patch.ts'

const WORK = { value: 'ann@work.example', type: 'work', primary: true }
const HOME = { value: 'ann@home.example', type: 'home' }
const BEFORE = {
  userName: 'ann',
  externalId: 'e1',
  displayName: 'Ann',
  name: { givenName: 'Ann', familyName: 'Roy' },
  emails: [WORK, HOME],
  active: true,
}

/** The user after these operations, as it would be stored. */
function patched(...operations: object[]): JsonObject {
  const steps = readPatch({ schemas: [PATCH_OP], Operations: operations })
  return toRequest(readUserDocument(patchUser(BEFORE, 'id-1', steps)))
}
/** Status and keyword of the refusal. */
function refusal(...operations: object[]): unknown {
  try {
    return patched(...operations)
  } catch (error) {
    const { status, scimType } = error as { status?: number; scimType?: string }
    return scimType === undefined ? error : `${status} ${scimType}`
  }
}
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
const add = (path: string, value: unknown) => ({ op: 'add', path, value })
const remove = (path: string, value?: unknown) => ({ op: 'remove', path, ...(value === undefined ? {} : { value }) })
const emailsAfter = (...operations: object[]) => patched(...operations).emails

describe('a PATCH of a user', () => {
  it.each<[string, object, object]>([
    ['a user name', replace('userName', 'ben'), { ...BEFORE, userName: 'ben' }],
    ['names in any capitals', replace('DISPLAYNAME', 'Anna'), { ...BEFORE, displayName: 'Anna' }],
    ['an external id', add('externalId', 'e2'), { ...BEFORE, externalId: 'e2' }],
    ['the state', replace('active', 'False'), { ...BEFORE, active: false }],
    ['one part of a name', replace('name.givenName', 'Anna'), { ...BEFORE, name: { givenName: 'Anna', familyName: 'Roy' } }],
    [
      'parts of a name, merged',
      add('name', { familyName: 'Tremblay', x: 1 }),
      { ...BEFORE, name: { givenName: 'Ann', familyName: 'Tremblay' } },
    ],
    ['its own id', replace('id', 'id-1'), BEFORE],
    ['what is not kept', replace('title', 'CFO'), BEFORE],
    ['parts of what is not kept', replace('addresses[type eq "work"].street', 'x'), BEFORE],
    ['part of a name that is not kept', replace('name.middleName', 'x'), BEFORE],
    ['part of an address that is not kept', replace('emails[type eq "work"].display', 'x'), BEFORE],
    ['an extension', replace('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', 'x'), BEFORE],
  ])('changes %s', (_what, operation, after) => {
    expect(patched(operation)).toEqual(after)
  })

  it('removes what may be missing, and a name as a whole', () => {
    const { externalId: _id, displayName: _name, ...rest } = BEFORE
    expect(patched(remove('externalId'), remove('displayName'))).toEqual(rest)
    const { name: _whole, ...unnamed } = BEFORE
    expect([patched(remove('name')), patched(replace('name', null)), patched(remove('name.familyName'))]).toEqual([
      unnamed,
      unnamed,
      { ...BEFORE, name: { givenName: 'Ann' } },
    ])
  })

  it('follows its steps in order, and leaves the user of before as it was', () => {
    expect(
      patched(replace('userName', 'ben'), replace('userName', 'cid'), replace('emails[type eq "work"].value', 'c@work.example')),
    ).toEqual({
      ...{ ...BEFORE, userName: 'cid', emails: [{ ...WORK, value: 'c@work.example' }, HOME] },
    })
    expect(BEFORE.emails[0]?.value).toBe('ann@work.example')
  })

  it.each<[string, object, string]>([
    ['another id', replace('id', 'id-2'), '400 mutability'],
    ['groups', replace('groups', []), '400 mutability'],
    ['meta', replace('meta.version', 'x'), '400 mutability'],
    ['the user name to nothing', remove('userName'), '400 mutability'],
    ['the state to nothing', remove('active'), '400 mutability'],
    ['the user name to null', replace('userName', null), '400 invalidValue'],
    ['the state to an empty list', replace('active', []), '400 invalidValue'],
    ['an attribute that does not exist', replace('shoeSize', 44), '400 invalidPath'],
    ['an attribute of every object', replace('constructor', 'x'), '400 invalidPath'],
    ['a part of a text', replace('userName.first', 'x'), '400 invalidPath'],
    ['a part of a name that does not exist', replace('name.nick', 'x'), '400 invalidPath'],
    ['a name to a text', replace('name', 'Ann'), '400 invalidValue'],
    ['a chosen value of a text', replace('userName[type eq "work"]', 'x'), '400 invalidPath'],
    ['a part of an address that does not exist', replace('emails[type eq "work"].shoe', 'x'), '400 invalidPath'],
    ['addresses chosen by what they have not', replace('emails[shoe eq "work"].value', 'x'), '400 invalidPath'],
    ['addresses chosen by a comparison in size', replace('emails[value gt "a"].value', 'x'), '400 invalidPath'],
    ['an address to a text', replace('emails[type eq "work"]', 'x@y.example'), '400 invalidValue'],
    [
      'an address that nothing matches and no filter implies',
      replace('emails[type ne "work" and type ne "home"].value', 'x'),
      '400 noTarget',
    ],
  ])('does not change %s', (_what, operation, refused) => {
    expect(refusal(operation)).toBe(refused)
  })
})

describe('the addresses of a user', () => {
  const NEW = { value: 'a@new.example' }

  it('are added, one or several, and one that is there already is replaced', () => {
    expect(emailsAfter(add('emails', [NEW]))).toEqual([WORK, HOME, NEW])
    expect(emailsAfter(add('emails', NEW.value))).toEqual([WORK, HOME, NEW])
    expect(emailsAfter(add('emails', { ...HOME, type: 'other' }))).toEqual([WORK, { ...HOME, type: 'other' }])
  })

  it('are replaced as a whole, or by nothing', () => {
    expect(emailsAfter(replace('emails', [NEW]))).toEqual([NEW])
    expect(refusal(replace('emails', null))).toBe('400 invalidValue')
    expect(patched(replace('emails', null), replace('userName', 'ann@x.example')).emails).toBeUndefined()
  })

  it('are removed by value, by filter, or all; an empty list removes none', () => {
    expect(emailsAfter(remove('emails', [{ value: WORK.value }]))).toEqual([HOME])
    expect(emailsAfter(remove('emails', []))).toEqual([WORK, HOME])
    expect(emailsAfter(remove('emails[type eq "home"]'))).toEqual([WORK])
    expect(patched(replace('userName', 'ann@x.example'), remove('emails')).emails).toBeUndefined()
  })

  it('lose a part by a path, of those chosen', () => {
    expect(emailsAfter(remove('emails[type eq "work"].primary'))).toEqual([{ value: WORK.value, type: 'work' }, HOME])
    expect(emailsAfter(remove('emails.type'))).toEqual([{ value: WORK.value, primary: true }, { value: HOME.value }])
  })

  it('are chosen by eq, ne, pr, and, or and not, in any capitals', () => {
    const changed = (filter: string) => (emailsAfter(replace(`emails[${filter}].type`, 'x')) as { type?: string }[]).map(({ type }) => type)
    expect(changed('type eq "WORK"')).toEqual(['x', 'home'])
    expect(changed('type ne "work"')).toEqual(['work', 'x'])
    expect(changed('primary eq true')).toEqual(['x', 'home'])
    expect(changed('primary eq false')).toEqual(['work', 'x'])
    expect(changed('primary pr')).toEqual(['x', 'home'])
    expect(changed('type eq "work" or type eq "home"')).toEqual(['x', 'x'])
    expect(changed('type eq "home" and value eq "ann@home.example"')).toEqual(['work', 'x'])
    expect(changed('not (type eq "work")')).toEqual(['work', 'x'])
    expect(changed('not (primary pr) or type eq "work"')).toEqual(['x', 'x'])
    expect(changed('type ne null')).toEqual(['x', 'x'])
    expect(
      (emailsAfter(remove('emails.type'), replace('emails[type eq null].type', 'y')) as { type?: string }[]).map(({ type }) => type),
    ).toEqual(['y', 'y'])
  })

  it('have one primary value: the last that becomes it', () => {
    expect(emailsAfter(add('emails', { ...NEW, primary: true }))).toEqual([{ ...WORK, primary: false }, HOME, { ...NEW, primary: true }])
    expect(emailsAfter(replace('emails[type eq "home"].primary', 'True'))).toEqual([
      { ...WORK, primary: false },
      { ...HOME, primary: true },
    ])
    expect(emailsAfter(add('emails', NEW))).toEqual([WORK, HOME, NEW])
  })

  it('get a value by a filter that none matches, with what the filter says', () => {
    expect(emailsAfter(add('emails[type eq "other"].value', NEW.value))).toEqual([WORK, HOME, { type: 'other', value: NEW.value }])
    expect(emailsAfter(add('emails[type eq "other" and primary eq true].value', NEW.value))).toEqual([
      { ...WORK, primary: false },
      HOME,
      { type: 'other', primary: true, value: NEW.value },
    ])
  })

  it('get the first by a path to a part, where there is none', () => {
    expect(emailsAfter(remove('emails'), add('emails.value', NEW.value))).toEqual([NEW])
  })

  it('are ten at most, at each step', () => {
    const many = (count: number) => Array.from({ length: count }, (_value, index) => ({ value: `a${index}@x.example` }))
    expect(emailsAfter(replace('emails', many(10)))).toHaveLength(10)
    expect([refusal(replace('emails', many(11))), refusal(add('emails', many(9)), remove('emails', many(9)))]).toEqual([
      '400 invalidValue',
      '400 invalidValue',
    ])
    expect(emailsAfter(add('emails', many(8)))).toHaveLength(10)
  })
})
