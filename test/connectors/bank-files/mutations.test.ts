import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../../../src/connectors/bank-files/fixtures/upload.ts'
import { openFile, readItems, verifyFile } from '../../../src/connectors/bank-files/read.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'

/**
 * Files of our own in each format, changed as banks, programs and accidents do. Seeded, so that failures are
 * reproducible.
 */

const SEED = 20261123
const days = ['0302', '0303', '0304', '0305', '0306', '0307']

interface Made {
  /** One line per field or record, so that lines can be swapped, duplicated and blanked. */
  lines: string[]
  /** Matches each transaction of a file once. */
  movement: RegExp
}

const ofx: Made = {
  lines: [
    'OFXHEADER:100',
    '',
    '<OFX>',
    '<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS>',
    '<DTSERVER>20260305080000',
    '<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1><BANKMSGSRSV1>',
    ...['111222333', '444555666'].flatMap((account) => [
      '<STMTTRNRS><STMTRS>',
      '<CURDEF>CAD',
      '<BANKACCTFROM><BANKID>0006',
      `<ACCTID>${account}`,
      '<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>',
      ...days.map((day) => `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>2026${day}<TRNAMT>-1.25<FITID>${account}-${day}<NAME>Café ${day}</STMTTRN>`),
      '</BANKTRANLIST>',
      '<LEDGERBAL><BALAMT>100.00<DTASOF>20260307</LEDGERBAL>',
      '</STMTRS></STMTTRNRS>',
    ]),
    '</BANKMSGSRSV1></OFX>',
  ],
  movement: /<STMTTRN>/g,
}

const xml: Made = {
  lines: ofx.lines.slice(2).flatMap((line) => line.replace(/<([A-Z]+)>([^<>]+)/g, '<$1>$2</$1>')),
  movement: /<STMTTRN>/g,
}

const bai2: Made = {
  lines: [
    '01,BANK,CUSTOMER,260308,0715,1,,,2/',
    '02,CUSTOMER,BANK,1,260307,2359,CAD,2/',
    ...['111222333', '444555666'].flatMap((account) => [
      `03,${account},CAD,010,5000,,,/`,
      '88,015,10000,,/',
      ...days.map((day) => `16,475,125,Z,REF ${day},${account},CAFE ${day}/`),
      '49,15750,9/',
    ]),
    '98,31500,2,20/',
    '99,31500,1,22/',
  ],
  movement: /^16,(?!890,,)/gm,
}

const mt940: Made = {
  lines: ['111222333', '444555666'].flatMap((account) => [
    ':20:STMT1',
    `:25:HARBCA33/${account}`,
    ':28C:1',
    ':60F:C260301CAD100,00',
    ...days.flatMap((day) => [`:61:26${day}${day}D1,25NTRFREF//B${day}`, `:86:/NAME/Café/REMI/Achat ${day}`]),
    ':62F:C260307CAD92,50',
    '-',
  ]),
  movement: /^:61:/gm,
}

const entry = (day: string) =>
  `<Ntry><Amt Ccy="CAD">1.25</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-${day.slice(0, 2)}-${day.slice(2)}</Dt></BookgDt></Ntry>`
const balance = (code: string, amount: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="CAD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-03-07</Dt></Dt></Bal>`
const camt: Made = {
  lines: [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>',
    ...['111222333', '444555666'].flatMap((account) => [
      '<Stmt>',
      `<Acct><Id><Othr><Id>${account}</Id></Othr></Id><Nm>Café</Nm></Acct>`,
      balance('OPBD', '100.00'),
      balance('CLBD', '92.50'),
      ...days.map(entry),
      '</Stmt>',
    ]),
    '</BkToCstmrStmt></Document>',
  ],
  movement: /<Ntry>/g,
}

/** A format with other lines in place of its own. */
function changedLines({ lines, movement }: Made, change: (line: string) => string | string[]): Made {
  return { lines: lines.flatMap(change), movement }
}

/** What standards allow, or banks write, beside the usual: optional days and totals, dates and balances of no use. */
const HABITS: readonly (readonly [string, Made])[] = Object.entries({
  'OFX with a server date and a balance that cannot be read': changedLines(ofx, (line) =>
    line.replace('<DTSERVER>20260305080000', '<DTSERVER>now').replace('<BALAMT>100.00', '<BALAMT>none'),
  ),
  'BAI2 with blank totals, and a comma before a continuation': changedLines(bai2, (line) =>
    line
      .replace(/^49,15750,9/, '49,,15')
      .replace(/^98,31500,2,20/, '98,,2,32')
      .replace(/^99,31500,1,22/, '99,,1,34')
      .replace(/^(16,.*),(CAFE \d+)\/$/, '$1,$2,\n88,AND MORE/')
      .split('\n'),
  ),
  'MT940 with blanks for the entry date': changedLines(mt940, (line) => line.replace(/^(:61:\d{6})\d{4}/, '$1    ')),
  'camt.053 without days of entries': changedLines(camt, (line) => line.replace(/<BookgDt>.*<\/BookgDt>/, '')),
})

const FORMATS: readonly (readonly [string, Made])[] = Object.entries({
  'OFX (SGML)': ofx,
  'OFX (XML)': xml,
  BAI2: bai2,
  MT940: mt940,
  'camt.053': camt,
})

type Change = (lines: string[], at: number, other: number) => string[]

/** Changes to lines. */
const CHANGES: Readonly<Record<string, Change>> = {
  lost: (lines, at) => lines.toSpliced(at, 1),
  doubled: (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''),
  swapped: (lines, at, other) => lines.with(at, lines[other] ?? '').with(other, lines[at] ?? ''),
  cut: (lines, at, other) => [...lines.slice(0, at), (lines[at] ?? '').slice(0, other)],
  'a figure less': (lines, at) => lines.with(at, (lines[at] ?? '').replace(/\d/, '')),
  'a figure more': (lines, at) => lines.with(at, (lines[at] ?? '').replace(/\d/, '7$&')),
  'a day that does not exist': (lines, at) => lines.with(at, (lines[at] ?? '').replace(/(20)?26-?03-?0[2-7]/g, '20261399')),
  'a blank value': (lines, at) => lines.with(at, (lines[at] ?? '').replace(/([>,:])[^<>,:/]+(?=[<,/]|$)/, '$1')),
  'an amount of letters': (lines, at) => lines.with(at, (lines[at] ?? '').replace(/1[.,]?25/, 'abc')),
  'fields swapped': (lines, at) => lines.with(at, (lines[at] ?? '').replace(/([^,<>]+),([^,<>]+)/, '$2,$1')),
  'a comma more': (lines, at) => lines.with(at, (lines[at] ?? '').replace(/\/$|$/, ',$&')),
}

const ENDS = ['\n', '\r\n', '\r']
const ENCODINGS: readonly BufferEncoding[] = ['utf8', 'latin1', 'utf16le']

const accident = fc.record({
  change: fc.constantFrom(...Object.keys(CHANGES)),
  at: fc.nat(10_000),
  other: fc.nat(10_000),
})
const mutation = fc.record({
  accidents: fc.array(accident, { maxLength: 3 }),
  end: fc.constantFrom(...ENDS),
  encoding: fc.constantFrom(...ENCODINGS),
})

function mutate(
  { lines }: Made,
  { accidents, end, encoding }: { accidents: { change: string; at: number; other: number }[]; end: string; encoding: BufferEncoding },
) {
  const changed = accidents.reduce((all, { change, at, other }) => {
    if (all.length === 0) return all
    const [place, partner] = [at % all.length, other % all.length]
    return CHANGES[change]?.(all, place, partner) ?? all
  }, lines)
  const text = changed.join(end) + end
  return { text: changed.join('\n'), bytes: Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding) }
}

/** Number of transactions of a file by its check, and by its records; null if the file is refused. */
function countMovements(bytes: Uint8Array): { held: number; read: number; items: number } | null {
  try {
    const reading = openFile(bytes)
    const verdict = verifyFile(reading)
    const { read, setAside, ofRefused, notBooked, takenBack } = verdict.tally
    const items = [...readItems(reading, verdict)].filter(({ entity }) => entity === 'Transactions')
    const isRefused = verdict.accounts === 0
    if (isRefused) expect(verdict.refusals.length).toBeGreaterThan(0)
    if (setAside + ofRefused > 0 || verdict.faults.size > 0) expect(verdict.leftOut.length).toBeGreaterThan(0)
    expect(items.filter((item) => 'unreadable' in item)).toHaveLength(setAside)
    return { held: read + setAside + ofRefused + notBooked + takenBack, read, items: items.filter((item) => 'wire' in item).length }
  } catch (error) {
    if (error instanceof InputRefused) return null
    throw error
  }
}

describe.each([...FORMATS.map((format) => [...format, 1_500] as const), ...HABITS.map((habit) => [...habit, 400] as const)])(
  '%s',
  (_name, made, numRuns) => {
    it('is read completely if unchanged', () => {
      expect(countMovements(bytesOf(`${made.lines.join('\n')}\n`))).toEqual({ held: 12, read: 12, items: 12 })
    })

    it('with any change: every transaction is read, set aside or refused, and each is counted once', () => {
      let taken = 0
      fc.assert(
        fc.property(mutation, (how) => {
          const { text, bytes } = mutate(made, how)
          const counted = countMovements(bytes)
          if (counted === null) return
          taken += 1
          expect(counted.items).toBe(counted.read)
          expect(counted.held).toBe(text.match(made.movement)?.length ?? 0)
        }),
        { numRuns, seed: SEED },
      )
      // Guards against a test that checks nothing.
      expect(taken).toBeGreaterThan(numRuns / 8)
    })
  },
)

describe.each(FORMATS)('%s', (_name, made) => {
  it.each([
    ['x', 10],
    ...[' ', '<', '</', '&', ',', '/', '\n', '1', '<A>', ':61:', '"', '88,'].map((piece) => [piece, 1] as const),
  ] as const)('with %j repeated in one place (%d MB) ends', (piece, megabytes) => {
    const { lines } = made
    const middle = Math.floor(lines.length / 2)
    const long = piece.repeat((megabytes * 1_000_000) / piece.length)
    for (const changed of [lines.with(middle, (lines[middle] ?? '') + long), [...lines.slice(0, middle), long]])
      countMovements(bytesOf(changed.join('\n')))
  })
})
