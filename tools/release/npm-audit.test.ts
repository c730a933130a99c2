import { describe, expect, it } from 'vitest'
import { readAudit } from './npm-audit.ts'

describe('what npm audit prints', () => {
  it('is read as packages with their severity and advisories', () => {
    const vulnerabilities = {
      undici: { name: 'undici', severity: 'high', isDirect: true, via: [{ source: 1, title: 'Request smuggling', severity: 'high' }] },
      client: { name: 'client', severity: 'high', via: ['undici'] },
    }
    expect(readAudit(JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: {} }))).toEqual({
      state: 'known',
      found: [
        { name: 'undici', severity: 'high', titles: ['Request smuggling'] },
        { name: 'client', severity: 'high', titles: ['by undici'] },
      ],
    })
    expect(readAudit('{"auditReportVersion":2,"vulnerabilities":{}}')).toEqual({ state: 'known', found: [] })
  })

  it('is distinguished from a registry that cannot be reached', () => {
    expect(readAudit('{"message":"405 Method Not Allowed - POST /bulk","statusCode":405}')).toEqual({
      state: 'unknown',
      reason: '405 Method Not Allowed',
    })
    for (const text of ['', 'npm error network', '{}', 'null']) expect(readAudit(text).state).toBe('unknown')
  })
})
