import { describe, expect, it } from 'vitest'
import { decodeText } from './encoding.ts'
import { attribute, decodeEntities } from './entities.ts'

const latin = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))
const utf16 = (text: string, isBig: boolean): Uint8Array => {
  const bytes = Buffer.from(text, 'utf16le')
  return Uint8Array.from(isBig ? bytes.swap16() : bytes)
}

describe('a file', () => {
  it.each([
    ['in UTF-8', Uint8Array.from(Buffer.from('café')), 'café', false],
    ['in UTF-8 with its mark', Uint8Array.from(Buffer.from('\ufeffcafé')), 'café', false],
    ['in UTF-16 with its mark', utf16('\ufeffcafé', false), 'café', false],
    ['in UTF-16 the other way round, with its mark', utf16('\ufeffcafé', true), 'café', false],
    ['in UTF-16 that begins with a tag', utf16('<é>', false), '<é>', false],
    ['in UTF-16 the other way round that begins with a tag', utf16('<é>', true), '<é>', false],
    ['in windows-1252', latin('caf\u00e9 \u0080'), 'café €', false],
    ['in a DOS code page', latin('caf\u0082'), 'café', true],
    [
      'in the encoding that XML declares',
      latin('<?xml version="1.0" encoding="ISO-8859-2"?>\u00b3'),
      '<?xml version="1.0" encoding="ISO-8859-2"?>ł',
      false,
    ],
    ['with single quotes and blanks', latin("<?xml encoding = 'ISO-8859-2'?>\u00b3"), "<?xml encoding = 'ISO-8859-2'?>ł", false],
    ['behind blanks', latin('\n <?xml encoding="ISO-8859-2"?>\u00b3'), '\n <?xml encoding="ISO-8859-2"?>ł', false],
    ['that declares UTF-8 and is none', latin('<?xml encoding="UTF-8"?>\u00e9'), '<?xml encoding="UTF-8"?>é', false],
    ['that declares UTF-16 and is none', latin('<?xml encoding="UTF-16LE"?>\u00e9'), '<?xml encoding="UTF-16LE"?>é', false],
    ['that declares what does not exist', latin('<?xml encoding="klingon"?>\u00e9'), '<?xml encoding="klingon"?>é', false],
    ['that declares nothing at its head', latin('<x/><?xml encoding="ISO-8859-2"?>\u00b3'), '<x/><?xml encoding="ISO-8859-2"?>³', false],
  ])('%s is decoded', (_, bytes, text, isDos) => {
    expect(decodeText(bytes)).toEqual({ text, isDos })
  })

  it('with NUL bytes in its head is no text', () => {
    expect(decodeText(latin('a\u0000b'))).toBeNull()
    expect(decodeText(latin(`${'a'.repeat(4095)}\u0000`))).toBeNull()
    expect(decodeText(latin(`${'a'.repeat(4096)}\u0000`))?.text).toHaveLength(4097)
  })
})

it.each([
  ['a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;&nbsp;f', 'a & b <c> "d" \'e\'\u00a0f'],
  ['&#233; &#xe9; &#xE9; &#x1F4B6;', 'é é é 💶'],
  ['&#1;&#1114111;', '\u0001\u{10ffff}'],
  ['&#0; &#1114112; &unknown; &amp &; &#; &#x;', '&#0; &#1114112; &unknown; &amp &; &#; &#x;'],
  ['no mark', 'no mark'],
])('the entities of %j', (text, expected) => {
  expect(decodeEntities(text)).toBe(expected)
})

it.each([
  [' Ccy="CAD"', 'CAD'],
  ["Ccy='CAD'", 'CAD'],
  [' Ccy = "A&amp;B"', 'A&B'],
  [' x:Ccy="CAD"', 'CAD'],
  [' Ccy=""', ''],
  [' MyCcy="CAD"', null],
  [' Ccy=CAD', null],
  ['', null],
])('the attribute Ccy of %j is %j', (attributes, expected) => {
  expect(attribute(attributes, 'Ccy')).toBe(expected)
})
