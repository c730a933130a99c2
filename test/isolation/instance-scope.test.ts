import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import {
  acrossInstances,
  currentInstance,
  currentReader,
  enterInstance,
  type ReplicaReader,
  withinInstance,
  withReader,
} from '../../src/store/db/instance-scope.ts'

const [ONE, OTHER] = ['0b8f1a62-4f0e-4a56-9a53-0d2f3c1b7a01', '0b8f1a62-4f0e-4a56-9a53-0d2f3c1b7a02'] as const

describe('the scope of an instance', () => {
  test('is that of the work around, and of nothing outside it', async () => {
    const seen = await withinInstance(ONE, async () => {
      const before = currentInstance()
      const inside = await withinInstance(OTHER, async () => {
        await setImmediate()
        return currentInstance()
      })
      const all = acrossInstances(() => currentInstance())
      await setImmediate()
      return [before, inside, all, currentInstance()]
    })
    expect([...seen, currentInstance()]).toEqual([ONE, OTHER, null, ONE, null])
  })

  test('of two works at once stays apart', async () => {
    const wait = async () => {
      await setImmediate()
      return currentInstance()
    }
    expect(await Promise.all([withinInstance(ONE, wait), withinInstance(OTHER, wait), acrossInstances(wait)])).toEqual([ONE, OTHER, null])
  })

  test('is switched once it is known, for the work around only', () => {
    withinInstance(ONE, () => {
      acrossInstances(() => {
        enterInstance(OTHER)
        expect(currentInstance()).toBe(OTHER)
      })
      expect(currentInstance()).toBe(ONE)
    })
  })

  test('cannot be entered without work that it could be for', () => {
    expect(() => enterInstance(ONE)).toThrow('no work around')
    expect(currentInstance()).toBeNull()
  })

  test.each(['*', '', 'all', `${ONE}'`, ` ${ONE}`])('is never %j', (id) => {
    expect(() => withinInstance(id, () => 'ran')).toThrow(RangeError)
    acrossInstances(() => {
      expect(() => enterInstance(id)).toThrow(RangeError)
      expect(currentInstance()).toBeNull()
    })
  })
})

describe('the reader of replicas', () => {
  const reader: ReplicaReader = { primary: new pg.Pool(), attempt: async () => null }

  test('is there for the work that it is given, in the scope of the work around', async () => {
    const seen = await withinInstance(ONE, () =>
      withReader(reader, async () => {
        await setImmediate()
        return [currentReader() === reader, currentInstance()]
      }),
    )
    expect([...seen, currentReader()]).toEqual([true, ONE, null])
    expect(withReader(reader, () => currentInstance())).toBeNull()
  })

  test('is left at the entry of a scope within, which serves others too, and kept where only the instance becomes known', () => {
    const seen = withReader(reader, () => {
      const within = [withinInstance(OTHER, currentReader), acrossInstances(currentReader)]
      enterInstance(OTHER)
      return [...within, currentReader() === reader, currentInstance()]
    })
    expect(seen).toEqual([null, null, true, OTHER])
  })
})
