import { expect, it } from 'vitest'
import { MAX_WORDS, toSearchWords } from './search-words.ts'

it.each([
  [undefined, []],
  ['', []],
  [' \t\n ', []],
  ['boulangerie', ['boulangerie']],
  ['  boulangerie   plateau\tinc ', ['boulangerie', 'plateau', 'inc']],
  ['inc plateau inc', ['inc', 'plateau']],
])('%j is searched as the words %j', (text, words) => {
  expect(toSearchWords(text)).toEqual(words)
})

it('as many words as allowed are searched, each counted once, and one more is refused', () => {
  const most = Array.from({ length: MAX_WORDS }, (_, at) => `w${at}`)
  expect(toSearchWords([...most, ...most].join(' '))).toEqual(most)
  expect(() => toSearchWords([...most, 'more'].join(' '))).toThrow('The request has invalid values.')
})
