import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { makeEd25519Pair } from '../../../../test/file-feeds/ssh-keys.ts'
import { testKeys } from '../../../../test/harness/keys.ts'
import { allowOnly } from '../../../egress/allowed-hosts.ts'
import { createSealer } from '../../../store/keys/sealing.ts'
import { tokenHasher } from '../../../store/keys/token-hash.ts'
import type { FeedSource, FileFeed } from '../../../store/sources/file-feeds.ts'
import { openSecret } from '../../../sync/file-feeds/file-feed-secret.ts'
import { readFeed } from './file-feed-input.ts'

type Input = Parameters<typeof readFeed>[2]

const keys = await testKeys()
const sealer = createSealer(keys)
const KEY = { instanceId: randomUUID(), id: randomUUID() }
const HOST_KEY = `SHA256:${'A'.repeat(43)}`
const SERVER = { kind: 'sftp', host: 'sftp.example.com', user: 'ann', path: '/out', hostKey: HOST_KEY } as const
const SOURCE: FeedSource = { ...SERVER, port: 22, authentication: 'key', afterwards: 'leave' }
const PRIVATE_KEY = makeEd25519Pair().private
const ENCRYPTED = makeEd25519Pair({ passphrase: 'open', cipher: 'aes256-cbc', rounds: 16 }).private

const BEFORE: FileFeed = {
  ...{ ...KEY, name: 'Before', companyId: null, source: SOURCE, everyMinutes: 15, isPaused: false },
  ...{ checkedAt: null, problem: null, createdAt: new Date(0) },
}

afterEach(() => allowOnly(null))

const read = async (source: Input['source'], before: FileFeed | null = null, more: Partial<Input> = {}) =>
  await readFeed(sealer, KEY, { name: 'Bank', ...more, source }, before)
/** The fields that are refused. */
async function refused(source: Input['source'], before: FileFeed | null = null): Promise<unknown> {
  return await read(source, before).then(
    () => null,
    (error: { fields: { field: string }[] }) => error.fields.map(({ field }) => field),
  )
}
const opened = (secret: Uint8Array | null | undefined) =>
  secret && openSecret({ sealer, hashToken: tokenHasher(keys), hide: () => undefined }, KEY, secret)

describe('a file feed as it is asked for', () => {
  it('is of no single company, looks every quarter of an hour and is not paused, unless it says otherwise', async () => {
    const folder = { kind: 'folder', path: 'caisse' } as const
    expect(await read(folder)).toEqual({
      feed: { name: 'Bank', companyId: null, everyMinutes: 15, isPaused: false, source: folder },
      secret: null,
    })
    const companyId = randomUUID()
    expect((await read(folder, null, { companyId, everyMinutes: 60, isPaused: true })).feed).toEqual({
      ...{ name: 'Bank', companyId, everyMinutes: 60, isPaused: true, source: folder },
    })
  })

  it('with a password has it sealed, and moves files at the usual port', async () => {
    const { feed, secret } = await read({ ...SERVER, password: 'secret' })
    expect([feed.source, opened(secret)]).toEqual([
      { ...SERVER, port: 22, authentication: 'password', afterwards: 'move' },
      { password: 'secret' },
    ])
  })

  it('with a key has it sealed, with its passphrase', async () => {
    const { feed, secret } = await read({ ...SERVER, port: 2222, afterwards: 'leave', privateKey: ENCRYPTED, passphrase: 'open' })
    expect([feed.source, opened(secret)]).toEqual([
      { ...SERVER, port: 2222, authentication: 'key', afterwards: 'leave' },
      { privateKey: ENCRYPTED, passphrase: 'open' },
    ])
    expect(opened((await read({ ...SERVER, privateKey: PRIVATE_KEY })).secret)).toEqual({ privateKey: PRIVATE_KEY })
  })

  it.each<[string, object, string[]]>([
    ['a password and a key', { password: 'secret', privateKey: PRIVATE_KEY }, ['source.password']],
    ['a passphrase without a key', { password: 'secret', passphrase: 'open' }, ['source.passphrase']],
    ['a passphrase alone', { passphrase: 'open' }, ['source.passphrase']],
    ['a key that is none', { privateKey: 'x' }, ['source.privateKey']],
    ['an encrypted key without its passphrase', { privateKey: ENCRYPTED }, ['source.passphrase']],
    ['an encrypted key with another passphrase', { privateKey: ENCRYPTED, passphrase: 'shut' }, ['source.passphrase']],
    ['neither', {}, ['source.password']],
  ])('is refused with %s', async (_what, secrets, fields) => {
    expect(await refused({ ...SERVER, ...secrets })).toEqual(fields)
  })
})

describe('the secret that is stored', () => {
  it('is kept, and its kind, for the same server, user and host key, whatever else changes', async () => {
    expect(await read({ ...SERVER, path: '/elsewhere' }, BEFORE)).toEqual({
      feed: expect.objectContaining({ source: { ...SOURCE, path: '/elsewhere', afterwards: 'move' } }),
      secret: undefined,
    })
  })

  it.each<[string, object]>([
    ['another host', { host: 'other.example.com' }],
    ['another port', { port: 2222 }],
    ['another user', { user: 'bob' }],
    ['another host key', { hostKey: `SHA256:${'B'.repeat(43)}` }],
  ])('is not sent to %s', async (_what, changed) => {
    expect(await refused({ ...SERVER, ...changed }, BEFORE)).toEqual(['source.password'])
  })

  it('of a folder is none for a server', async () => {
    expect(await refused(SERVER, { ...BEFORE, source: { kind: 'folder', path: 'caisse' } })).toEqual(['source.password'])
  })

  it('is replaced by one that is given, of the other kind, too', async () => {
    const { feed, secret } = await read({ ...SERVER, password: 'newer' }, BEFORE)
    expect([feed.source, opened(secret)]).toEqual([{ ...SOURCE, authentication: 'password', afterwards: 'move' }, { password: 'newer' }])
  })
})

describe('a host that the operator does not allow', () => {
  it('is refused for a new feed and for another host, and stays as it is for one that has it', async () => {
    allowOnly([])
    expect(await refused({ ...SERVER, password: 'secret' })).toEqual(['source.host'])
    expect(await refused({ ...SERVER, host: 'other.example.com', password: 'secret' }, BEFORE)).toEqual(['source.host'])
    expect((await read(SERVER, BEFORE)).secret).toBeUndefined()
  })
})
