import { describe, expect, it } from 'vitest'
import { LOG_START, latest, toLsn, toPosition } from './positions.ts'
import { SessionPositions } from './session-positions.ts'

describe('a position of the log', () => {
  it.each([
    ['0/0', 0n],
    ['0/A', 10n],
    ['16/B374D848', 0x16b374d848n],
    ['FFFFFFFF/FFFFFFFF', 0xffff_ffff_ffff_ffffn],
    ['1/0', 0x1_0000_0000n],
  ])('%s is %d, and back', (lsn, position) => expect([toPosition(lsn), toLsn(position)]).toEqual([position, lsn]))

  it('is read in any letter case', () => expect(toPosition('a/b')).toBe(toPosition('A/B')))

  it.each(['', '1', '/1', '1/', 'G/1', '123456789/1', '1/123456789', 'x1/1', '1/1x'])('%j is none', (text) => {
    expect(() => toPosition(text)).toThrow(RangeError)
  })

  it('is later than another', () => {
    expect([latest(1n, 2n), latest(2n, 1n), latest(2n, 2n)]).toEqual([2n, 2n, 2n])
    expect(LOG_START).toBe(0n)
  })
})

describe('how far a session has read', () => {
  it('is the latest position, as long as it matters', () => {
    const sessions = new SessionPositions(1_000)
    expect(sessions.get('a')).toBe(LOG_START)
    sessions.add('a', 5n, 0)
    sessions.add('a', 3n, 500)
    sessions.add('b', 1n, 600)
    expect([sessions.get('a'), sessions.get('b')]).toEqual([5n, 1n])
    // Of the last read on.
    sessions.add('c', 1n, 1_500)
    expect([sessions.get('a'), sessions.get('b'), sessions.get('c')]).toEqual([5n, 1n, 1n])
    sessions.add('c', 1n, 1_501)
    expect([sessions.get('a'), sessions.get('b')]).toEqual([LOG_START, 1n])
    sessions.add('c', 1n, 1_601)
    expect(sessions.get('b')).toBe(LOG_START)
  })

  it('is replaced where it has not changed meanwhile', () => {
    const sessions = new SessionPositions(1_000)
    sessions.add('a', 5n, 0)
    sessions.replace('a', 4n, 1n)
    expect(sessions.get('a')).toBe(5n)
    sessions.replace('a', 5n, 1n)
    expect(sessions.get('a')).toBe(1n)
    sessions.replace('unknown', LOG_START, 9n)
    expect(sessions.get('unknown')).toBe(LOG_START)
    // When it was read stays as it was.
    sessions.add('b', 1n, 1_001)
    expect(sessions.get('a')).toBe(LOG_START)
  })

  it('is known of 50,000 sessions, those that read last', () => {
    const sessions = new SessionPositions(1_000)
    for (let n = 0; n < 50_000; n += 1) sessions.add(`session ${n}`, 1n, 0)
    sessions.add('session 0', 1n, 0)
    sessions.add('one more', 1n, 0)
    expect([sessions.get('session 0'), sessions.get('session 1'), sessions.get('session 2')]).toEqual([1n, LOG_START, 1n])
  })
})
