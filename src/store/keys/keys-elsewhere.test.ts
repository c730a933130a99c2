import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Secret } from '../../model/values/secret.ts'
import { toKeyText } from './key-files.ts'
import { openKeys } from './keys.ts'
import { keysElsewhere } from './keys-elsewhere.ts'

let documents: string
beforeEach(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-keys-'))
  await openKeys(dataDir)
  const names = await readdir(join(dataDir, 'keys'))
  const texts = await Promise.all(names.map((name) => readFile(join(dataDir, 'keys', name), 'utf8')))
  documents = `[${texts.join(',')}]`
  await rm(dataDir, { recursive: true })
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('a vault that fails later is told once a minute, and the known keys stay', () => {
  let isAway = false
  const { read } = keysElsewhere('KEYS_COMMAND', () => {
    if (isAway) throw new Error('the token of the vault has expired')
    return new Secret(documents)
  })
  const known = read()
  expect(known).toHaveLength(3)
  isAway = true
  expect(read()).toEqual(known)
  vi.advanceTimersByTime(60_000)
  expect(read).toThrow('the token of the vault has expired')
  expect(read()).toEqual(known)
  vi.advanceTimersByTime(60_000)
  expect(read).toThrow('the token of the vault has expired')
})

it('keys of a vault come oldest first, whatever their order there', () => {
  const written: { number: number }[] = JSON.parse(documents)
  const tenth = { purpose: 'sealing', number: 10, id: '00112233445566aa', bytes: Buffer.alloc(32, 7), from: null }
  const all = JSON.stringify([JSON.parse(toKeyText(tenth)), JSON.parse(toKeyText({ ...tenth, number: 9 })), ...written])
  const { read } = keysElsewhere('KEYS', () => new Secret(all))
  expect(read().map(({ number }) => number)).toEqual([1, 1, 1, 9, 10])
})

it.each([
  ['{}', 'KEYS: not a JSON array'],
  ['no JSON', 'KEYS: not a JSON array'],
  ['[{}]', 'KEYS: key 1 of 1 is damaged'],
])('%s is refused, by the name of its setting', (text, refusal) => {
  expect(() => keysElsewhere('KEYS', () => new Secret(text)).read()).toThrow(refusal)
})

it('a damaged key among others is named by its place, and none is used', () => {
  const written: object[] = JSON.parse(documents)
  const damaged = JSON.stringify(written.map((document, index) => (index === 1 ? { ...document, number: 7 } : document)))
  expect(() => keysElsewhere('KEYS', () => new Secret(damaged)).read()).toThrow('KEYS: key 2 of 3 is damaged')
})
