import { generateKeyPairSync } from 'node:crypto'
import ssh2 from 'ssh2'
import { expect, it } from 'vitest'
import { findKeyFault } from './file-feed-key.ts'

const openssh = (rounds?: number) =>
  ssh2.utils.generateKeyPairSync('ed25519', rounds === undefined ? undefined : { passphrase: 'secret', cipher: 'aes256-ctr', rounds })
const { private: plain, public: publicKey } = openssh()
const { private: sealed } = openssh(16)
const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
/** A key that says how often its passphrase is hashed, without being one that could be opened. */
function withRounds(rounds: number): string {
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const options = Buffer.concat([part(Buffer.alloc(16)), Buffer.from([0, 0, rounds >> 8, rounds & 0xff])])
  const body = Buffer.concat([Buffer.from('openssh-key-v1\0'), part(Buffer.from('aes256-ctr')), part(Buffer.from('bcrypt')), part(options)])
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`
}

it.each<[string, string, string | undefined, string | null]>([
  ['an OpenSSH key', plain, undefined, null],
  ['an OpenSSH key with an unneeded passphrase', plain, 'unneeded', null],
  ['a PEM key', pem, undefined, null],
  ['a key with its passphrase', sealed, 'secret', null],
  ['a key without its passphrase', sealed, undefined, 'passphraseMissing'],
  ['a key with another passphrase', sealed, 'wrong', 'passphraseWrong'],
  ['a public key', publicKey, undefined, 'public'],
  ['no key', 'nonsense', undefined, 'unreadable'],
  ['no key, with a passphrase', 'nonsense', 'secret', 'unreadable'],
  ['an empty text', '', undefined, 'unreadable'],
  ['a key that takes long', withRounds(65), 'secret', 'passphraseSlow'],
  ['a key that takes long enough', withRounds(64), undefined, 'unreadable'],
  ['a key that is cut off', withRounds(65).slice(0, 70), undefined, 'unreadable'],
])('%s', async (_what, key, passphrase, fault) => {
  const found = await findKeyFault(key, passphrase)
  if (_what === 'a key that takes long enough') expect(found).not.toBe('passphraseSlow')
  else expect(found).toBe(fault)
})
