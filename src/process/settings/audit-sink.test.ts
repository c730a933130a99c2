import { describe, expect, it } from 'vitest'
import { toAuditSink } from './audit-sink.ts'

describe('AUDIT_SINK', () => {
  it.each([
    ['syslog+tls://logs.example.com', { kind: 'syslog', transport: 'tls', host: 'logs.example.com', port: 6514 }],
    ['syslog+tcp://10.0.0.7', { kind: 'syslog', transport: 'tcp', host: '10.0.0.7', port: 601 }],
    ['syslog+udp://[::1]:1514/', { kind: 'syslog', transport: 'udp', host: '::1', port: 1514 }],
    ['file:///var/log/countinghouse/audit.jsonl', { kind: 'file', path: '/var/log/countinghouse/audit.jsonl' }],
  ])('may be %s', (text, address) => {
    expect(toAuditSink(text)).toEqual(address)
  })

  it.each([
    'syslog://host',
    'https://host',
    'syslog+tls://',
    'syslog+tls://user@host',
    'syslog+tcp://host/path',
    'file://host/x',
    'file:///var/',
    '/var/x',
    'x',
  ])('may not be %s', (text) => {
    expect(() => toAuditSink(text)).toThrow('syslog+tls://HOST:PORT')
  })
})
