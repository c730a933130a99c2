import { describe, expect, it } from 'vitest'
import { decodeDos, dosAsWindows, isDosText } from './dos-text.ts'

const bytes = (...parts: (string | number)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...part].map((character) => character.charCodeAt(0)))))
/** é in code page 850; a punctuation mark in windows-1252. */
const DOS_E = 0x82
/** é in windows-1252. */
const WINDOWS_E = 0xe9

describe('a text without a declared encoding', () => {
  it.each<[string, Uint8Array, boolean]>([
    ['with a DOS letter behind a letter', bytes('caf', DOS_E), true],
    ['with a DOS letter before a letter', bytes(DOS_E, 'tage'), true],
    ['with the last letter of the DOS block', bytes('ma', 0xa5, 'ana'), true],
    ['with a sign behind the DOS letters', bytes('ma', 0xa6, 'ana'), false],
    ['with a DOS letter apart from letters', bytes('12', DOS_E, '34'), false],
    ['with a DOS letter beside marks next to the letters', bytes('@', DOS_E, '['), false],
    ['with a DOS letter beside other marks next to the letters', bytes('`', DOS_E, '{'), false],
    ['with a DOS letter beside the first letter', bytes('a', DOS_E), true],
    ['with a DOS letter beside the last letter', bytes(DOS_E, 'Z'), true],
    ['with a windows letter', bytes('caf', WINDOWS_E), false],
    ['with the first windows letter and a DOS letter', bytes(0xc0, 'a', DOS_E), false],
    ['with as many windows letters as DOS letters', bytes('caf', WINDOWS_E, ' caf', DOS_E), false],
    ['with more DOS letters', bytes('caf', WINDOWS_E, ' caf', DOS_E, ' th', DOS_E), true],
    ['with more windows letters', bytes('caf', DOS_E, ' caf', WINDOWS_E, ' th', WINDOWS_E), false],
    ['with ß or á, which proves nothing', bytes('stra', 0xe1, 'e'), false],
    ['with a DOS letter beside ß or á', bytes('stra', 0xe1, 'e caf', DOS_E), true],
    ['with an apostrophe of windows', bytes('l', 0x92, 'ami'), false],
    ['with œ of windows', bytes('c', 0x9c, 'ur'), false],
    ['with letters of ASCII only', bytes('cafe'), false],
    ['that is one DOS letter', bytes(DOS_E), false],
    ['that is empty', bytes(), false],
  ])('%s: is it DOS?', (_, text, expected) => {
    expect(isDosText(text)).toBe(expected)
  })

  it('is judged by its first 2,000 characters that are no ASCII', () => {
    const windows = Array.from({ length: 1_000 }, () => ['a', WINDOWS_E]).flat()
    const dos = Array.from({ length: 1_000 }, () => ['a', DOS_E]).flat()
    expect(isDosText(bytes(...windows, ...dos, 'a', DOS_E))).toBe(false)
    expect(isDosText(bytes(...windows.slice(2), ...dos, 'a', DOS_E))).toBe(true)
  })
})

it.each(['<?xml version="1.0"?>', ' \n<OFX>', 'OFXHEADER:100'])('a text that declares its encoding is never DOS: %s', (head) => {
  expect(isDosText(bytes(head, 'caf', DOS_E))).toBe(false)
})

it('a head that begins like a declaration only later declares nothing', () => {
  expect(isDosText(bytes(' '.repeat(200), '<caf', DOS_E))).toBe(true)
})

it('DOS text is decoded, and back as windows-1252 would have decoded it', () => {
  const text = decodeDos(bytes('caf', DOS_E, ' ', 0x80, 0xff))
  expect(text).toBe('café Ç\u00a0')
  expect(dosAsWindows(text)).toBe('caf‚ €ÿ')
  expect(dosAsWindows('cafe')).toBe('cafe')
})
