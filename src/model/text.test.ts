import { describe, expect, it } from 'vitest'
import { toCommonWords, toSearchText, toSearchWords } from './values/institution-names.ts'
import { maskAccountNumber, toPlainWords } from './values/text.ts'
import { isUuid } from './values/uuid.ts'

it.each([
  ['12345678', '••••5678'],
  ['1234', '••••234'],
  ['12', '••••2'],
  ['1', '••••1'],
  ['AB-12 34', '••••1234'],
  ['zZ9', '••••Z9'],
  ['----', ''],
  ['', ''],
  [null, ''],
  [undefined, ''],
])('an account number is never shown whole: %j', (number, expected) => {
  expect(maskAccountNumber(number)).toBe(expected)
})

describe('the words of a text', () => {
  it.each([
    ['Banque Nationale du Canada', ['banque', 'nationale', 'canada']],
    ['Caisse d’Épargne', ['caisse', 'epargne']],
    ['Sœur Æon', ['soeur', 'aeon']],
    ['The Bank of the West', ['bank', 'west']],
    ['of the', ['of', 'the']],
    ['de la le les et des du d l and', ['de', 'la', 'le', 'les', 'et', 'des', 'du', 'd', 'l', 'and']],
    ['A-1 (B)', ['a', '1', 'b']],
    ['  ', []],
  ])('%j', (text, words) => {
    expect(toPlainWords(text)).toEqual(words)
  })
})

describe('the name of a bank', () => {
  it('is found by the words of both languages', () => {
    expect(toSearchText('Banque Royale du Nord')).toBe('banque royale nord bank royal north')
    expect(toSearchText('Harbor Bank')).toBe('harbor bank')
    expect(toSearchWords('caisse Nord')).toEqual([
      ['caisse', 'credit union'],
      ['nord', 'north'],
    ])
    expect(toSearchWords('Harbor')).toEqual([['harbor']])
  })

  it('is the same in both languages', () => {
    expect(toCommonWords('Caisse populaire')).toEqual(['credit', 'union', 'popular'])
    expect(toCommonWords('Harbor')).toEqual(['harbor'])
  })
})

it.each([
  ['0b0b0b0b-1111-4222-8333-444444444444', true],
  ['0B0B0B0B-1111-4222-8333-444444444444', false],
  ['x0b0b0b0b-1111-4222-8333-444444444444', false],
  ['0b0b0b0b-1111-4222-8333-444444444444x', false],
  ['0b0b0b0b-1111-4222-444444444444', false],
  ['0b0b0b0b-1111-4222-8333-5555-444444444444', false],
  ['0b0b0b0b111142228333444444444444', false],
  ['', false],
])('%j: is it a UUID?', (text, expected) => {
  expect(isUuid(text)).toBe(expected)
})
