import { describe, expect, it } from 'vitest'
import { bytesOf, examine, fixture, readItemsOf, upload } from '../../../src/connectors/bank-files/fixtures/upload.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'

/** Deviations from the common format at real banks; the samples are our own. */

function textOf(name: string): string {
  return new TextDecoder().decode(fixture(name))
}

const notes = async (text: string) => (await examine(bytesOf(text))).leftOut.map(({ en }) => en)

const mt940 = (...lines: string[]) => [':20:STMT1', ':25:HARBNL2A/NL32HARB0000012345EUR', ':28C:1', ...lines, '-', ''].join('\n')

describe('MT940', () => {
  it.each(['XC240311EUR1000,', 'C240311EUR1000,X', 'C240311EURO1000,', 'C24031EUR1000,', 'C240311EUR'])(
    'a balance %j is refused, since an amount would be guessed',
    async (balance) => {
      const statement = (opening: string) => bytesOf(mt940(`:60F:${opening}`, ':61:240312D212,39NTRFX', ':62F:C240312EUR787,61'))
      expect((await examine(statement('C240311EUR1000,'))).leftOut).toEqual([])
      await expect(examine(statement(balance))).rejects.toThrow(InputRefused)
    },
  )

  const day = (line: string, ...more: string[]) => mt940(':60F:C240311EUR1000,', line, ...more, ':62F:C240312EUR787,61')

  it.each([
    [':61:240312    DD212,39NTRFNONREF//B1', 'four blanks for the entry date'],
    [':61:240312DD212,39NTRFNONREF//B1', 'no entry date'],
    [':61:2403120312DD212,39NTRFNONREF//B1', 'an entry date'],
  ])('%s is read: %s', (line) => {
    expect(upload(bytesOf(day(line))).transactions).toMatchObject([{ postedOn: '2024-03-12', amount: '-212.39' }])
  })

  const dutch = ':86:/TRTP/SEPA OVERBOEKING/CNTP/NL32INGB0000012345/INGBNL2A/WEBWINKEL BV/AMSTERDAM///REMI/USTD//Factuur 12/'
  const withCounterparty = day(':61:2403120312D212,39NTRFNONREF//B1', dutch)

  it('the counterparty of a Dutch bank (/CNTP/) is named', () => {
    expect(upload(bytesOf(withCounterparty)).transactions).toMatchObject([
      { counterparty: 'WEBWINKEL BV', description: 'Factuur 12/', category: 'SEPA OVERBOEKING' },
    ])
  })

  it('a bank’s own field (:NS:) is not part of a description', () => {
    const own = day(':61:2403120312D212,39NTRFNONREF//B1', ':86:HUUR MAART', ':NS:22VERENIGING', 'VERVOLG')
    expect(upload(bytesOf(own)).transactions).toMatchObject([{ description: 'HUUR MAART' }])
  })

  it('an entry that is parsed better than before keeps its id', () => {
    const ids = (file: Uint8Array) => readItemsOf(file).map(({ entity, origId }) => [entity, origId])
    const named = readItemsOf(bytesOf(withCounterparty)).find(({ entity }) => entity === 'Transactions')
    expect(named?.origId).toBe('3d11c62a9f18a2c5ddd8d24ad8a9faf4')
    const own = bytesOf(day(':61:2403120312D212,39NTRFNONREF//B1', ':86:HUUR MAART', ':NS:22VERENIGING'))
    expect(ids(own)[0]?.[1]).toBe('edc7ccea0060735cbaedd871870d9a2d')
    const dos = Buffer.from(day(':61:2403120312D212,39NTRFNONREF//B1', ':86:B\u0081cher f\u0081r Stra\u00e1e'), 'latin1')
    expect(ids(dos)[0]?.[1]).toBe('366072edf3008ea1a2c606f2fa003a75')
  })

  it.each([
    ['B\u0081cher f\u0081r Stra\u00e1e \u009abermut', 'Bücher für Straße Übermut'],
    ['cr\u0082dit agricole \u0085 c\u0093t\u0082', 'crédit agricole à côté'],
    ['l\u0092\u00e9picerie d\u0092\u00e0 c\u00f4t\u00e9', 'l’épicerie d’à côté'],
    ['caf\u00e9 \u0096 Stra\u00dfe', 'café – Straße'],
    ['A\u0096B \u008euvre', 'A–B Žuvre'],
  ])('%j is read in its original code page', (written, text) => {
    const bytes = Buffer.from(day(':61:2403120312D212,39NTRFNONREF//B1', `:86:${written}`), 'latin1')
    expect(upload(bytes).transactions[0]?.description).toBe(text)
  })

  const second = mt940(':60F:C240312EUR787,61', ':61:240313C1,NTRFX', ':62F:C240313EUR788,61')

  it('a message without closing balance is set aside if others follow', async () => {
    const broken = mt940(':60F:C240311EUR1000,', ':61:240312D212,39NTRFX').replace('12345EUR', '54321EUR')
    expect(upload(bytesOf(broken + second)).accounts.map(({ accountNumber }) => accountNumber)).toEqual(['••••2345'])
    expect(await notes(broken + second)).toEqual([
      '••••4321: Line 1: the message that begins here has no closing balance (:62F:). 1 transaction of this statement is left out with it.',
    ])
  })

  it('a message without account is set aside if there are others', async () => {
    const nobody = mt940(':60F:C240311EUR1,', ':61:240312D1,NTRFX', ':62F:C240312EUR0,').replace(/:25:.*\n/, '')
    for (const text of [nobody + second, second + nobody]) {
      expect(upload(bytesOf(text)).transactions).toHaveLength(1)
      expect((await notes(text)).join(' ')).toMatch(/a statement names no account \(:25:\)\..*a transaction belongs to no account\./)
    }
  })
})

describe('lines', () => {
  it.each(['chain.mt940', 'loan.bai2', 'card.qfx', 'loan.ofx', 'statement.camt053.xml'])(
    'of %s may end in a carriage return alone',
    (name) => {
      const text = textOf(name).replace(/\r?\n/g, '\n')
      expect(readItemsOf(bytesOf(text.replaceAll('\n', '\r')))).toEqual(readItemsOf(bytesOf(text)))
    },
  )
})
