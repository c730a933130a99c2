import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Secret } from '../../model/values/secret.ts'
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
