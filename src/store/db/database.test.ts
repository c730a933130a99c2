import { expect, it } from 'vitest'
import { testDatabase } from '../../../test/harness/database.ts'
import { withLock } from './database.ts'

it('lets one at a time work under a name, and others meanwhile under another', async () => {
  const { database, drop } = await testDatabase({ migrated: false })
  try {
    const told: string[] = []
    const work = (name: string) => async () => {
      told.push(`${name} in`)
      await database.query('select 1')
      told.push(`${name} out`)
    }
    await Promise.all([1, 2, 3].map((n) => withLock(database, 'seed', work(`${n}`))))
    expect(told).toHaveLength(6)
    for (let at = 0; at < told.length; at += 2) expect(told[at + 1]).toBe(told[at]?.replace('in', 'out'))
    await withLock(database, 'one', () => withLock(database, 'another', work('inner')))
    expect(told.at(-1)).toBe('inner out')
  } finally {
    await drop()
  }
})
