import { describe, expect, it } from 'vitest'
import { checkVersion, isWanted, namesVersion, project, type Resource, toProjection, toVersion } from './resource.ts'

describe('the version of a resource', () => {
  it('is a weak ETag that changes with what is shown', () => {
    const [one, same, other] = [toVersion({ a: 1 }), toVersion({ a: 1 }), toVersion({ a: 2 })]
    expect(one).toMatch(/^W\/"[\w-]{27}"$/)
    expect([same === one, other === one]).toEqual([true, false])
  })

  it.each([
    [undefined, false],
    ['*', true],
    ['W/"abc"', true],
    ['"abc"', true],
    [' "x" ,  W/"abc" ', true],
    ['"x", *', true],
    ['abc', false],
    ['"abcd"', false],
    ['', false],
    ['xW/"abc"', false],
  ])('is named by %j: %s', (header, is) => {
    expect([namesVersion(header, 'W/"abc"'), namesVersion(header, '"abc"')]).toEqual([is, is])
  })

  it('is asked for only by who names one', () => {
    expect(() => checkVersion(undefined, 'W/"abc"')).not.toThrow()
    expect(() => checkVersion('"abc"', 'W/"abc"')).not.toThrow()
    expect(() => checkVersion('"abd"', 'W/"abc"')).toThrow(expect.objectContaining({ status: 412 }))
  })
})

describe('a projection', () => {
  const names = (given: unknown) => [...(toProjection(given, undefined).only ?? [])]
  it.each([
    [undefined, []],
    ['', []],
    [' , ', []],
    [7, []],
    ['userName', ['username']],
    [' userName ,NAME.Formatted,', ['username', 'name.formatted']],
    [
      ['a,b', 'c', 7],
      ['a', 'b', 'c'],
    ],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName', ['username']],
    ['URN:ietf:params:scim:schemas:core:2.0:Group:members', ['members']],
    ['x:urn:ietf:params:scim:schemas:core:2.0:user:userName', ['x:urn:ietf:params:scim:schemas:core:2.0:user:username']],
    ['urn:ietf:params:scim:schemas:core:2x0:user:userName', ['urn:ietf:params:scim:schemas:core:2x0:user:username']],
  ])('of %j is of the names %j', (given, wanted) => {
    expect(names(given)).toEqual(wanted)
    expect([...toProjection(undefined, given).without]).toEqual(wanted)
  })

  it('is of what is wanted, or of what is not', () => {
    expect(toProjection('', '')).toEqual({ only: null, without: new Set() })
    expect(() => toProjection('a', 'b')).toThrow(expect.objectContaining({ status: 400, scimType: 'invalidValue' }))
  })

  it.each([
    ['schemas', 'userName', undefined, true],
    ['ID', 'userName', undefined, true],
    ['meta', undefined, 'meta', true],
    ['userName', undefined, undefined, true],
    ['userName', 'USERNAME', undefined, true],
    ['userName', 'name', undefined, false],
    ['name', 'name.formatted', undefined, true],
    ['name', 'names.formatted', undefined, false],
    ['userName', undefined, 'username', false],
    ['name', undefined, 'name.formatted', true],
  ])('%s, of attributes %j without %j, is wanted: %s', (name, only, without, is) => {
    expect(isWanted(name, toProjection(only, without))).toBe(is)
  })

  const resource: Resource = {
    ...{ schemas: ['urn:x'], id: 'one', userName: 'noor', active: false, nothing: null },
    name: { formatted: 'Noor H.', familyName: 'Haddad' },
    emails: [{ value: 'a@example.com', type: 'work' }, 'text'],
    meta: { resourceType: 'User', created: 'a', lastModified: 'b', location: 'c', version: 'd' },
  }
  const always = { schemas: resource.schemas, id: resource.id, meta: resource.meta }
  it.each<[string | undefined, string | undefined, object]>([
    [undefined, undefined, resource],
    ['userName', undefined, { ...always, userName: 'noor' }],
    ['name', undefined, { ...always, name: resource.name }],
    ['NAME.familyName', undefined, { ...always, name: { familyName: 'Haddad' } }],
    ['name.familyName,name', undefined, { ...always, name: resource.name }],
    [
      'emails.value,active.x,nothing.y',
      undefined,
      { ...always, active: false, nothing: null, emails: [{ value: 'a@example.com' }, 'text'] },
    ],
    ['meta.version,id.x', undefined, always],
    [
      undefined,
      'name,emails.type,active,id,meta.version,nothing',
      { ...always, userName: 'noor', emails: [{ value: 'a@example.com' }, 'text'] },
    ],
    [undefined, 'name.formatted', { ...resource, name: { familyName: 'Haddad' } }],
  ])('of attributes %j without %j shows these', (only, without, shown) => {
    expect(project(resource, toProjection(only, without))).toEqual(shown)
  })
})
