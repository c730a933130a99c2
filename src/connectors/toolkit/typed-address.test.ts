import { describe, expect, it } from 'vitest'
import { createEgress } from '../../egress/egress.ts'
import { InputRefused } from '../contract/authorization.ts'
import { createKit } from './http/kit.ts'
import { requestTypedAddress, requireAddress } from './typed-address.ts'

const EXAMPLE = { en: 'https://books.example.com', 'fr-CA': 'https://livres.example.com' }
const REFUSAL = { en: 'no address', 'fr-CA': 'pas une adresse' }

it.each([
  ['books.example.com', 'https://books.example.com'],
  [' https://books.example.com/app/ ', 'https://books.example.com/app'],
  ['http://localhost:8069', 'http://localhost:8069'],
  ['localhost:8069', 'https://localhost:8069'],
])('%s is the address of a server', (typed, address) => {
  expect(requireAddress(typed, EXAMPLE)).toBe(address)
})

it.each([
  'https:/books.example.com',
  'https:books.example.com',
  'https:///books.example.com',
  'https:\\\\books.example.com',
  'https://user:secret@books.example.com',
  '',
])('%j is none, and no other server is asked for it', (typed) => {
  expect(() => requireAddress(typed, EXAMPLE)).toThrow(InputRefused)
})

describe('an address with http', () => {
  const lookedUp: string[] = []
  const ask = async (url: string, allowPrivate: boolean) => {
    const lookup = async (name: string) => {
      lookedUp.push(name)
      return []
    }
    const egress = createEgress({ allowPrivate: false, lookup })
    const hosts = { api: 'http://bank.example.com' }
    const kit = createKit({ egress, app: {}, hosts, now: () => new Date(0), allowPrivate })
    const refusal = await requestTypedAddress(kit.http({ url }), REFUSAL).catch((error: unknown) => error)
    await egress.close()
    return refusal instanceof InputRefused ? refusal.text.en : refusal
  }

  it('is asked for nothing in production, and the owner reads why', async () => {
    expect(await ask('http://books.example.com/login', false)).toMatch(/^The address has to begin with https:/)
    expect(lookedUp).toEqual([])
  })

  it.each([
    ['over https', 'https://books.example.com/login', false],
    ['set by the operator', 'http://bank.example.com/login', false],
    ['where the operator allows private networks', 'http://books.example.com/login', true],
  ])('is asked %s', async (_how, url, allowPrivate) => {
    lookedUp.length = 0
    expect(await ask(url, allowPrivate)).toBe(REFUSAL.en)
    expect(lookedUp).toEqual([new URL(url).hostname])
  })
})
