import { expect, it } from 'vitest'
import { findReturnFault } from './return-address.ts'

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
