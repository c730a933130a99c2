import { describe, expect, it } from 'vitest'
import type { KeyCaller, UserCaller } from '../caller.ts'
import { checkProof, requireProofRule } from './proof-rule.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const ids = { instanceId: 'i', sessionId: 's', userId: 'u' }
const user = (ageMs: number): UserCaller => ({ ...ids, role: 'admin', keyId: null, provenAtMs: NOW.getTime() - ageMs, lacksTwoStep: false })
const KEY: KeyCaller = { instanceId: 'i', keyId: 'k', applicationId: 'k', createdBy: 'u', userId: null, scopes: new Set() }

describe('a fresh proof', () => {
  it('counts for fifteen minutes', () => {
    expect(() => checkProof(user(900_000), { proof: 'fresh' }, NOW)).not.toThrow()
    expect(() => checkProof(user(900_001), { proof: 'fresh' }, NOW)).toThrow(
      expect.objectContaining({ status: 403, reason: 'proof-required' }),
    )
  })

  it('is asked of users alone, and only where the route says so', () => {
    expect(() => checkProof(KEY, { proof: 'fresh' }, NOW)).not.toThrow()
    for (const proof of [undefined, 'body'] as const) expect(() => checkProof(user(10_000_000), proof ? { proof } : {}, NOW)).not.toThrow()
  })
})

describe('a route of users', () => {
  const route = (config: object) => ({ method: 'POST', url: '/x', config })
  const isRefused = (config: object): boolean => {
    try {
      requireProofRule(route(config) as Parameters<typeof requireProofRule>[0])
      return false
    } catch {
      return true
    }
  }

  it.each([
    ['user.created', true],
    ['api-key.created', true],
    ['identity-provider.changed', true],
    ['export-destination.created', true],
    ['two-step.enabled', true],
    ['company.created', false],
    ['subscription.tested', false],
    ['source-keys.tested', false],
    ['file-feed.polled', false],
    ['mcp.called', false],
  ])('that makes the change %s has to say which proof it asks for: %s', (action, is) => {
    expect(isRefused({ audit: action, roles: ['admin'] })).toBe(is)
    expect(isRefused({ audit: action, roles: ['admin'], proof: 'fresh' })).toBe(false)
    expect(isRefused({ audit: action, roles: 'public' })).toBe(false)
  })

  it('that changes nothing need not', () => {
    expect([isRefused({ roles: ['admin'] }), isRefused({ roles: ['admin'], proof: 'body' })]).toEqual([false, false])
  })
})
