import { describe, expect, it } from 'vitest'
import { type Claims, checkAuthentication, mayHoldGroups, toPerson } from './claims.ts'

const ENTRA = { groupsClaim: 'groups', trustsEmails: false }
const personOf = (claims: Claims, settings: Partial<typeof ENTRA | { groupsClaim: null }> = {}) =>
  toPerson({ sub: 'a1', ...claims }, { ...ENTRA, ...settings })
const groupsOf = (claims: Claims, groupsClaim = 'groups') => personOf(claims, { groupsClaim }).groups

describe('a person of an identity provider', () => {
  it('has the subject, address and name of the claims, without blanks around them', () => {
    const claims = { sub: ' a1 ', email: ' Avery@Maple.example ', name: '  Avery Tremblay ' }
    expect(personOf(claims)).toEqual({
      ...{ subject: 'a1', email: 'avery@maple.example', isEmailVerified: false, name: 'Avery Tremblay', groups: null },
    })
  })

  it.each([undefined, null, '', '   ', 7, {}, ['Avery']])('has neither a name nor an address where the claim is %j', (value) => {
    expect(personOf({ sub: value, name: value, email: value })).toMatchObject({ subject: '', name: null, email: null })
  })

  it('has a name of 200 characters at most', () => {
    expect(personOf({ name: `${'é'.repeat(200)}x` }).name).toBe('é'.repeat(200))
  })

  it.each(['avery', 'avery@', '@maple.example', 'avery@maple@example', 'x avery@maple.example', 'avery@maple.example y', 'av ery@maple'])(
    'has no address where the provider sends %j',
    (email) => {
      expect(personOf({ email }).email).toBeNull()
    },
  )

  it('has an address of 320 characters at most', () => {
    const ofLength = (length: number) => `${'a'.repeat(length - '@b.ca'.length)}@b.ca`
    expect([personOf({ email: ofLength(320) }).email, personOf({ email: ofLength(321) }).email]).toEqual([ofLength(320), null])
  })

  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    ['TRUE', false],
    [1, false],
    [undefined, false],
  ])('has a verified address where the provider says %j: %s', (email_verified, isVerified) => {
    expect(personOf({ email_verified }).isEmailVerified).toBe(isVerified)
    expect(personOf({ email_verified }, { trustsEmails: true }).isEmailVerified).toBe(true)
  })
})

describe('the groups of a person', () => {
  it('are those of the claim, a list or one text, and none where the settings name no claim', () => {
    expect([groupsOf({ groups: ['IT', 'Finance'] }), groupsOf({ groups: 'IT' }), groupsOf({ groups: [] })]).toEqual([
      ['IT', 'Finance'],
      ['IT'],
      [],
    ])
    expect(personOf({ groups: ['IT'] }, { groupsClaim: null }).groups).toBeNull()
  })

  it('are not known where the claim is missing or null', () => {
    expect([groupsOf({}), groupsOf({ groups: null })]).toEqual([null, null])
  })

  it('may lie deeper, on a path of own properties', () => {
    const claims = { realm_access: { roles: ['admin'] }, text: 'IT', none: null }
    expect(groupsOf(claims, 'realm_access.roles')).toEqual(['admin'])
    const paths = ['realm_access.other', 'other.roles', 'text.length', 'none.roles', 'realm_access.roles.length.x', 'realm_access.toString']
    expect(paths.map((path) => groupsOf(claims, path))).toEqual(paths.map(() => null))
  })

  it('are those of a claim with dots in its name before those of a path', () => {
    expect(groupsOf({ 'a.b': ['own'], a: { b: ['path'] } }, 'a.b')).toEqual(['own'])
  })

  it('are texts of 300 characters at most', () => {
    const [longest, tooLong] = ['g'.repeat(300), 'g'.repeat(301)]
    expect(groupsOf({ groups: [longest, tooLong, 7, null, { name: 'IT' }, 'IT'] })).toEqual([longest, 'IT'])
    expect(groupsOf({ groups: { name: 'IT' } })).toEqual([])
  })

  it('are 5,000 at most: with more the person is refused', () => {
    const many = Array.from({ length: 5_001 }, (_value, index) => `g${index}`)
    expect(groupsOf({ groups: many.slice(1) })).toHaveLength(5_000)
    expect(() => groupsOf({ groups: many })).toThrow(expect.objectContaining({ code: 'groupsMissing' }))
  })

  it.each([
    [{ hasgroups: true }],
    [{ hasgroups: 'true' }],
    [{ _claim_names: { groups: 'src1' } }],
    [{ _claim_names: { groups: 'src1' }, groups: ['IT'] }],
  ])('left out by the provider refuse the person, instead of taking the role away: %j', (claims) => {
    expect(() => groupsOf(claims)).toThrow(expect.objectContaining({ code: 'groupsMissing' }))
    expect(personOf(claims, { groupsClaim: null }).groups).toBeNull()
  })

  it.each([
    [{ hasgroups: false }],
    [{ hasgroups: 'false' }],
    [{ _claim_names: { roles: 'src1' } }],
    [{ _claim_names: null }],
    [{ _claim_names: 'groups' }],
  ])('are not left out by %j', (claims) => {
    expect(groupsOf({ ...claims, groups: ['IT'] })).toEqual(['IT'])
  })

  it.each([
    [{ groups: ['IT'] }, 'groups', true],
    [{ groups: null }, 'groups', true],
    [{ roles: ['IT'] }, 'groups', false],
    [{ realm_access: {} }, 'realm_access.roles', true],
    [{ roles: [] }, 'realm_access.roles', false],
    [{ 'a.b': [] }, 'a.b', true],
    [{ '': [] }, 'groups', false],
  ])('may be in %j, by the claim %s: %s', (claims, claim, may) => {
    expect(mayHoldGroups(claims, claim)).toBe(may)
  })
})

describe('the authentication of a person', () => {
  const isAccepted = (claims: Claims, accepted: { acceptedAcr?: string[]; acceptedAmr?: string[] }): boolean => {
    try {
      checkAuthentication(claims, { acceptedAcr: [], acceptedAmr: [], ...accepted })
      return true
    } catch (error) {
      expect(error).toMatchObject({ name: 'SignInFault', code: 'weakAuthentication' })
      return false
    }
  }

  it.each([
    [{}, {}, true],
    [{ acr: 'gold' }, { acceptedAcr: ['gold', 'silver'] }, true],
    [{ acr: 'bronze' }, { acceptedAcr: ['gold', 'silver'] }, false],
    [{}, { acceptedAcr: ['gold'] }, false],
    [{ acr: 7 }, { acceptedAcr: ['7'] }, false],
    [{ amr: ['pwd', 'otp'] }, { acceptedAmr: ['otp', 'hwk'] }, true],
    [{ amr: ['pwd'] }, { acceptedAmr: ['otp'] }, false],
    [{ amr: 'otp' }, { acceptedAmr: ['otp'] }, false],
    [{}, { acceptedAmr: ['otp'] }, false],
    [{ acr: 'gold', amr: ['pwd'] }, { acceptedAcr: ['gold'], acceptedAmr: ['otp'] }, false],
    [{ acr: 'bronze', amr: ['otp'] }, { acceptedAcr: ['gold'], acceptedAmr: ['otp'] }, false],
    [{ acr: 'gold', amr: ['otp'] }, { acceptedAcr: ['gold'], acceptedAmr: ['otp'] }, true],
  ])('%j, where %j is demanded, is accepted: %s', (claims, accepted, is) => {
    expect(isAccepted(claims, accepted)).toBe(is)
  })
})
