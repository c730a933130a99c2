import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toBankAccount } from '../../src/connectors/simplefin/map.ts'
import { PRODUCTS, USES } from '../../src/connectors/toolkit/names/product-name-patterns.ts'
import { isOwed, kindOfName } from '../../src/connectors/toolkit/names/product-names.ts'
import { IN_DOUBT, NAMES } from './banking-names.ts'

const kindOf = (name: string): string | null => {
  const kind = kindOfName(name)
  return kind && `${kind.type}/${kind.subType}`
}

const all = Object.entries(NAMES).flatMap(([kind, names]) => names.map((name) => [name, kind] as const))
/** Names that contain a word for a product or a use. */
const withProduct = [...PRODUCTS, ...USES].map(([, , example]) => example.split(/, | or /)[0] ?? '')

const BRANDS = ['Visa', 'Mastercard', 'Master Card', 'Amex', 'American Express', 'Discover', 'Diners Club', 'PayPal', 'Sapphire Preferred']
const ACCENTS: Readonly<Record<string, string>> = { e: 'éèêë', a: 'àâä', i: 'îï', o: 'ôö', u: 'ùûü', c: 'ç' }

const anyName = fc.constantFrom(...all.map(([name]) => name), ...IN_DOUBT)

describe('the name of an account', () => {
  test('determines the kind of account, at banks of the United States and Canada', () => {
    expect(all.filter(([name, kind]) => kindOf(name) !== kind).map(([name, kind]) => `${name}: ${kindOf(name)}, not ${kind}`)).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(250)
  })

  test.each(IN_DOUBT)('"%s" is ambiguous', (name) => {
    expect(kindOf(name)).toBeNull()
  })

  test('has the same meaning whatever its case and accents', () => {
    fc.assert(
      fc.property(anyName, fc.infiniteStream(fc.nat(7)), (name, dice) => {
        const other = [...name].map((letter) => {
          const roll = Number(dice.next().value)
          const accented = [...(ACCENTS[letter] ?? letter)]
          return roll < 3 ? letter.toUpperCase() : (accented[roll % accented.length] ?? letter)
        })
        expect(kindOf(other.join(''))).toBe(kindOf(name))
        expect(kindOf(name.normalize('NFD'))).toBe(kindOf(name))
      }),
    )
  })

  test('with a product in it is not changed by a brand before or after it', () => {
    for (const name of withProduct)
      for (const brand of BRANDS)
        expect([`${brand} ${name}`, kindOf(`${brand} ${name}`), kindOf(`${name} ${brand}`)]).toEqual([
          `${brand} ${name}`,
          kindOf(name),
          kindOf(name),
        ])
  })

  test('is not changed by the end of a number after it', () => {
    fc.assert(
      fc.property(anyName, fc.integer({ min: 1000, max: 9999 }), (name, digits) => {
        expect([kindOf(`${name} ${digits}`), kindOf(`${name} (${digits})`), kindOf(`${name} - x${digits}`)]).toEqual([
          kindOf(name),
          kindOf(name),
          kindOf(name),
        ])
      }),
    )
  })

  test('of arbitrary text is read without a failure', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (name) => kindOfName(name) === null || kindOf(name) !== ''))
  })
})

describe('SimpleFIN', () => {
  const account = (name: string, balance: string) => {
    const words: string[] = []
    const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => words.push(`${field}: ${word}`) }
    const wire = { id: '1', account: { id: '1', name, balance, currency: 'USD' } }
    const { kind, actualBalance } = toBankAccount.fields
    return { kind: kind?.(wire, context), balance: actualBalance?.(wire, context), words }
  }

  test('never takes the kind from the sign of the balance', () => {
    fc.assert(
      fc.property(anyName, fc.integer({ min: 1, max: 9_999_999 }), (name, cents) => {
        const amount = (cents / 100).toFixed(2)
        expect(account(name, `-${amount}`).kind).toEqual(account(name, amount).kind)
      }),
    )
  })

  test('inverts the sign of amounts owed only', () => {
    for (const [name] of all) {
      const kind = kindOfName(name)
      expect([name, account(name, '-820.1').balance]).toEqual([name, kind && isOwed(kind) ? '820.1' : '-820.1'])
    }
  })

  test('counts each ambiguous name, without its digits', () => {
    for (const name of IN_DOUBT.filter((each) => each !== '')) {
      const { kind, words } = account(name, '10')
      expect([name, kind, words]).toEqual([name, { type: 'Other', subType: 'Unknown' }, [`kind: ${name.replace(/\d/g, '#')}`]])
    }
  })
})
