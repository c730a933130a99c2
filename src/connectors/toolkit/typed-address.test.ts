import { expect, it } from 'vitest'
import { InputRefused } from '../contract/authorization.ts'
import { requireAddress } from './typed-address.ts'

const REFUSAL = { en: 'no address', 'fr-CA': 'pas une adresse' }

it.each([
  ['books.example.com', 'https://books.example.com'],
  [' https://books.example.com/app/ ', 'https://books.example.com/app'],
  ['http://localhost:8069', 'http://localhost:8069'],
  ['localhost:8069', 'https://localhost:8069'],
])('%s is the address of a server', (typed, address) => {
  expect(requireAddress(typed, REFUSAL)).toBe(address)
})

it.each([
  'https:/books.example.com',
  'https:books.example.com',
  'https:///books.example.com',
  'https:\\\\books.example.com',
  'https://user:secret@books.example.com',
  '',
])('%j is none, and no other server is asked for it', (typed) => {
  expect(() => requireAddress(typed, REFUSAL)).toThrow(InputRefused)
})
