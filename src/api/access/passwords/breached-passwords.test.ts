import { createHash } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BreachedPasswords, refuseBreachedPasswords } from './breached-passwords.ts'
import { findPasswordFault } from './password-rules.ts'

const OWNER = { email: 'ann@example.com', name: 'Ann' }
const KNOWN = Array.from({ length: 500 }, (_, n) => `Lantern-quartz-${n}-otter`)
const hashOf = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

let folder = ''
const opened: BreachedPasswords[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'breached-passwords-'))
})
afterEach(() => refuseBreachedPasswords(null))
afterAll(async () => {
  for (const list of opened) await list.close()
})

async function openList(name: string, lines: readonly string[], end = '\r\n'): Promise<BreachedPasswords> {
  const path = join(folder, name)
  await writeFile(path, lines.join(end) + (lines.length > 0 ? end : ''))
  const list = await BreachedPasswords.open(path)
  opened.push(list)
  return list
}

describe('a list of breached passwords', () => {
  const sorted = KNOWN.map(hashOf).sort()

  it.each([
    ['with counts and carriage returns', sorted.map((hash, n) => `${hash}:${n ** 3}`), '\r\n'],
    ['of hashes alone', sorted, '\n'],
    ['in lower case', sorted.map((hash) => hash.toLowerCase()), '\n'],
  ])('%s has each of its passwords and no other', async (name, lines, end) => {
    const list = await openList(name, lines, end)
    for (const password of KNOWN) expect(await list.has(password), password).toBe(true)
    for (const password of KNOWN) expect(await list.has(`${password}!`), password).toBe(false)
  })

  it.each([
    ['of one line', sorted.slice(0, 1)],
    ['of two lines', sorted.slice(0, 2)],
  ])('%s is searched to its ends', async (name, lines) => {
    const list = await openList(name, lines)
    const found = await Promise.all(KNOWN.map((password) => list.has(password)))
    expect(found.filter(Boolean)).toHaveLength(lines.length)
  })

  it.each([
    ['is not sorted', sorted.toReversed(), 'not sorted'],
    ['has other lines', ['password1', 'password2'], 'SHA-1'],
    ['is empty', [], 'SHA-1'],
  ])('is refused if it %s', async (name, lines, message) => {
    await expect(openList(name, lines)).rejects.toThrow(message)
  })

  it('is refused if it is not there', async () => {
    await expect(BreachedPasswords.open(join(folder, 'none'))).rejects.toThrow('ENOENT')
  })

  it('keeps its passwords from being chosen, however hard they are to guess', async () => {
    const [known = ''] = KNOWN
    expect(await findPasswordFault(known, OWNER)).toBeNull()
    refuseBreachedPasswords(await openList('rules', sorted))
    expect(await findPasswordFault(known, OWNER)).toBe('is known from a data breach')
    expect(await findPasswordFault(`${known}!`, OWNER)).toBeNull()
  })
})
