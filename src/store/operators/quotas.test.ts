import { describe, expect, it } from 'vitest'
import { isNearBound, QUOTA_NAMES } from './quotas.ts'

describe('the warning of a quota', () => {
  it.each([
    [79, 100, false],
    [80, 100, true],
    [100, 100, true],
    [101, 100, true],
    [0, 0, false],
    [1, 0, true],
    [0, 100, false],
    [null, 100, false],
    [1_000, null, false],
    [null, null, false],
  ])('for %s of %s is given: %s', (used, bound, isNear) => {
    for (const name of QUOTA_NAMES) expect(isNearBound({ name, used, bound, isDefault: true })).toBe(isNear)
  })
})
