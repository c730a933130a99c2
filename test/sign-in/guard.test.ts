import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { KeyCaller, UserCaller } from '../../src/api/access/caller.ts'
import { checkAccess, mayCall, readBearer } from '../../src/api/access/guard.ts'
import type { Scope } from '../../src/api/access/keys/scopes.ts'
import type { Role } from '../../src/store/access/users.ts'

type Gate = Parameters<typeof mayCall>[1]

const user = (role: Role, lacksTwoStep = false): UserCaller => {
  const ids = { instanceId: randomUUID(), userId: randomUUID(), sessionId: randomUUID() }
  return { ...ids, role, keyId: null, provenAtMs: 0, lacksTwoStep }
}
const key = (...scopes: Scope[]): KeyCaller => {
  const ids = { instanceId: randomUUID(), keyId: randomUUID(), applicationId: randomUUID(), createdBy: randomUUID() }
  return { ...ids, userId: null, scopes: new Set(scopes) }
}
/** Status and machine-readable reason of the refusal; null when there is none. */
const refusalOf = (caller: UserCaller | KeyCaller, gate: Gate): unknown => {
  try {
    checkAccess(caller, gate)
    return null
  } catch (error) {
    return error
  }
}

describe('a route', () => {
  const gates: [string, Gate, UserCaller | KeyCaller, boolean][] = [
    ['of admins, an admin', { roles: ['admin'] }, user('admin'), true],
    ['of admins, a developer', { roles: ['admin'] }, user('developer'), false],
    ['of three roles, the last of them', { roles: ['admin', 'developer', 'viewer'] }, user('viewer'), true],
    ['that is public, by its gate', { roles: 'public' }, user('admin'), false],
    ['without roles', {}, user('admin'), false],
    ['of admins, an admin who has to set up a second step', { roles: ['admin'] }, user('admin', true), false],
    ['that sets one up, an admin who has to', { roles: ['admin'], isTwoStepSetup: true }, user('admin', true), true],
    ['that sets one up, a viewer where only admins may', { roles: ['admin'], isTwoStepSetup: true }, user('viewer', true), false],
    ['of a scope, a key with it', { roles: ['admin'], scope: 'data:read' }, key('companies:read', 'data:read'), true],
    ['of a scope, a key with another', { roles: ['admin'], scope: 'data:read' }, key('companies:read'), false],
    ['of a scope, a key with none', { roles: ['admin'], scope: 'data:read' }, key(), false],
    ['of users alone, a key', { roles: ['admin'], scope: 'users' }, key('data:read'), false],
    ['without a scope, a key', { roles: ['admin'] }, key('data:read'), false],
  ]

  it.each(gates)('%s: what it may is what it is not refused', (_what, gate, caller, may) => {
    expect([mayCall(caller, gate), refusalOf(caller, gate) === null]).toEqual([may, may])
  })

  it('says what is missing: a role, a second step, a scope, or a person', () => {
    const reasons = [
      refusalOf(user('viewer'), { roles: ['admin'] }),
      refusalOf(user('admin', true), { roles: ['admin'] }),
      refusalOf(key('companies:read'), { roles: ['admin'], scope: 'data:read' }),
      refusalOf(key('companies:read'), { roles: ['admin'], scope: 'users' }),
      refusalOf(key('companies:read'), { roles: ['admin'] }),
    ]
    expect(reasons.map((error) => (error as { status: number }).status)).toEqual([403, 403, 403, 403, 403])
    const messages = reasons.map((error) => (error as Error).message)
    expect(messages[2]).toContain('data:read')
    expect([new Set(messages.slice(0, 4)).size, messages[3] === messages[4]]).toEqual([4, true])
  })
})

describe('the token of a header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc', 'abc'],
    ['Bearer abc def', 'abc def'],
    ['Bearer bearer abc', 'bearer abc'],
    ['Bearerabc', null],
    ['Basic abc', null],
    [' Bearer abc', null],
    ['Token bearer abc', null],
    ['', null],
    [undefined, null],
  ])('%j is %j', (header, token) => {
    expect(readBearer(header)).toBe(token)
  })
})
