import { describe, expect, it } from 'vitest'
import type { KeyFile } from '../../src/store/keys/key-files.ts'
import { type KeyRingSource, ReloadableKeyRing } from '../../src/store/keys/key-ring.ts'

const NOON = '2026-11-23T12:00:00.000Z'

function file(id: string, from: string | null = null, purpose = 'sealing'): KeyFile {
  return { purpose, number: 1, id, bytes: Buffer.of(1), from: from === null ? null : new Date(from) }
}

interface Key {
  id: string
}

function open(files: KeyFile[], parts: Partial<KeyRingSource<Key>> = {}): ReloadableKeyRing<Key> {
  const toKey = ({ id }: KeyFile) => ({ id })
  return new ReloadableKeyRing({
    place: '/keys',
    purpose: 'sealing',
    files,
    reread: () => files,
    toKey,
    now: () => new Date(NOON),
    ...parts,
  })
}

const idsOf = (ring: ReloadableKeyRing<Key>) => ring.all.map(({ id }) => id)

describe('a key ring', () => {
  it.each([
    ['the last one', ['a', 'b'].map((id) => file(id)), 'b'],
    ['the last one that may write by now', [file('a'), file('b', NOON), file('c', '2026-11-23T12:00:00.001Z')], 'b'],
    ['the oldest one, as long as none may write', [file('a', '2026-11-24T00:00:00Z'), file('b', '2026-11-25T00:00:00Z')], 'a'],
  ])('writes with %s', (_which, files, id) => {
    expect(open(files).newest.id).toBe(id)
  })

  it('has only keys of its purpose, and at least one', () => {
    const others = [file('x', null, 'signing'), file('a'), file('y', null, 'token-hash')]
    expect(idsOf(open(others))).toEqual(['a'])
    expect(() => open([file('x', null, 'signing')])).toThrow('/keys has no key for sealing')
    const ring = open([file('a')], { reread: () => others })
    ring.refresh()
    expect(idsOf(ring)).toEqual(['a'])
  })

  it('knows until when a key writes, if another one follows at a known time', () => {
    const ring = open([file('a'), file('b', NOON), file('c')])
    expect(['a', 'b', 'c', 'unknown'].map((id) => ring.writesUntil(id))).toEqual([new Date(NOON), null, null, null])
  })

  it.each([
    ['added', [file('a'), file('b'), file('c')], ['a', 'b', 'c']],
    ['deleted', [file('b')], ['b']],
    ['replaced by another', [file('a'), file('c')], ['a', 'c']],
    ['all deleted, as when the folder is away', [], ['a', 'b']],
  ])('follows its folder: keys that were %s', (_what, later, ids) => {
    const ring = open([file('a'), file('b')], { reread: () => later })
    ring.refresh()
    expect(idsOf(ring)).toEqual(ids)
  })

  it('keeps its keys, without parsing them again, where nothing has changed', () => {
    const ring = open([file('a'), file('b')])
    const before = ring.all
    ring.refresh()
    expect(ring.all.map((key, index) => key === before[index])).toEqual([true, true])
  })

  it('looks for an unknown key in its folder only if ids cannot be chosen from outside', () => {
    let reads = 0
    const reread = () => {
      reads += 1
      return [file('a'), file('b')]
    }
    const [trusting, closed] = [open([file('a')], { reread, looksForUnknown: true }), open([file('a')], { reread })]
    expect([trusting.find('a')?.id, reads]).toEqual(['a', 0])
    expect([trusting.find('b')?.id, reads]).toEqual(['b', 1])
    expect([closed.find('b'), reads]).toEqual([undefined, 1])
  })
})
