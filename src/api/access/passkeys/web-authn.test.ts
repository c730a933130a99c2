import { describe, expect, it } from 'vitest'
import { readChallenge, relyingPartyOf, toText, toTransports } from './web-authn.ts'

describe('the relying party of passkeys', () => {
  it.each([
    ['https://books.example.com', 'books.example.com', 'https://books.example.com'],
    ['https://books.example.com:8443/below', 'books.example.com', 'https://books.example.com:8443'],
    ['http://localhost:8080', 'localhost', 'http://localhost:8080'],
  ])('of %s is its host', (address, id, origin) => {
    expect(relyingPartyOf(address)).toEqual({ id, origin })
  })

  it.each(['http://127.0.0.1:8080', 'https://192.0.2.7', 'http://[::1]:8080', 'https://[2001:db8::1]'])(
    'is none for the address %s, which has no host name',
    (address) => {
      expect(() => relyingPartyOf(address)).toThrow(expect.objectContaining({ status: 409 }))
    },
  )
})

describe('the challenge in what a browser has signed', () => {
  const sign = (data: unknown) => Buffer.from(JSON.stringify(data)).toString('base64url')

  it('is read, whatever else is there', () => {
    const challenge = Buffer.from([1, 2, 250])
    expect(readChallenge(sign({ type: 'webauthn.get', challenge: toText(challenge) }))).toEqual(challenge)
  })

  it.each([
    ['nothing', ''],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['null', sign(null)],
    ['a text', sign('challenge')],
    ['a list', sign([])],
    ['an object without one', sign({})],
    ['a number', sign({ challenge: 7 })],
    ['null for one', sign({ challenge: null })],
  ])('is none in %s', (_what, text) => {
    expect(readChallenge(text)).toBeNull()
  })
})

it('the ways to an authenticator are those that are known, once each', () => {
  expect(toTransports(['usb', 'telepathy', 'internal', 'usb'])).toEqual(['internal', 'usb'])
  expect(toTransports([])).toEqual([])
  const all = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']
  expect(toTransports(all.toReversed())).toEqual(all)
})
