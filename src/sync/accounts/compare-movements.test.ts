import { describe, expect, it } from 'vitest'
import { compareMovements, type Movement, type Movements } from './compare-movements.ts'

const at = (day: number, amount: string, text = ''): Movement => ({ day, amount, text })
const over = (from: number, until: number, ...list: Movement[]): Movements => ({ from, until, list })
/** Ten different amounts, a day apart from 10. */
const tenOf = (shift = 0): Movement[] => Array.from({ length: 10 }, (_, index) => at(10 + index + shift, `${index + 1}.25`))

describe('the period', () => {
  it('is what both cover', () => {
    expect(compareMovements(over(0, 30, ...tenOf()), over(5, 40, ...tenOf()))).toMatchObject({
      from: 5,
      until: 30,
      matched: 10,
      fewer: 10,
      share: 1,
    })
  })

  it('may be one day, and is none where they do not meet', () => {
    expect(compareMovements(over(0, 10, at(10, '1.25')), over(10, 20, at(10, '1.25')))).toMatchObject({ from: 10, until: 10, matched: 1 })
    expect(compareMovements(over(0, 9, at(9, '1.25')), over(10, 20, at(10, '1.25')))).toBeNull()
  })

  it('without a transaction says nothing', () => {
    expect(compareMovements(over(0, 30), over(0, 30))).toBeNull()
    expect(compareMovements(over(0, 30, at(2, '1')), over(0, 30))).toMatchObject({
      matched: 0,
      fewer: 0,
      share: 0,
      amounts: 0,
      telling: 0,
      alikeTexts: 1,
    })
  })

  it('has partners up to four days outside of it', () => {
    const inside = over(10, 30, at(10, '1.25'))
    expect(compareMovements(inside, over(0, 30, at(6, '1.25')))?.matched).toBe(1)
    expect(compareMovements(inside, over(0, 30, at(5, '1.25')))?.matched).toBe(0)
    const late = over(0, 20, at(20, '1.25'))
    expect(compareMovements(late, over(0, 40, at(24, '1.25')))?.matched).toBe(1)
    expect(compareMovements(late, over(0, 40, at(25, '1.25')))?.matched).toBe(0)
  })

  it('leaves out its ends, where a partner may lie outside, where enough is inside', () => {
    const whole = (...list: Movement[]) => over(0, 30, ...list)
    const [a, b] = [at(4, '1.25'), at(26, '2.25')]
    expect(compareMovements(whole(a, b, at(3, '9.99')), whole(a, b, at(27, '8.88')))).toMatchObject({ matched: 2, fewer: 2, share: 1 })
    expect(compareMovements(whole(a, b, at(5, '9.99')), whole(a, b))).toMatchObject({ matched: 2, fewer: 2, share: 2 / 3 })
    // One inside is too few: the ends count.
    expect(compareMovements(whole(a, at(3, '9.99')), whole(a))).toMatchObject({ matched: 1, fewer: 1, share: 1 / 2 })
    expect(compareMovements(whole(a), whole(a, at(27, '9.99')))).toMatchObject({ matched: 1, fewer: 1, share: 1 / 2 })
  })

  it('counts pairs at its ends too', () => {
    const both = [...tenOf(), at(1, '77.77')]
    expect(compareMovements(over(0, 30, ...both), over(0, 30, ...both))).toMatchObject({ matched: 11, fewer: 11, share: 1 })
  })
})

describe('a pair', () => {
  it('has equal amounts at most four days apart', () => {
    expect(compareMovements(over(0, 30, ...tenOf()), over(0, 30, ...tenOf(4)))?.matched).toBe(10)
    expect(compareMovements(over(0, 30, ...tenOf(4)), over(0, 30, ...tenOf()))?.matched).toBe(10)
    expect(compareMovements(over(0, 30, ...tenOf()), over(0, 30, ...tenOf(5)))?.matched).toBe(0)
    expect(compareMovements(over(0, 30, ...tenOf(5)), over(0, 30, ...tenOf()))?.matched).toBe(0)
    expect(compareMovements(over(0, 30, at(10, '1')), over(0, 30, at(10, '-1')))?.matched).toBe(0)
  })

  it('is of two transactions, each in one pair only, by their days', () => {
    const three = [at(20, '5.5'), at(10, '5.5'), at(15, '5.5')]
    expect(compareMovements(over(0, 30, ...three), over(0, 30, at(15, '5.5')))).toMatchObject({ matched: 1, fewer: 1, share: 1 / 3 })
    expect(compareMovements(over(0, 30, at(15, '5.5')), over(0, 30, ...three))).toMatchObject({ matched: 1, fewer: 1, share: 1 / 3 })
    expect(compareMovements(over(0, 30, ...three), over(0, 30, ...three.toReversed()))).toMatchObject({
      matched: 3,
      amounts: 1,
      telling: 1,
    })
  })

  it('tells the more, the fewer amounts are alike or round', () => {
    const list = [at(10, '100'), at(11, '-50'), at(12, '0'), at(13, '12.5'), at(14, '12.5'), at(15, '10.5'), at(16, '105')]
    expect(compareMovements(over(0, 30, ...list), over(0, 30, ...list))).toMatchObject({ matched: 7, amounts: 6, telling: 3 })
  })
})

describe('the texts of a pair', () => {
  const likeness = (one: string, other: string): number | undefined =>
    compareMovements(over(0, 30, at(10, '1', one)), over(0, 30, at(10, '1', other)))?.alikeTexts

  it.each([
    ['Hydro Québec', 'PAYMENT HYDRO-QUEBEC 123', 1],
    ['PAYMENT HYDRO-QUEBEC 123', 'Hydro Québec', 1],
    ['xxxHydr', 'yyyHydryyy', 1],
    ['xxxHyd', 'yyyHydyyy', 0],
    ['Hyd', 'a Hyd b', 1],
    ['abcd', 'xabcdx', 1],
    ['abce', 'xabcdx', 0],
    ['Hydro', 'Rent', 0],
    ['', 'Rent', 1],
    ['---', 'Rent', 1],
    ['Rent', '', 1],
  ])('%j and %j', (one, other, expected) => {
    expect(likeness(one, other)).toBe(expected)
  })

  it('count by those that both have', () => {
    const ours = [at(10, '1', 'Hydro'), at(11, '2', 'Rent'), at(12, '3', '')]
    const theirs = [at(10, '1', 'Hydro'), at(11, '2', 'Salary'), at(12, '3', 'Fees')]
    expect(compareMovements(over(0, 30, ...ours), over(0, 30, ...theirs))?.alikeTexts).toBe(1 / 2)
  })
})
