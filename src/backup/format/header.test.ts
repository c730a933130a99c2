import { expect, it } from 'vitest'
import { Secret } from '../../model/values/secret.ts'
import { createHeader, openHeader } from './header.ts'

it('the key of a backup is stretched from its passphrase, at 128 MiB a guess, with a salt of its own', async () => {
  const passphrase = new Secret('correct horse battery staple')
  const [one, other] = [await createHeader(passphrase), await createHeader(passphrase)]
  // log2 N, r and p: memory is 128 * N * r bytes.
  const [logN = 0, r = 0, p = 0] = one.header.subarray(9, 12)
  expect(128 * 2 ** logN * r).toBeGreaterThanOrEqual(128 * 2 ** 20)
  expect(p).toBeGreaterThanOrEqual(1)
  expect(one.header.subarray(12, 44)).not.toEqual(other.header.subarray(12, 44))
  expect(one.key).not.toEqual(other.key)
  expect(await openHeader(one.header, passphrase)).toEqual(one.key)
})
