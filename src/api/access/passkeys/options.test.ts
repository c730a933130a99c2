import { expect, it } from 'vitest'
import { toCreationAnswer, toRequestAnswer } from './options.ts'

const USER = { id: 'dQ', name: 'ann@example.com', displayName: 'Ann' }

it('a registration asks for user verification and for no attestation, and names the algorithms and the passkeys that are there', () => {
  const rest = { challenge: 'Y2g', pubKeyCredParams: [{ alg: -8, type: 'public-key' as const }], attestation: 'direct' as const }
  const known = [
    { id: 'a', transports: ['usb' as const], type: 'public-key' as const },
    { id: 'b', type: 'public-key' as const },
  ]
  const answer = toCreationAnswer({ ...rest, rp: { id: 'x.example', name: 'X' }, user: USER, timeout: 5, excludeCredentials: known })
  expect(answer).toEqual({
    ...{ rp: { id: 'x.example', name: 'X' }, user: USER, challenge: 'Y2g', timeout: 5, attestation: 'none' },
    excludeCredentials: [
      { id: 'a', transports: ['usb'], type: 'public-key' },
      { id: 'b', transports: [], type: 'public-key' },
    ],
    pubKeyCredParams: [{ alg: -8, type: 'public-key' }],
    authenticatorSelection: { residentKey: 'discouraged', requireResidentKey: false, userVerification: 'required' },
  })
  expect(toCreationAnswer({ ...rest, rp: { name: 'X' }, user: USER })).toMatchObject({
    ...{ rp: { id: '', name: 'X' }, timeout: 0, excludeCredentials: [] },
  })
})

it('a proof asks for user verification by one of the passkeys of the account', () => {
  const allowed = [{ id: 'a', transports: ['internal' as const], type: 'public-key' as const }]
  expect(
    toRequestAnswer({ challenge: 'Y2g', timeout: 5, rpId: 'x.example', allowCredentials: allowed, userVerification: 'discouraged' }),
  ).toEqual({
    ...{ challenge: 'Y2g', timeout: 5, rpId: 'x.example', allowCredentials: allowed, userVerification: 'required' },
  })
  expect(toRequestAnswer({ challenge: 'Y2g' })).toEqual({
    ...{ challenge: 'Y2g', timeout: 0, rpId: '', allowCredentials: [], userVerification: 'required' },
  })
})
