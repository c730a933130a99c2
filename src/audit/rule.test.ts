import { describe, expect, it } from 'vitest'
import { actionsOf, requireAuditRule } from './rule.ts'

describe('a route', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('of method %s that declares no audit action keeps the server from starting', (method) => {
    expect(() => requireAuditRule({ method, url: '/things' })).toThrow('/things does not say which audit entry it makes')
    expect(() => requireAuditRule({ method: ['GET', method], url: '/things', config: {} })).toThrow('/things')
  })

  it('that reads needs none, unless it says that it changes something', () => {
    expect(() => requireAuditRule({ method: ['GET', 'HEAD'], url: '/things' })).not.toThrow()
    expect(() => requireAuditRule({ method: 'GET', url: '/things', config: { isChange: true } })).toThrow('/things')
  })

  it('that declares an action, or a reason for none, is accepted', () => {
    expect(() => requireAuditRule({ method: 'POST', url: '/things', config: { audit: 'company.created' } })).not.toThrow()
    expect(() => requireAuditRule({ method: 'POST', url: '/things', config: { audit: { none: 'keeps nothing' } } })).not.toThrow()
  })

  it('may record the actions that it declares and no others', () => {
    expect([...actionsOf('company.created')]).toEqual(['company.created'])
    expect([...actionsOf({ none: 'keeps nothing' })]).toEqual([])
    expect([...actionsOf({ none: 'keeps nothing', except: ['login.failed'] })]).toEqual(['login.failed'])
  })
})
