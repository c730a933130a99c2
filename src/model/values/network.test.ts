import { describe, expect, test } from 'vitest'
import { isLoopback, rangeMatcher, toNetwork } from './network.ts'

describe('the network of an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:5678', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2:3::4]:443', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['203.100.113.240:8', '203.100.113.240'],
    ['[2001:db8::1]', '2001:db8::/64'],
    ...['unknown', '', 'x192.0.2.1:5', '192.0.2.1:5x', 'x[2001:db8::1]', '[2001:db8::1]x'].map((text) => [text, 'unknown']),
  ])('%s is %s', (address, network) => {
    expect(toNetwork(address)).toBe(network)
  })
})

describe('ranges', () => {
  const isWithin = (address: string) => rangeMatcher(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32', '::1'])(address)

  test.each(['192.0.2.7', '10.255.0.1', '::ffff:10.0.0.1', '2001:db8:ffff::1', '::1'])('hold %s', (address) => {
    expect(isWithin(address)).toBe(true)
  })

  test.each(['192.0.2.8', '11.0.0.1', '2001:db9::1', '::2', 'unknown', ''])('do not hold %s', (address) => {
    expect(isWithin(address)).toBe(false)
  })
})

describe('this machine', () => {
  test.each(['127.0.0.1', '127.5.6.7', '::1', '::ffff:127.0.0.1'])('is %s', (address) => {
    expect(isLoopback(address)).toBe(true)
  })

  test.each(['10.0.0.1', '0.0.0.0', '::', '192.0.2.1', '::ffff:10.0.0.1', 'localhost', ''])('is not %s', (address) => {
    expect(isLoopback(address)).toBe(false)
  })
})
