import { expect, it } from 'vitest'
import type { Connector } from '../../src/connectors/contract/contract.ts'
import { NO_COUNTS } from '../../src/sync/runs/run-progress.ts'
import { assertFewSetAside, TooManySetAside } from '../../src/sync/runs/set-aside.ts'

const FORM: Connector['authorize'] = { step: 'form', fields: [], submit: () => Promise.reject(new Error('nothing is submitted')) }
const UPLOAD: Connector['authorize'] = { step: 'upload', accept: [], maxBytes: 1, reader: new URL('file:///none') }

const check = (records: number, setAside: number, authorize: Connector['authorize'] = FORM) =>
  assertFewSetAside({ counts: { ...NO_COUNTS, records, setAside } }, { authorize })

it.each([
  [0, 0],
  [0, 19],
  [1, 19],
  [380, 20],
  [1_900, 100],
])('of a run with %i good records, %i that cannot be normalized keep nothing from being published', (records, setAside) => {
  expect(() => check(records, setAside)).not.toThrow()
})

it.each([
  [0, 20, '20 of 20 records could not be normalized'],
  [379, 20, '20 of 399 records could not be normalized'],
  [1_900, 101, '101 of 2001 records could not be normalized'],
])('of a run with %i good records, %i that cannot be normalized are too many', (records, setAside, words) => {
  expect(() => check(records, setAside)).toThrow(TooManySetAside)
  expect(() => check(records, setAside)).toThrow(words)
})

it('of an uploaded file any number is left out, as the owner has seen', () => {
  expect(() => check(0, 1_000, UPLOAD)).not.toThrow()
})
