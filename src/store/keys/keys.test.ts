import { sign, verify } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addKey, openKeys, refreshKeys } from './keys.ts'

describe('keys', () => {
  let dataDir: string
  const folder = () => join(dataDir, 'keys')

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-keys-'))
  })

  afterEach(() => rm(dataDir, { recursive: true }))

  test('are the same after a restart', async () => {
    const first = await openKeys(dataDir)
    const second = await openKeys(dataDir)
    const facts = (keys: typeof first) => [keys.sealing.newest, keys.signing.newest.id, keys.tokenHash.newest]
    expect(facts(second)).toEqual(facts(first))
  })

  test('are readable by their owner only', async () => {
    await openKeys(dataDir)
    const paths = [folder(), ...(await readdir(folder())).map((name) => join(folder(), name))]
    const modes = await Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)))
    expect(modes).toEqual(['700', '600', '600', '600'])
  })

  test('are of 128 bits of security or more', async () => {
    const { sealing, signing, tokenHash } = await openKeys(dataDir)
    expect([sealing.newest.bytes.length, tokenHash.newest.bytes.length, signing.newest.publicKey.asymmetricKeyType]).toEqual([
      32,
      32,
      'ed25519',
    ])
  })

  test('of two deployments have nothing in common', async () => {
    const [a, b] = [await openKeys(join(dataDir, 'a')), await openKeys(join(dataDir, 'b'))]
    expect(a.tokenHash.newest).not.toEqual(b.tokenHash.newest)
  })

  test('are made once when two processes start together', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => openKeys(dataDir)))
    expect(new Set(all.map((keys) => keys.sealing.newest.id)).size).toBe(1)
  })

  test('sign what the public half verifies', async () => {
    const { newest } = (await openKeys(dataDir)).signing
    const text = Buffer.from('token')
    expect(verify(null, text, newest.publicKey, sign(null, text, newest.privateKey))).toBe(true)
  })

  test.each([
    ['the folder', '', 0o750],
    ['a file', 'sealing-1.json', 0o640],
    ['a file', 'signing-1.json', 0o604],
  ])('are refused when others may read %s (%s)', async (_what, name, mode) => {
    await openKeys(dataDir)
    await chmod(join(folder(), name), mode)
    await expect(openKeys(dataDir)).rejects.toThrow(/others may read the keys in .* run: chmod [67]00/)
  })

  test.each([
    ['empty', () => ''],
    ['cut', (text: string) => text.slice(0, 80)],
    [
      'another key under the same name',
      (text: string) => text.replace(/("key": ".)(.)/, (_all, before, char) => before + (char === 'A' ? 'B' : 'A')),
    ],
    ['not an object', () => 'null'],
    ['renamed', (text: string) => text.replace('"number": 1', '"number": 2')],
  ])('in a damaged file (%s) are refused and the file stays as it is', async (_what, damage) => {
    await openKeys(dataDir)
    const path = join(folder(), 'sealing-1.json')
    const damaged = damage(await readFile(path, 'utf8'))
    await writeFile(path, damaged)
    await expect(openKeys(dataDir)).rejects.toThrow('is damaged; restore it from the backup')
    expect(await readFile(path, 'utf8')).toBe(damaged)
  })

  test('are refused when one purpose is missing, rather than made again', async () => {
    await openKeys(dataDir)
    await rm(join(folder(), 'token-hash-1.json'))
    await expect(openKeys(dataDir)).rejects.toThrow('has no key for token-hash')
  })

  test('left half made by a killed process are not used', async () => {
    await mkdir(join(dataDir, 'keys.draft-1'))
    await writeFile(join(dataDir, 'keys.draft-1', 'sealing-1.json'), '')
    await expect(openKeys(dataDir)).resolves.toHaveProperty('tokenHash')
  })

  test('added twice at once are not lost: one is refused', async () => {
    await openKeys(dataDir)
    const added = (await Promise.allSettled([addKey(dataDir, 'sealing'), addKey(dataDir, 'sealing')])).flatMap((result) =>
      result.status === 'fulfilled' ? [result.value] : [],
    )
    const { sealing } = await openKeys(dataDir)
    expect(added.filter((id) => sealing.find(id) === undefined)).toEqual([])
  })

  test.each(['sealing', 'signing', 'token-hash'] as const)('an added %s key becomes the newest and the old one stays', async (purpose) => {
    const ringOf = async () =>
      (({ sealing, signing, tokenHash }) => ({ sealing, signing, 'token-hash': tokenHash })[purpose])(await openKeys(dataDir))
    const before = (await ringOf()).newest.id
    const added = await addKey(dataDir, purpose)
    const ring = await ringOf()
    expect([ring.newest.id, ring.find(before)?.id]).toEqual([added, before])
  })

  test('an added key reads before it writes, in a process that runs', async () => {
    let now = new Date('2026-11-23T12:00:00Z')
    const keys = await openKeys(dataDir, () => now)
    const [first] = keys.signing.all
    const id = await addKey(dataDir, 'signing', new Date('2026-11-23T12:05:00Z'))
    expect(keys.signing.find(id), 'a token cannot make it look into the folder').toBe(undefined)
    refreshKeys(keys)
    expect([keys.signing.find(id)?.id, keys.signing.newest.id]).toEqual([id, first?.id])
    now = new Date('2026-11-23T12:05:00Z')
    expect([keys.signing.newest.id, keys.signing.find(first?.id ?? '')?.id]).toEqual([id, first?.id])
  })

  test('a deleted key is no longer accepted, and the last one stays', async () => {
    const keys = await openKeys(dataDir)
    const old = keys.signing.newest.id
    await addKey(dataDir, 'signing')
    await rm(join(folder(), 'signing-1.json'))
    refreshKeys(keys)
    expect([keys.signing.find(old), keys.signing.all.length]).toEqual([undefined, 1])
    await rm(join(folder(), 'signing-2.json'))
    refreshKeys(keys)
    expect(keys.signing.all.length).toBe(1)
  })

  test('the tenth key is newer than the ninth', async () => {
    await openKeys(dataDir)
    const added: string[] = []
    for (let count = 0; count < 9; count++) added.push(await addKey(dataDir, 'sealing'))
    expect((await openKeys(dataDir)).sealing.newest.id).toBe(added.at(-1))
  })
})
