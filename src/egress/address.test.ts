import { describe, expect, test } from 'vitest'
import { isAllowedAddress } from './address.ts'

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
  '::ffff:8.8.8.8',
]

const LOCAL = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '::1',
  'fd12:3456::1',
  'fc00::1',
  '::ffff:10.0.0.1',
]

const NEVER = [
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  ['link-local', '169.254.169.254', '169.254.0.1', 'fe80::1', '::ffff:169.254.169.254'],
  ['metadata elsewhere', '168.63.129.16', 'fd00:ec2::254', 'fd00:ec2::253', 'fd00:ec2::123', '100.100.100.200', '192.0.0.192'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['benchmarks', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['broadcast and reserved', '255.255.255.255', '240.0.0.1', '192.88.99.1'],
  [
    'tunnels into IPv4',
    '2002:7f00:1::',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2001::1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '::ffff:8.8.8.8%eth0',
    '2606:4700::8.8.8.8',
  ],
  ['retired and special', 'fec0::1', '100::1', '5f00::1', '4000::1'],
  ['no address at all', '', 'localhost', '1.2.3.4/8', '[::1]'],
].flatMap(([range, ...addresses]) => addresses.map((address) => ({ range, address })))

describe('which addresses may be connected to', () => {
  test.each(PUBLIC)('the public address %s always', (address) => {
    expect([isAllowedAddress(address, 'public'), isAllowedAddress(address, 'private')]).toEqual([true, true])
  })

  test.each(LOCAL)('the local address %s by private requests only', (address) => {
    expect([isAllowedAddress(address, 'public'), isAllowedAddress(address, 'private')]).toEqual([false, true])
  })

  test.each(NEVER)('$address ($range) never', ({ address }) => {
    expect([isAllowedAddress(address, 'public'), isAllowedAddress(address, 'private')]).toEqual([false, false])
  })
})
