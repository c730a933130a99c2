import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createKeyFolder,
  hasKeyFolder,
  type KeyFile,
  keyFileName,
  newKey,
  parseKey,
  readKeyFiles,
  rereadKeyFiles,
  toKeyText,
  writeKeyFile,
} from '../../src/store/keys/key-files.ts'
import { folderForTests } from '../harness/for-tests.ts'

const KEY: KeyFile = { purpose: 'sealing', number: 1, id: '00112233445566aa', bytes: Buffer.alloc(32, 7), from: null }
/** As releases since the first have written it. */
const DOCUMENT = {
  purpose: 'sealing',
  number: 1,
  id: '00112233445566aa',
  key: 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc',
  check: 'b86d848331413812',
}

describe('the text of a key', () => {
  it('is what earlier releases wrote and read', () => {
    expect(toKeyText(KEY)).toBe(`${JSON.stringify(DOCUMENT, null, 2)}\n`)
    expect(parseKey(JSON.stringify(DOCUMENT))).toEqual(KEY)
  })

  it('says when the key begins to write', () => {
    const later = { ...KEY, from: new Date('2026-11-23T12:00:00Z') }
    expect(JSON.parse(toKeyText(later))).toEqual({ ...DOCUMENT, from: '2026-11-23T12:00:00.000Z' })
    expect(parseKey(toKeyText(later))).toEqual(later)
    expect(parseKey(JSON.stringify({ ...DOCUMENT, from: null }))).toEqual(KEY)
  })

  it.each([
    ['', 'no text'],
    ['{', 'half an object'],
    ['null', 'null'],
    ['"text"', 'a text'],
    ...['purpose', 'number', 'id', 'key'].flatMap((field) => [
      [JSON.stringify({ ...DOCUMENT, [field]: undefined }), `no ${field}`],
      [JSON.stringify({ ...DOCUMENT, [field]: true }), `a ${field} of another type`],
    ]),
    [JSON.stringify({ ...DOCUMENT, number: '1' }), 'a number as text, although the checksum is the same'],
    [JSON.stringify({ ...DOCUMENT, check: undefined }), 'no checksum'],
    [JSON.stringify({ ...DOCUMENT, from: 'soon' }), 'a time that is none'],
    [JSON.stringify({ ...DOCUMENT, from: 1_795_435_200_000 }), 'a time as a number'],
    ...[{ purpose: 'signing' }, { number: 2 }, { id: '00112233445566ab' }, { key: `C${DOCUMENT.key.slice(1)}` }].map((part) => [
      JSON.stringify({ ...DOCUMENT, ...part }),
      `another ${Object.keys(part)}`,
    ]),
  ])('%s is that of no key: %s', (text) => {
    expect(parseKey(text)).toBe(null)
  })

  it('is of 256 random bits, under a random id, unless the bytes are given', () => {
    const [a, b] = [newKey('sealing', 1), newKey('sealing', 1)]
    expect([a.bytes.length, a.id.length, a.from]).toEqual([32, 16, null])
    expect([a.id === b.id, Buffer.from(a.bytes).equals(b.bytes)]).toEqual([false, false])
    expect(newKey('signing', 2, null, Buffer.of(1)).bytes).toEqual(Buffer.of(1))
  })
})

describe('a folder of keys', () => {
  const dataDir = folderForTests()
  let count = 0
  let folder = ''
  const keyNumber = (number: number) => ({ ...newKey('sealing', number), number })

  beforeEach(() => {
    count += 1
    folder = join(dataDir.path, String(count), 'keys')
  })

  it('is null where there is none, empty when it is read again, and not there', async () => {
    expect(await readKeyFiles(folder)).toBe(null)
    expect(rereadKeyFiles(folder)).toEqual([])
    expect(hasKeyFolder(join(folder, '..'))).toBe(false)
    await mkdir(join(folder, '..'))
    expect(hasKeyFolder(join(folder, '..'))).toBe(false)
  })

  it('whose path leads through a file is an error, and not a first start', async () => {
    await writeFile(join(dataDir.path, 'a-file'), '')
    await expect(readKeyFiles(join(dataDir.path, 'a-file', 'keys'))).rejects.toThrow('ENOTDIR')
    await expect(createKeyFolder(join(dataDir.path, 'a-file', 'keys'), [KEY])).rejects.toThrow('ENOTDIR')
  })

  it('gives its keys oldest first, the tenth after the ninth, whatever else lies in it', async () => {
    const keys = [10, 9, 1].map(keyNumber)
    await createKeyFolder(folder, keys)
    await writeFile(join(folder, 'sealing-11.json.1234.draft'), '{')
    expect(hasKeyFolder(join(folder, '..'))).toBe(true)
    const numbers = (read: KeyFile[] | null) => read?.map(({ number }) => number)
    expect(numbers(await readKeyFiles(folder))).toEqual([1, 9, 10])
    await writeFile(join(folder, 'sealing-12.json'), '{')
    expect(numbers(rereadKeyFiles(folder)), 'without the file that is still being written').toEqual([1, 9, 10])
  })

  it('that another process created first stays, with its keys, and leaves no draft', async () => {
    await createKeyFolder(folder, [KEY])
    await createKeyFolder(folder, [keyNumber(1)])
    expect(await readKeyFiles(folder)).toEqual([KEY])
    expect(await readdir(join(folder, '..'))).toEqual(['keys'])
  })

  it('that cannot be put in its place is an error, and leaves no draft', async () => {
    await mkdir(join(folder, '..'), { recursive: true })
    await writeFile(folder, 'in the way')
    await expect(createKeyFolder(folder, [KEY])).rejects.toThrow('ENOTDIR')
    expect(await readdir(join(folder, '..'))).toEqual(['keys'])
    expect(await readFile(folder, 'utf8')).toBe('in the way')
  })

  it('takes another key under its own name, never in the place of a key, readable by its owner only', async () => {
    await createKeyFolder(folder, [KEY])
    await writeKeyFile(folder, { ...keyNumber(2), purpose: 'signing' })
    await expect(writeKeyFile(folder, keyNumber(1))).rejects.toThrow('EEXIST')
    expect((await readdir(folder)).sort()).toEqual(['sealing-1.json', 'signing-2.json'])
    expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, keyFileName(KEY)))).mode & 0o777]).toEqual([0o700, 0o600])
    expect(parseKey(await readFile(join(folder, 'sealing-1.json'), 'utf8'))).toEqual(KEY)
  })

  it.each([0o710, 0o701])('with mode %o is refused, with the command that mends it', async (mode) => {
    await createKeyFolder(folder, [KEY])
    await chmod(folder, mode)
    await expect(readKeyFiles(folder)).rejects.toThrow(`(mode ${mode.toString(8)}); run: chmod 700 ${folder}`)
  })
})
