import { expect, it } from 'vitest'
import { english, french } from './plural.ts'

it.each([
  [0, '0\u00a0pages', '0\u00a0page'],
  [1, '1\u00a0page', '1\u00a0page'],
  [2, '2\u00a0pages', '2\u00a0pages'],
  [1_204, '1,204\u00a0pages', '1\u00a0204\u00a0pages'],
])('%d is counted as each language does', (n, inEnglish, inFrench) => {
  expect([english.count(n, 'page', 'pages'), french.count(n, 'page', 'pages')]).toEqual([inEnglish, inFrench])
})
