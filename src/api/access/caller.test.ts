import { expect, it } from 'vitest'
import { grantIdOf, type KeyCaller, responsibleUserId, type UserCaller } from './caller.ts'

const USER: UserCaller = { instanceId: 'i', sessionId: 's', userId: 'u', role: 'admin', keyId: null, provenAtMs: 0, lacksTwoStep: false }
const KEY: KeyCaller = { instanceId: 'i', keyId: 'k', applicationId: 'a', createdBy: 'maker', userId: null, scopes: new Set() }

it('a caller is counted and ended by session or key, and somebody is responsible: the user, or who made the key', () => {
  expect([USER, KEY].map((caller) => [grantIdOf(caller), responsibleUserId(caller)])).toEqual([
    ['s', 'u'],
    ['k', 'maker'],
  ])
})
