import { expect, it } from 'vitest'
import { joinTexts, shownName, toFileNoteMessage } from './file-notes.ts'

const TEXT = { en: 'No bank.', 'fr-CA': 'Aucune banque.' }

it.each([
  ['statement.ofx', 'statement.ofx'],
  ['4485275742308327.csv', '••••8327.csv'],
  ['a 1234-5678 90 b.csv', 'a ••••7890 b.csv'],
  ['1234567', '••••4567'],
  ['2026-3', '2026-3'],
  ['123456', '123456'],
  ['1 2 3 4', '••••1234'],
  ['11112222 and 33334444', '••••2222 and ••••4444'],
  ['a"b\u0000c\n', 'a_b_c_'],
  ['x'.repeat(201), 'x'.repeat(200)],
])('the name of a file is shown without what may be an account number: %j', (name, shown) => {
  expect(shownName(name)).toBe(shown)
})

it('a note says what was refused, or left out, in both languages', () => {
  const parts = { name: 'a.csv', en: 'No bank.', fr: 'Aucune banque.' }
  expect(toFileNoteMessage({ name: 'a.csv', kind: 'refused', text: TEXT })).toEqual({
    ...{ code: 'fileRefused', text: 'Error: the file "a.csv" was refused: No bank.', parts },
  })
  expect(toFileNoteMessage({ name: 'a.csv', kind: 'inPart', text: TEXT }, 'link-7')).toEqual({
    ...{ code: 'fileInPart', text: 'The file "a.csv" was taken in part: No bank.', parts: { ...parts, linkId: 'link-7' } },
  })
})

it('several texts are one, in each language', () => {
  expect(joinTexts([TEXT, { en: 'No date.', 'fr-CA': 'Aucune date.' }])).toEqual({
    ...{ en: 'No bank. No date.', 'fr-CA': 'Aucune banque. Aucune date.' },
  })
  expect(joinTexts([])).toEqual({ en: '', 'fr-CA': '' })
})
