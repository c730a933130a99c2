import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { Revocations } from './revocations.ts'

const HOUR_MS = 3_600_000

describe('what has been ended', () => {
  const open = openForTests(async () => {
    const { database, drop } = await testDatabase()
    return { database, close: drop }
  })
  const end = async (id = randomUUID()): Promise<string> => {
    await open.database.query(`insert into ended_sessions (session_id) values ($1)`, [id])
    return id
  }
  function begin() {
    const revocations = new Revocations(open.database)
    let nowMs = Date.parse('2026-11-20T12:00:00Z')
    const refreshAfter = async (ms: number): Promise<void> => {
      nowMs += ms
      await revocations.refresh(() => new Date(nowMs))
    }
    return { revocations, refreshAfter, isFreshAfter: (ms: number) => revocations.isFresh(nowMs + ms) }
  }

  it('is known for a second, and not before it was asked for, nor for a time before that', async () => {
    const { revocations, refreshAfter, isFreshAfter } = begin()
    const id = await end()
    expect([isFreshAfter(0), revocations.hasEnded(id)]).toEqual([false, false])
    await refreshAfter(0)
    expect([revocations.hasEnded(id), revocations.hasEnded(randomUUID())]).toEqual([true, false])
    expect([-1, 0, 999, 1_000].map(isFreshAfter)).toEqual([false, true, true, false])
    const later = await end()
    await refreshAfter(999)
    expect(revocations.hasEnded(later)).toBe(false)
    await refreshAfter(1)
    expect([revocations.hasEnded(id), revocations.hasEnded(later)]).toEqual([true, true])
  })

  it('is read anew after an hour, so that what is remembered no longer is dropped', async () => {
    const { revocations, refreshAfter } = begin()
    const [old, recent] = [await end(), await end()]
    await refreshAfter(0)
    await open.database.query('delete from ended_sessions where session_id = $1', [old])
    await refreshAfter(HOUR_MS - 1)
    expect([old, recent].map((id) => revocations.hasEnded(id))).toEqual([true, true])
    const last = await end()
    await refreshAfter(1_001)
    expect([old, recent, last].map((id) => revocations.hasEnded(id))).toEqual([false, true, true])
    await refreshAfter(HOUR_MS - 1)
    expect(revocations.hasEnded(recent)).toBe(true)
  })

  it('is read anew an hour after the last time, to the millisecond', async () => {
    const { revocations, refreshAfter } = begin()
    const old = await end()
    await refreshAfter(0)
    await open.database.query('delete from ended_sessions where session_id = $1', [old])
    await refreshAfter(HOUR_MS)
    expect(revocations.hasEnded(old)).toBe(false)
  })

  it('is asked for once by all who wait, and again by one who needs an answer from now on', async () => {
    const { revocations } = begin()
    const now = () => new Date('2026-11-20T12:00:00Z')
    await Promise.all([revocations.refresh(now), revocations.refresh(now)])
    const id = await end()
    await revocations.refresh(now)
    expect(revocations.hasEnded(id)).toBe(false)
    await revocations.refreshNow(now)
    expect(revocations.hasEnded(id)).toBe(true)
  })

  it('that cannot be told in time lets nobody in', async () => {
    const { revocations } = begin()
    let nowMs = 0
    // Each answer is too old when it arrives.
    const now = () => {
      nowMs += 1_000
      return new Date(nowMs)
    }
    await expect(revocations.refresh(now)).rejects.toMatchObject({ status: 503 })
  })
})
