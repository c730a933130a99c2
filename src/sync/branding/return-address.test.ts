import { expect, it } from 'vitest'
import { findReturnFault, leadsToSignIn } from './return-address.ts'

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
