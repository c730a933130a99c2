import { describe, expect, it } from 'vitest'
import { freeName, isUnfinished, listComplete } from './file-feed-inbox.ts'
import { partlyImportedText, reasonText, tooLarge } from './file-feed-texts.ts'

describe('a file', () => {
  it.each([
    ...['.hidden', 'a.ofx~', 'a.part', 'a.PART', 'a.partial', 'a.tmp', 'a.temp', 'a.ofx.filepart', 'a.crdownload', '.a.swp', 'a.lock'],
  ])('named %s is still being written', (name) => {
    expect(isUnfinished(name)).toBe(true)
  })

  it.each(['a.ofx', 'part.csv', 'a.partly', '~a.csv', 'a.part.csv', 'tmp', 'locked'])('named %s is complete', (name) => {
    expect(isUnfinished(name)).toBe(false)
  })

  it('that is complete comes after older ones, and after those of the same time by name', () => {
    const file = (name: string, modifiedMs: number) => ({ name, size: 1, modifiedMs })
    const listed = [file('c', 2), file('a', 3), file('b', 2), file('d.part', 1), file('B', 2), file('z', 1)]
    for (const files of [listed, listed.toReversed()])
      expect(listComplete(files).map(({ name }) => name)).toEqual(['z', 'B', 'b', 'c', 'a'])
  })

  it.each([
    ['a.ofx', [], 'a.ofx'],
    ['a.ofx', ['a.ofx'], 'a-2.ofx'],
    ['a.b.ofx', ['a.b.ofx', 'a.b-2.ofx', 'a.b-3.ofx'], 'a.b-4.ofx'],
    ['name', ['name'], 'name-2'],
    ['.name', ['.name'], '.name-2'],
  ])('named %s, where %j are taken, gets the name %s', async (name, taken, expected) => {
    const known: readonly string[] = taken
    expect(await freeName(name, async (candidate) => known.includes(candidate))).toBe(expected)
  })
})

describe('the text beside a file', () => {
  const AT = new Date('2026-03-01T12:00:00Z')
  const WHY = { en: 'No bank.', 'fr-CA': 'Aucune banque.' }

  it('says in both languages why it was refused, and what to do', () => {
    expect(reasonText('a.ofx', WHY, AT)).toBe(
      [
        ...['The file a.ofx was not taken (2026-03-01T12:00:00.000Z).', 'No bank.'],
        ...['Nothing of it was imported. Put a corrected file where this one was.', ''],
        ...['Le fichier a.ofx n’a pas été accepté (2026-03-01T12:00:00.000Z).', 'Aucune banque.'],
        ...['Rien n’en a été importé. Déposez un fichier corrigé au même endroit.', ''],
      ].join('\n'),
    )
  })

  it('says in both languages what was left out', () => {
    expect(partlyImportedText('a.ofx', WHY, AT)).toBe(
      [
        ...['The file a.ofx was taken, except for what follows (2026-03-01T12:00:00.000Z).', 'No bank.', ''],
        ...['Le fichier a.ofx a été accepté, sauf ce qui suit (2026-03-01T12:00:00.000Z).', 'Aucune banque.', ''],
      ].join('\n'),
    )
  })

  it('names the largest size in whole megabytes', () => {
    expect(tooLarge(25 * 1024 * 1024 + 7)).toEqual({
      en: 'The file is larger than 25 MB. Export a shorter period.',
      'fr-CA': 'Le fichier dépasse 25 Mo. Exportez une période plus courte.',
    })
  })
})
