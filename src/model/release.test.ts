import { expect, it } from 'vitest'
import { compareReleases, isRelease, RELEASE } from './release.ts'

it.each([
  ['1.2.3', '1.2.3', 0],
  ['1.2.3', '1.2.4', -1],
  ['1.2.4', '1.2.3', 1],
  ['1.3.0', '1.2.9', 1],
  ['2.0.0', '1.9.9', 1],
  ['1.9.0', '1.10.0', -1],
  ['0.9.9', '10.0.0', -1],
])('%s compared with %s', (a, b, order) => {
  expect(Math.sign(compareReleases(a, b))).toBe(order)
})

it.each(['1.2', '1.2.3.4', '1.2.3-beta', 'v1.2.3', '01.2.3', '1.02.3', '1.2.03', '', '1.2.x', ' 1.2.3', '1.2.3 '])(
  '%j is no release',
  (text) => {
    expect(isRelease(text)).toBe(false)
    expect(() => compareReleases('1.0.0', text)).toThrow('is not a release')
    expect(() => compareReleases(text, '1.0.0')).toThrow('is not a release')
  },
)

it('this program is a release', () => {
  expect(['0.0.0', '10.20.30', RELEASE].map(isRelease)).toEqual([true, true, true])
})
