import { describe, expect, test } from 'vitest'
import type { Reach } from './address.ts'
import { EgressError } from './egress-error.ts'
import { hostOf, portOf, toTarget } from './target.ts'

const target = (url: string, reach: Reach = 'public', ports = [80, 443]) => {
  try {
    return toTarget(url, { reach, ports }).href
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    return error.failure
  }
}

describe('an address to call', () => {
  test.each([
    ['https://bank.example/a?b=c#d', 'https://bank.example/a?b=c'],
    ['HTTP://BANK.example:80/', 'http://bank.example/'],
    ['https://93.184.216.34/', 'https://93.184.216.34/'],
    ['https://internal.bank.example/', 'https://internal.bank.example/'],
  ])('%s becomes %s', (url, wanted) => {
    expect(target(url)).toBe(wanted)
  })

  test.each([
    ...['', 'bank.example', 'ftp://bank.example/', 'file:///etc/passwd', 'javascript:alert(1)'],
    ...['https://user@bank.example/', 'https://:secret@bank.example/', 'https://user:secret@bank.example/'],
  ])('is none, whoever may reach what: %s', (url) => {
    expect([target(url), target(url, 'private')]).toEqual(['unreachable', 'unreachable'])
  })

  test.each([
    'http://printer/',
    'http://db.internal/',
    'http://localhost/',
    'http://nas.home.arpa/',
    'http://home.arpa/',
    'http://10.0.0.1/',
  ])('inside a network is for those who may reach it: %s', (url) => {
    expect([target(url), target(url, 'private')]).toEqual(['unreachable', url])
  })

  test('has one of the ports, unless it is inside', () => {
    expect(target('https://bank.example:8443/')).toBe('unreachable')
    expect(target('https://bank.example:8443/', 'public', [8443])).toBe('https://bank.example:8443/')
    expect(target('https://bank.example/', 'public', [80])).toBe('unreachable')
    expect(target('http://bank.example/', 'public', [443])).toBe('unreachable')
    expect(target('http://printer:9100/', 'private')).toBe('http://printer:9100/')
  })

  test('that is nothing but a dot is none', () => {
    expect([target('http://./'), target('http://./', 'private')]).toEqual(['unreachable', 'unreachable'])
  })
})

test.each([
  ['[2001:db8::1]', '2001:db8::1'],
  ['bank.example.', 'bank.example'],
  ['bank.example', 'bank.example'],
  ['x[1]', 'x[1]'],
  ['[1]x', '[1]x'],
])('the host of %s is %s', (hostname, wanted) => {
  expect(hostOf({ hostname })).toBe(wanted)
})

test.each([
  ['https:', '', 443],
  ['http:', '', 80],
  ['https:', '8443', 8443],
])('the port of %s//…:%s is %d', (protocol, port, wanted) => {
  expect(portOf({ protocol, port })).toBe(wanted)
})
