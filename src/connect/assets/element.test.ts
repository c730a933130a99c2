import { expect, it } from 'vitest'
import { newestOfMajors } from './element.ts'

it('the newest of each major version has the address of the major version', () => {
  expect(Object.fromEntries(newestOfMajors(['1.0.0', '1.2.0', '1.10.0', '2.0.0']))).toEqual({ 1: '1.10.0', 2: '2.0.0' })
})
