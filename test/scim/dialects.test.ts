import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { GROUP, PATCH, scimHarness, USER } from './harness.ts'

const api = openForTests(scimHarness)
const find = async (path: string, filter: string) => (await api.scim('GET', `/${path}?filter=${encodeURIComponent(filter)}`)).body

describe('Entra ID', () => {
  const name = 'Test_User_dd23897f@example.com'
  let id = ''

  it('tests the connection with a user who does not exist', async () => {
    expect(await find('Users', 'userName eq "non-existent-user"')).toMatchObject({ totalResults: 0, Resources: [] })
  })

  it('adds a user', async () => {
    const { status, body } = await api.scim('POST', '/Users', {
      schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: name,
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    })
    id = body.id
    expect([status, body.name]).toEqual([201, { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' }])
    expect(await find('Users', `userName eq "${name.toLowerCase()}"`)).toMatchObject({ totalResults: 1, Resources: [{ id }] })
    expect(await find('Users', 'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"')).toMatchObject({ Resources: [{ id }] })
  })

  it('changes parts of a user, by paths with filters and by names with dots', async () => {
    const { status, body } = await api.patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@example.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      {
        op: 'Add',
        value: {
          displayName: 'Bob',
          'name.givenName': 'Robert',
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department': 'Sales',
        },
      },
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', value: '12' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 514 555 0100' },
    )
    expect([status, body.name, body.displayName, body.emails]).toEqual([
      200,
      { formatted: 'givenName familyName', familyName: 'updatedFamilyName', givenName: 'Robert' },
      'Bob',
      [{ primary: true, type: 'work', value: 'updated@example.com' }],
    ])
    expect(await api.account(id)).toMatchObject({ email: 'updated@example.com', name: 'Bob' })
  })

  it('adds an address to a user who has none of its type', async () => {
    const { id: other } = await api.user()
    const { body } = await api.patch(`/Users/${other}`, { op: 'Add', path: 'emails[type eq "work"].value', value: 'fresh@example.com' })
    expect(body.emails).toEqual([{ type: 'work', value: 'fresh@example.com' }])
  })

  it.each([
    ['a text', { op: 'Replace', path: 'active', value: 'False' }],
    ['a truth value', { op: 'replace', path: 'active', value: false }],
    ['a value without a path', { op: 'Replace', value: { active: false } }],
  ])('disables a user by %s', async (_what, operation) => {
    const { id: other } = await api.user()
    expect((await api.patch(`/Users/${other}`, operation)).body.active).toBe(false)
  })

  it('adds a group, its members one by one, renames it, and looks without the members', async () => {
    const groups = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'
    const added = await api.scim('POST', '/Groups', {
      schemas: [GROUP, groups],
      externalId: '8aa1a0c0',
      displayName: 'Entra',
      meta: { resourceType: 'Group' },
    })
    const path = `/Groups/${added.body.id}`
    const { id: second } = await api.user()
    expect((await api.patch(path, { op: 'Add', path: 'members', value: [{ $ref: null, value: id }] })).status).toBe(204)
    expect((await api.patch(path, { op: 'Add', path: 'members', value: [{ value: second }] })).status).toBe(204)
    expect((await api.patch(path, { op: 'Replace', path: 'displayName', value: 'Entra 2' })).status).toBe(204)
    const lean = await api.scim('GET', `${path}?excludedAttributes=members`)
    expect([lean.body.displayName, lean.body.externalId, lean.body.members]).toEqual(['Entra 2', '8aa1a0c0', undefined])
    expect(await find('Groups', 'displayName eq "entra 2"')).toMatchObject({ totalResults: 1 })
    expect((await api.scim('GET', `/Users/${id}`)).body.groups).toMatchObject([{ value: added.body.id, display: 'Entra 2' }])
    expect((await api.patch(path, { op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] })).status).toBe(204)
    expect((await api.patch(path, { op: 'Remove', path: `members[value eq "${second}"]` })).status).toBe(204)
    expect((await api.scim('GET', path)).body.members).toBeUndefined()
  })

  it('asks whether somebody is in a group', async () => {
    const { id: groupId } = await api.group('Asked', [id])
    const ask = async (user: string) => (await find('Groups', `id eq "${groupId}" and members eq "${user}"`)).totalResults
    expect([await ask(id), await ask(groupId)]).toEqual([1, 0])
  })
})

describe('Okta', () => {
  let id = ''

  it('looks for a user by page, adds and reads it', async () => {
    const query = `startIndex=1&count=100&filter=${encodeURIComponent('userName eq "test.user@okta.local"')}`
    expect((await api.scim('GET', `/Users?${query}`)).body).toMatchObject({
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
    const { status, body } = await api.scim('POST', '/Users', {
      schemas: [USER],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    })
    id = body.id
    expect([status, (await api.scim('GET', `/Users/${id}`)).status]).toEqual([201, 200])
  })

  it('replaces a user by what it has read, changed', async () => {
    const { body: read } = await api.scim('GET', `/Users/${id}`)
    const { status, body } = await api.scim('PUT', `/Users/${id}`, {
      ...read,
      name: { givenName: 'Another', familyName: 'User' },
      middleName: 'Excited',
    })
    expect([status, body.name?.givenName, body.externalId]).toEqual([200, 'Another', '00ujl29u0le5T6Aj10h7'])
  })

  it('disables and enables a user', async () => {
    expect((await api.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })).body.active).toBe(false)
    expect((await api.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })).body.active).toBe(true)
  })

  it('pushes a group, renames it, replaces and removes its members', async () => {
    const { body } = await api.scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Test SCIMv2', members: [] })
    const path = `/Groups/${body.id}`
    const { id: second } = await api.user()
    const members = async () => (await api.scim('GET', path)).body.members?.map(({ value }) => value).sort() ?? []
    await api.patch(path, { op: 'replace', value: { id: body.id, displayName: 'Test SCIMv2b' } })
    expect((await api.scim('GET', path)).body.displayName).toBe('Test SCIMv2b')
    await api.patch(
      path,
      { op: 'remove', path: `members[value eq "${second}"]` },
      { op: 'add', path: 'members', value: [{ value: id, display: 'test.user@okta.local' }] },
    )
    expect(await members()).toEqual([id])
    await api.patch(path, { op: 'replace', path: 'members', value: [{ value: id }, { value: second }] })
    expect(await members()).toEqual([id, second].sort())
    await api.scim('PUT', path, { schemas: [GROUP], id: body.id, displayName: 'Test SCIMv2b', members: [{ value: second, display: 'x' }] })
    expect(await members()).toEqual([second])
    expect((await api.scim('DELETE', path)).status).toBe(204)
  })
})

describe('a PATCH', () => {
  const draft = async () => (await api.user(undefined, { name: { givenName: 'A', familyName: 'B' }, externalId: 'e' })).id

  it('removes what it names, and nothing else', async () => {
    const id = await draft()
    const { body } = await api.patch(`/Users/${id}`, { op: 'remove', path: 'name.givenName' }, { op: 'REMOVE', path: 'externalId' })
    expect([body.name, body.externalId]).toEqual([{ familyName: 'B' }, undefined])
    expect((await api.patch(`/Users/${id}`, { op: 'remove', path: 'name' })).body.name).toBeUndefined()
  })

  it('that removes an empty list removes nothing; one without a value removes all', async () => {
    const id = (await api.user(undefined, { emails: [{ value: `${randomUUID()}@example.com` }] })).id
    const path = `/Groups/${(await api.group(`Kept ${id}`, [id])).id}`
    const seen: unknown[] = []
    for (const value of [[], undefined]) {
      await api.patch(path, { op: 'remove', path: 'members', value })
      await api.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: `${id}@example.com` })
      const { body } = await api.patch(`/Users/${id}`, { op: 'remove', path: 'emails', value })
      seen.push([(await api.scim('GET', path)).body.members?.length ?? 0, body.emails?.length ?? 0])
    }
    expect(seen).toEqual([
      [1, 1],
      [0, 0],
    ])
  })

  it.each([
    ['null', null],
    ['an empty list', []],
  ])('of active with %s is refused, by path and without, and enables nobody', async (_what, value) => {
    const id = await draft()
    await api.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    for (const operation of [
      { op: 'replace', path: 'active', value },
      { op: 'add', value: { active: value } },
    ]) {
      const { status, body } = await api.patch(`/Users/${id}`, operation)
      expect([status, body.scimType, body.detail]).toEqual([400, 'invalidValue', 'active is required.'])
    }
    expect((await api.scim('GET', `/Users/${id}`)).body.active).toBe(false)
  })

  it('makes one address the primary one', async () => {
    const id = (await api.user(undefined, { emails: [{ value: 'p1@example.com', primary: true }] })).id
    const { body } = await api.patch(`/Users/${id}`, { op: 'add', path: 'emails', value: [{ value: 'p2@example.com', primary: true }] })
    expect(body.emails).toEqual([
      { value: 'p1@example.com', primary: false },
      { value: 'p2@example.com', primary: true },
    ])
    expect((await api.account(id)).email).toBe('p2@example.com')
    const left = await api.patch(`/Users/${id}`, { op: 'remove', path: 'emails[primary eq true]' })
    expect(left.body.emails).toEqual([{ value: 'p1@example.com', primary: false }])
  })

  it('of more than a thousand attributes, or of more than ten addresses, is refused before it costs time', async () => {
    const id = await draft()
    const operations = Array.from({ length: 1_001 }, () => ({ op: 'add', path: 'displayName', value: 'x' }))
    const value = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`a${index}`, 1]))
    const emails = Array.from({ length: 1_000 }, (_, index) => ({ op: 'add', path: 'emails', value: { value: `e${index}@example.com` } }))
    const answers = [
      await api.patch(`/Users/${id}`, ...operations),
      await api.patch(`/Users/${id}`, { op: 'add', value }),
      await api.patch(`/Users/${id}`, ...emails),
    ]
    expect(answers.map(({ status, body }) => [status, body.scimType])).toEqual([
      [413, 'tooMany'],
      [413, 'tooMany'],
      [400, 'invalidValue'],
    ])
  })

  it.each([
    ['another message', { schemas: [USER], Operations: [{ op: 'add', value: {} }] }, 'invalidSyntax'],
    ['no operations', { schemas: [PATCH] }, 'invalidSyntax'],
    ['an unknown op', { schemas: [PATCH], Operations: [{ op: 'move', path: 'active', value: true }] }, 'invalidSyntax'],
    ['a removal without a path', { schemas: [PATCH], Operations: [{ op: 'remove' }] }, 'noTarget'],
    ['a path that cannot be read', { schemas: [PATCH], Operations: [{ op: 'add', path: 'emails[', value: 1 }] }, 'invalidPath'],
    ['an attribute that does not exist', { schemas: [PATCH], Operations: [{ op: 'add', path: 'shoeSize', value: 1 }] }, 'invalidPath'],
    ['an id', { schemas: [PATCH], Operations: [{ op: 'replace', path: 'id', value: 'x' }] }, 'mutability'],
    ['groups', { schemas: [PATCH], Operations: [{ op: 'add', path: 'groups', value: [] }] }, 'mutability'],
    ['the removal of userName', { schemas: [PATCH], Operations: [{ op: 'remove', path: 'userName' }] }, 'mutability'],
    ['a null userName', { schemas: [PATCH], Operations: [{ op: 'replace', path: 'userName', value: null }] }, 'invalidValue'],
    ['a number as name', { schemas: [PATCH], Operations: [{ op: 'replace', path: 'displayName', value: 5 }] }, 'invalidValue'],
    [
      'a value that none matches',
      { schemas: [PATCH], Operations: [{ op: 'replace', path: 'emails[type ne "work"].value', value: 'x@y.z' }] },
      'noTarget',
    ],
    ['a name of the prototype', { schemas: [PATCH], Operations: [{ op: 'add', path: '__proto__.x', value: 1 }] }, 'invalidPath'],
    [
      'a right step and a wrong one',
      {
        schemas: [PATCH],
        Operations: [
          { op: 'add', path: 'displayName', value: 'New' },
          { op: 'add', path: 'active', value: 'maybe' },
        ],
      },
      'invalidValue',
    ],
  ])('with %s is refused as a whole', async (_what, body, scimType) => {
    const id = await draft()
    const before = (await api.scim('GET', `/Users/${id}`)).body
    const refused = await api.scim('PATCH', `/Users/${id}`, body)
    expect([refused.status, refused.body.scimType]).toEqual([400, scimType])
    expect((await api.scim('GET', `/Users/${id}`)).body).toEqual(before)
  })
})
