import { describe, expect, it } from 'vitest'
import { Attributes, type JsonObject } from '../messages/json.ts'
import { ScimError } from '../messages/scim-error.ts'
import { readUserDocument } from './user-document.ts'

const read = (given: JsonObject, wasActive?: boolean) =>
  readUserDocument(new Attributes({ userName: 'ann@user.example', ...given }), wasActive)
/** Sentence of the refusal. */
function refusal(given: JsonObject): string | null {
  try {
    read(given)
    return null
  } catch (error) {
    if (!(error instanceof ScimError) || error.status !== 400 || error.scimType !== 'invalidValue') throw error
    return error.message
  }
}

describe('the address of an account', () => {
  const [HOME, WORK, OTHER] = [
    { value: 'ann@home.example', type: 'home' },
    { value: 'ann@work.example', type: 'Work' },
    { value: 'ann@other.example', primary: true },
  ]
  it.each<[string, object[], string]>([
    ['the primary one, wherever it stands', [HOME, WORK, OTHER], 'ann@other.example'],
    ['else that of work, in any capitals', [HOME, WORK], 'ann@work.example'],
    ['else the first', [HOME, { value: 'b@x.example' }], 'ann@home.example'],
    ['one that is not primary by its own words, if it is the only one', [{ ...HOME, primary: false }], 'ann@home.example'],
    ['else the user name', [], 'ann@user.example'],
    ['without capitals and blanks', [{ value: '  Ann@Home.Example ' }], 'ann@home.example'],
  ])('is %s', (_which, emails, address) => {
    expect(read({ emails }).email).toBe(address)
  })

  it('is asked for where the user name is none', () => {
    expect(refusal({ userName: 'ann' })).toBe('An e-mail address is needed: in emails, or as userName.')
  })
})

describe('the name of an account', () => {
  it.each<[object, string]>([
    [{ displayName: 'Ann', name: { formatted: 'F' } }, 'Ann'],
    [{ displayName: ' ', name: { formatted: 'Dr Ann Roy', givenName: 'Ann' } }, 'Dr Ann Roy'],
    [{ name: { givenName: 'Ann', familyName: 'Roy' } }, 'Ann Roy'],
    [{ name: { familyName: 'Roy' } }, 'Roy'],
    [{ name: {} }, 'ann@user.example'],
    [{ displayName: '  Ann  ' }, 'Ann'],
    [{ userName: `${'a'.repeat(250)}@x.example`, emails: [{ value: 'a@x.example' }] }, 'a'.repeat(200)],
  ])('of %j is %s', (given, name) => {
    expect(read({ ...given }).name).toBe(name)
  })
})

it('a user is as active as before where nothing is said', () => {
  expect([read({}).isActive, read({}, false).isActive, read({ active: 'TRUE' }, false).isActive, read({ active: false }).isActive]).toEqual(
    [true, false, true, false],
  )
})

it('what is kept is what was said, and no more', () => {
  expect(read({ externalId: 'x', title: 'CFO', name: { givenName: 'Ann', middleName: 'M.' }, emails: { value: 'a@x.example' } })).toEqual({
    ...{ userName: 'ann@user.example', externalId: 'x', isActive: true, email: 'a@x.example', name: 'Ann' },
    attributes: { name: { givenName: 'Ann' }, emails: [{ value: 'a@x.example' }] },
  })
  expect(read({ displayName: null, name: {}, emails: [] })).toEqual({
    ...{ userName: 'ann@user.example', externalId: null, isActive: true, email: 'ann@user.example', name: 'ann@user.example' },
    attributes: {},
  })
})

describe('an attribute', () => {
  const text = (length: number) => 'x'.repeat(length)
  it.each<[object, string | null]>([
    [{ userName: ' ' }, 'userName is required.'],
    [{ userName: 7 }, 'userName must be a text.'],
    [{ userName: `${text(309)}@ax.example`, emails: [{ value: 'a@x.example' }] }, null],
    [{ userName: `${text(310)}@ax.example`, emails: [{ value: 'a@x.example' }] }, 'userName has more than 320 characters.'],
    [{ displayName: text(200) }, null],
    [{ displayName: text(201) }, 'displayName has more than 200 characters.'],
    [{ displayName: 'a\0b' }, 'displayName holds a character that is not allowed.'],
    [{ displayName: '\ud800' }, 'displayName holds a character that is not allowed.'],
    [{ externalId: text(400) }, null],
    [{ externalId: text(401) }, 'externalId has more than 400 characters.'],
    [{ name: 'Ann' }, 'name must be an object.'],
    [{ name: { givenName: 7 } }, 'name.givenName must be a text.'],
    [{ active: 'yes' }, 'active must be true or false.'],
    [{ active: 1 }, 'active must be true or false.'],
    [{ emails: ['a@x.example'] }, 'emails[0] must be an object.'],
    [{ emails: [{ value: 'a@x.example' }, { type: 'home' }] }, 'emails[1].value must be an e-mail address.'],
    [{ emails: [{ value: 'Ann <a@x.example>' }] }, 'emails[0].value must be an e-mail address.'],
    [{ emails: [{ value: 'a@x.example, b@x.example' }] }, 'emails[0].value must be an e-mail address.'],
    [{ emails: [{ value: `${text(64)}@x.example` }] }, null],
    [{ emails: [{ value: `${text(65)}@x.example` }] }, 'emails[0].value must be an e-mail address.'],
    [{ emails: [{ value: 'a@x.example', type: 7 }] }, 'emails[0].type must be a text.'],
    [{ emails: [{ value: 'a@x.example', primary: 'perhaps' }] }, 'emails[0].primary must be true or false.'],
    [{ emails: Array(2).fill({ value: 'a@x.example', primary: true }) }, 'emails has more than one primary value.'],
    [{ emails: Array(10).fill({ value: 'a@x.example' }) }, null],
    [{ emails: Array(11).fill({ value: 'a@x.example' }) }, 'emails has more than 10 values.'],
  ])('of %j: %s', (given, sentence) => {
    expect(refusal({ ...given })).toBe(sentence)
  })
})
