import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderForTests } from '../../../test/harness/for-tests.ts'
import { readSourceSettings } from './source-settings.ts'

const SOURCES = [
  { key: 'books', appKeys: ['clientId'], optionalAppKeys: ['webhookKey'] },
  { key: 'plain', appKeys: [] },
]

describe('the operator’s sources.json', () => {
  const folder = folderForTests()
  const read = async (settings: unknown) => {
    await writeFile(join(folder.path, 'sources.json'), JSON.stringify(settings))
    return await readSourceSettings(folder.path, SOURCES)
  }

  test('takes the keys that a source must have and those that it may have', async () => {
    const settings = { books: { app: { clientId: 'a', webhookKey: 'b' } } }
    expect(await read(settings)).toEqual(settings)
  })

  test.each([
    ['a source that there is not', { boooks: {} }, 'there is no source "boooks"; known are books, plain'],
    [
      'a key that the source does not know',
      { books: { app: { clientID: 'x' } } },
      'books has no key "clientID"; known are clientId, webhookKey',
    ],
    ['a key of a source that takes none', { plain: { app: { clientId: 'x' } } }, 'plain has no key "clientId"; it takes none'],
    ['another form', { books: { keys: {} } }, 'sources.json'],
  ])('refuses %s and says what is wrong', async (_what, settings, message) => {
    await expect(read(settings)).rejects.toThrow(message)
  })

  test('never shows a value', async () => {
    const failure = await read({ books: { app: { clientID: 'secret-canary' } } }).catch((error: unknown) => String(error))
    expect(failure).not.toContain('secret-canary')
  })
})
