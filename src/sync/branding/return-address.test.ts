import { expect, it } from 'vitest'
import { findReturnFault, isAllowedReturn, leadsToSignIn, toReturnAddress } from './return-address.ts'

const HERE = { allowsLoopback: true }

it.each(['https://app.example.com/back', 'http://localhost:3000/', 'HTTPS://app.example.com'])('an owner may go back to %s', (address) => {
  expect(findReturnFault(address, HERE)).toBeNull()
})

it.each([
  'https:app.example.com',
  'https:/app.example.com',
  'https:///app.example.com',
  'https://app.example.com\\back',
  'app.example.com',
  'back',
])('%s is not an address', (address) => {
  expect(findReturnFault(address, HERE)).toBe('is not an address')
})

it.each(['javascript:alert(1)', 'ftp://app.example.com', 'http://app.example.com'])('%s has to begin otherwise', (address) => {
  expect(findReturnFault(address, HERE)).toBe('has to begin with https:// (or http:// on this machine)')
})

it.each([
  ['https://pay.example.com/sign-in/1', true],
  ['https://pay.example.com/%73ign-in/1?to=/', true],
  ['https://PAY.example.com:443/sign-in/1/callback', true],
  ['https://pay.example.com/sign-in', false],
  ['https://pay.example.com/portal/', false],
  ['https://app.example.com/sign-in/1', false],
])('%s leads to a sign-in of ours: %s', (address, leads) => {
  expect(leadsToSignIn(address, 'https://pay.example.com')).toBe(leads)
})

it.each([
  ['https://app.example.com/back', ['https://app.example.com/back'], true],
  ['https://app.example.com/back/now?x=1#y', ['https://app.example.com/back'], true],
  ['https://app.example.com/back/now', ['https://app.example.com/back/'], true],
  ['https://app.example.com/backwards', ['https://app.example.com/back'], false],
  ['https://app.example.com/', ['https://app.example.com/back'], false],
  ['https://app.example.com/anything', ['https://app.example.com'], true],
  ['https://app.example.com:8443/back', ['https://app.example.com/back'], false],
  ['http://app.example.com/back', ['https://app.example.com/back'], false],
  ['https://app.example.com.evil.example/back', ['https://app.example.com/back'], false],
  ['https://b.example/x', ['https://a.example', 'https://b.example/x'], true],
  ['https://b.example/x', [], false],
])('%s is below one of %j: %s', (address, allowed, expected) => {
  expect(isAllowedReturn(address, allowed)).toBe(expected)
})

it('the address with the result keeps what it has', () => {
  const outcome = { status: 'connected', companyId: 'c-1', serviceId: 's-1' } as const
  expect(toReturnAddress('https://a.example/x?y=1&status=old#z', outcome)).toBe(
    'https://a.example/x?y=1&status=connected&companyId=c-1&serviceId=s-1#z',
  )
})

it.each([
  [`https://a.example/${'x'.repeat(2_000 - 18)}`, null],
  [`https://a.example/${'x'.repeat(2_001 - 18)}`, 'is longer than 2000 characters'],
  ['https://u@a.example/', 'must not hold a user or a password'],
  ['https://:p@a.example/', 'must not hold a user or a password'],
  ['https://a.example/%2Fb', 'must not hold encoded slashes or dots in its path'],
  ['https://a.example/b%2e', 'must not hold encoded slashes or dots in its path'],
  ['https://a.example/?x=%2F', null],
  ['http://localhost/', 'has to begin with https://'],
  ['mailto:a@a.example', 'has to begin with https://'],
])('outside of this machine %s: %s', (address, fault) => {
  expect(findReturnFault(address, { allowsLoopback: false })).toBe(fault)
})

it.each(['http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]/x'])('on this machine %s is one', (address) => {
  expect(findReturnFault(address, HERE)).toBeNull()
})
