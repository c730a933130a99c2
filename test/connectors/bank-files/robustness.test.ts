import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import Value from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { bytesOf, examine, fixture, readItemsOf, upload } from '../../../src/connectors/bank-files/fixtures/upload.ts'
import { StatementAccount, StatementTransaction } from '../../../src/connectors/bank-files/wire.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { SourceError } from '../../../src/connectors/contract/contract.ts'
import { withoutFullNumbers } from '../../harness/connector-calls.ts'

const FIXTURES = ['card.qfx', 'loan.ofx', 'chequing.ofx', 'loan.bai2', 'statement.camt053.xml', 'chain.mt940']
/** Full account numbers of the fixtures. */
const NUMBERS = [
  '4500123412341111',
  '77001234500088',
  '5550001112223',
  '100987654',
  '200111222',
  '00012-7788990',
  '10200555123',
  '10200555777',
  'DE89370400440532013000',
  '532013000',
]

const SAMPLES = fileURLToPath(new URL('../../../../shared/samples/banking/', import.meta.url))
const samples = existsSync(SAMPLES)
  ? ['ofx', 'bai2', 'camt053', 'mt940'].flatMap((kind) => readdirSync(`${SAMPLES}${kind}`).map((name) => `${SAMPLES}${kind}/${name}`))
  : []
const sources: readonly Uint8Array[] = [...FIXTURES.map(fixture), ...samples.map((path) => readFileSync(path))]

/** A damaged file: truncated, with changed bytes, or with a part lost or duplicated. */
const damagedFile = fc
  .tuple(
    fc.constantFrom(...sources),
    fc.array(
      fc.tuple(
        fc.constantFrom('cut', 'change', 'lose', 'double'),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 200 }),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([source, accidents]) =>
    accidents.reduce((bytes, [kind, where, amount]) => damage(bytes, kind, Math.floor(where * bytes.length), amount), source),
  )

function damage(bytes: Uint8Array, kind: string, at: number, amount: number): Uint8Array {
  switch (kind) {
    case 'cut':
      return bytes.slice(0, at)
    case 'change':
      return Uint8Array.from(bytes, (byte, index) => (index === at ? amount : byte))
    case 'lose':
      return Uint8Array.from([...bytes.slice(0, at), ...bytes.slice(at + amount)])
    default:
      return Uint8Array.from([...bytes.slice(0, at + amount), ...bytes.slice(at)])
  }
}

async function outcome(run: () => unknown): Promise<unknown> {
  try {
    await run()
    return null
  } catch (error) {
    return error
  }
}

describe('damaged and random files', () => {
  it('are accepted or refused in both languages, nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(damagedFile, async (bytes) => {
        const error = await outcome(() => examine(bytes))
        if (error === null) return
        expect(error).toBeInstanceOf(InputRefused)
        if (error instanceof InputRefused) expect(error.text['fr-CA']).not.toBe(error.text.en)
      }),
      { numRuns: 1500 },
    )
  })

  it('yield records that satisfy their schema and map, or are bad data', async () => {
    await fc.assert(
      fc.asyncProperty(damagedFile, async (bytes) => {
        const error = await outcome(() => {
          for (const item of readItemsOf(bytes)) {
            if ('wire' in item)
              expect(Value.Check(item.entity === 'Accounts' ? StatementAccount : StatementTransaction, item.wire)).toBe(true)
          }
          upload(bytes)
        })
        if (error !== null && !(error instanceof SourceError)) throw error
      }),
      { numRuns: 1000 },
    )
  })

  it('arbitrary bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'binary', maxLength: 300 }).map(bytesOf)),
        async (bytes) => {
          const error = await outcome(() => examine(bytes))
          if (error !== null) expect(error).toBeInstanceOf(InputRefused)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('a truncated file', () => {
  it.each([
    ['card.qfx', '</OFX>'],
    ['loan.ofx', '</OFX>'],
    ['statement.camt053.xml', '</c:Document>'],
    ['loan.bai2', '99,3058249'],
    ['chain.mt940', ':62F:C240230EUR750'],
  ])('is never accepted as complete, wherever it is cut: %s', async (name, end) => {
    const text = new TextDecoder().decode(fixture(name))
    const last = text.indexOf(end) + end.length
    const taken: number[] = []
    for (let at = 0; at < last; at += 1) {
      const cut = bytesOf(text.slice(0, at))
      if (!((await outcome(() => examine(cut))) instanceof InputRefused)) taken.push(at)
    }
    expect(taken).toEqual([])
  })
})

describe('line endings and encodings', () => {
  const written: readonly (readonly [string, (text: string) => Uint8Array])[] = [
    ['lines that end in LF', (text) => bytesOf(text.replaceAll('\r\n', '\n'))],
    ['lines that end in CRLF', (text) => bytesOf(text.replace(/\r?\n/g, '\r\n'))],
    ['UTF-8 with a byte order mark', (text) => bytesOf(`\ufeff${text}`)],
    ['UTF-16, little end first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big end first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ]

  it.each(FIXTURES.flatMap((name) => written.map(([how, write]) => [name, how, write] as const)))(
    'change no record: %s with %s',
    (name, _how, write) => {
      const bytes = fixture(name)
      expect(readItemsOf(write(new TextDecoder().decode(bytes)))).toEqual(readItemsOf(bytes))
    },
  )
})

describe('account numbers', () => {
  it.each(FIXTURES)('are in full in no record of %s, only beside it', (name) => {
    const items = readItemsOf(fixture(name))
    const everything = JSON.stringify([withoutFullNumbers(items), upload(fixture(name))])
    expect(items.some((item) => 'numbers' in item && item.numbers?.length)).toBe(true)
    expect(NUMBERS.filter((number) => everything.includes(number))).toEqual([])
  })

  it('never appear in an error or a reason, however the file is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(damagedFile, async (bytes) => {
        const error = await outcome(() => examine(bytes))
        const reasons = await outcome(() => upload(bytes)).then((failure) =>
          failure === null ? upload(bytes).setAside : [String(failure)],
        )
        const said = JSON.stringify([error instanceof InputRefused ? error.text : null, reasons])
        expect(NUMBERS.filter((number) => said.includes(number))).toEqual([])
      }),
      { numRuns: 500, seed: 20260401 },
    )
  })
})

describe('time', () => {
  const many = 200_000

  /** Far above linear time, far below quadratic time. */
  const LIMIT_MS = 15_000

  it.each([
    ['unclosed tags', `<OFX>${'<A>'.repeat(many)}`],
    ['lone angle brackets', `<OFX><MEMO>${'<'.repeat(many)}</OFX>`],
    ['unended comments', `<Document>${'<!--'.repeat(many)}`],
    ['ampersands', `<OFX><STMTRS>${'&#1'.repeat(many)}`],
    ['tags without end', `<Document>${'<a b="'.repeat(many)}`],
    ['continuations', `01,A,B,1,1,1/\n16,${'88,1/\n'.repeat(many)}`],
    ['slashes', `01,${'/ '.repeat(many)}`],
    ['fields of one message', `:20:X\n:25:1\n${':61:x\n'.repeat(many)}`],
    ['one endless field', `:20:X\n:25:1\n:86:/NAME/${'/REMI/'.repeat(many)}\n`],
    ['one long line', 'a,'.repeat(many)],
    ['opening brackets', '<?'.repeat(many)],
  ])('grows linearly with the length of the file: %s', async (_, text) => {
    const start = performance.now()
    await outcome(() => examine(bytesOf(text)))
    expect(performance.now() - start).toBeLessThan(LIMIT_MS)
  })
})
