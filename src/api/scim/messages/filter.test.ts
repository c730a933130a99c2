import { describe, expect, it } from 'vitest'
import { InvalidFilter } from '../../../store/provisioning/filters.ts'
import { parseFilter, parsePath } from './filter.ts'

const compare = (attribute: string, operator: string, value: unknown) => ({ kind: 'compare', attribute, operator, value })

describe('a filter', () => {
  it.each([
    ['userName eq "ann@example.com"', compare('username', 'eq', 'ann@example.com')],
    ['USERNAME Eq "ann"', compare('username', 'eq', 'ann')],
    ['urn:ietf:params:scim:schemas:core:2.0:User:name.familyName co "O\\"Neil"', compare('name.familyname', 'co', 'O"Neil')],
    ['active eq False', compare('active', 'eq', false)],
    ['externalId eq null', compare('externalid', 'eq', null)],
    ['x gt -1.5e3', compare('x', 'gt', -1500)],
    ['x gt 10.25E+12', compare('x', 'gt', 10.25e12)],
    ['a sw "x" AND NOT (b ew "y")', { kind: 'and', filters: [compare('a', 'sw', 'x'), { kind: 'not', filter: compare('b', 'ew', 'y') }] }],
    ['title pr', { kind: 'present', attribute: 'title' }],
    [
      'a eq "1" and b eq "2" or c eq "3"',
      { kind: 'or', filters: [{ kind: 'and', filters: [compare('a', 'eq', '1'), compare('b', 'eq', '2')] }, compare('c', 'eq', '3')] },
    ],
    [
      'a eq "1" and (b eq "2" or c eq "3")',
      { kind: 'and', filters: [compare('a', 'eq', '1'), { kind: 'or', filters: [compare('b', 'eq', '2'), compare('c', 'eq', '3')] }] },
    ],
    ['not (a pr)', { kind: 'not', filter: { kind: 'present', attribute: 'a' } }],
    ['userName eq ") or (\\"x"', compare('username', 'eq', ') or ("x')],
  ])('%s is read', (text, filter) => {
    expect(parseFilter(text)).toEqual(filter)
  })

  it.each([
    ...[
      '',
      ' ',
      'userName',
      'userName eq',
      'eq "a"',
      'userName is "a"',
      'userName eq a',
      'userName eq "a',
      'userName eq "a" and',
      '(a pr',
      'a pr)',
    ],
    ...[
      'a pr b pr',
      'a..b pr',
      'aurn:ietf:params:scim:schemas:core:2.0:User:title pr',
      '"a" eq "b"',
      'emails[type eq "work"] pr',
      'a eq "\\u0000"',
      'a eq "\\ud800"',
      'a eq "\\x"',
      'not a pr',
      '[',
      '\u0000 pr',
    ],
    `${'('.repeat(30)}a pr${')'.repeat(30)}`,
    'a pr or '.repeat(2_000),
  ])('%j is refused', (text) => {
    expect(() => parseFilter(text)).toThrow(InvalidFilter)
  })

  it.each([
    ['a eq "x', 'Not expected here: "x'],
    ['a eq "b" c', 'Not expected here: c'],
    [`a eq ${'b'.repeat(300)}`, `Not expected here: ${'b'.repeat(50)}`],
    [`${'a..'.repeat(100)} pr`, `Not expected here: ${'a..'.repeat(100).slice(0, 50)}`],
    ['a eq 1.', 'Not expected here: 1.'],
    ['a eq', 'It ends too early.'],
    ['a eq "\\x"', 'A text of the filter is not written as in JSON.'],
    ['a eq "\\u0000"', 'A text of the filter holds a character that is not allowed.'],
    [`${'('.repeat(22)}a pr${')'.repeat(22)}`, 'The filter is nested too deeply.'],
    [`a eq "${'x'.repeat(4_090)}"`, 'A filter has at most 4096 characters.'],
  ])('%j is refused where it goes wrong: %s', (text, sentence) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ message: sentence }))
  })

  it('is as deep as twenty groups, and as long as 4,096 characters', () => {
    expect(parseFilter(`${'('.repeat(20)}a pr${')'.repeat(20)}`)).toEqual({ kind: 'present', attribute: 'a' })
    expect(() => parseFilter(`${'('.repeat(21)}a pr${')'.repeat(21)}`)).toThrow(InvalidFilter)
    expect(parseFilter(`a eq "${'x'.repeat(4_089)}"`)).toEqual(compare('a', 'eq', 'x'.repeat(4_089)))
  })

  it('of the greatest length is read or refused at once', () => {
    const started = performance.now()
    for (const text of [
      `a eq "${'\\'.repeat(4_000)}`,
      '('.repeat(4_096),
      'not('.repeat(1_000),
      `a ${'"'.repeat(4_000)}`,
      ' '.repeat(4_096),
    ])
      expect(() => parseFilter(text)).toThrow(InvalidFilter)
    expect(performance.now() - started).toBeLessThan(200)
  })
})

describe('a path', () => {
  it.each([
    ['displayName', { attribute: 'displayname', filter: null, part: null }],
    ['name.givenName', { attribute: 'name.givenname', filter: null, part: null }],
    ['members[value eq "1"]', { attribute: 'members', filter: compare('value', 'eq', '1'), part: null }],
    ['emails[type eq "work"].value', { attribute: 'emails', filter: compare('type', 'eq', 'work'), part: 'value' }],
    ['urn:ietf:params:scim:schemas:core:2.0:Group:members', { attribute: 'members', filter: null, part: null }],
  ])('%s is read', (text, path) => {
    expect(parsePath(text)).toEqual(path)
  })

  it.each(['', '[value eq "1"]', 'members[', 'members[value]', 'members[value eq "1"]x', 'members[value eq "1"].', 'a b', '.a', 'a.b.c'])(
    '%j is refused',
    (text) => {
      expect(() => parsePath(text)).toThrow(InvalidFilter)
    },
  )
})
