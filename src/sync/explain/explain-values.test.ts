import { describe, expect, it } from 'vitest'
import type { RawRead } from './explain-reads.ts'
import { maskedPaths, maskRead } from './explain-values.ts'

const NUMBER = '4485275742308327'
const read = (path: string, value: RawRead['value']): RawRead => ({ path, found: 'value', value })
const show = (
  path: string,
  value: RawRead['value'],
  { published = [], masked = [] }: { published?: string[]; masked?: [string, string][] } = {},
) => maskRead(read(path, value), { published: new Set(published), masked: new Map(masked) }).value

describe('a raw value that is shown', () => {
  it.each([
    ...['/account_number', '/accounts/12/account_number', '/account_numbers/12', '/ACCTID/', '/iban/0/7'],
    ...['/accountNumber', '/card-no', '/Bank Nr', '/from/acctnum', '/AccountNumbers/0'],
  ])('at %s has the last four digits of an account number', (path) => {
    expect([show(path, '12-345-678'), show(path, 12_345_678)]).toEqual(['••••5678', '••••5678'])
  })

  it.each(['/name', '/items/3', '', '/numbers_of_accounts'])('at %s is whole, as it is no account number', (path) => {
    expect([show(path, 'Chequing'), show(path, 12.5), show(path, true)]).toEqual(['Chequing', 12.5, true])
  })

  it('is masked behind a masked result, and not a second time where the source has masked it', () => {
    const masked: [string, string][] = [['/mask', '••••8327']]
    const shown = [NUMBER, '8327', '••••27', ''].map((value) => show('/mask', value, { masked }))
    expect(shown).toEqual(['••••8327', '••••8327', '••••27', ''])
  })

  it('is whole where the record that everybody reads has it', () => {
    expect(show('/account_number', '12345678', { published: ['12345678'] })).toBe('12345678')
  })

  it('ends after 500 characters', () => {
    const text = 'word '.repeat(200)
    expect([show('/note', text), show('/note', text.slice(0, 500))]).toEqual([`${text.slice(0, 500)}…`, text.slice(0, 500)])
  })
})

it('values behind a masked result are those of its reads that have digits', () => {
  const fields = [
    { result: '••••8327', reads: [read('/number', NUMBER), read('/kind', 'card')] },
    { result: 'Chequing', reads: [read('/name', 'Chequing 1')] },
    { result: null, reads: [read('/none', '12')] },
  ]
  expect([...maskedPaths(fields)]).toEqual([['/number', '••••8327']])
})
