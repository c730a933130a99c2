import type { Random } from '../simulation/random.ts'
import { BANKS, endingOf, makeAccount, makeMovements, makeNumber, movement, TODAY, type TrueAccount } from './accounts.ts'

/** Accounts that resemble another one and are not it; each for a reason that sources meet. */
export const NEAR_MISSES: Readonly<Record<string, (random: Random, like: TrueAccount) => TrueAccount>> = {
  'the same last four digits and name at the same bank': (random, like) =>
    makeAccount(random, like.bank, { number: makeNumber(random, endingOf(like)), kind: like.kind, name: like.name }),
  'the same last four digits and a round balance at the same bank': (random, like) =>
    makeAccount(random, like.bank, { number: makeNumber(random, endingOf(like)), kind: like.kind, name: like.name, balance: like.balance }),
  'the same last four digits at another bank': (random, like) =>
    makeAccount(random, random.pick(BANKS.filter((bank) => bank !== like.bank)), {
      number: makeNumber(random, endingOf(like)),
      kind: like.kind,
      name: like.name,
    }),
  'the same full number at another bank': (random, like) =>
    makeAccount(random, random.pick(BANKS.filter((bank) => bank !== like.bank)), {
      number: like.number,
      kind: like.kind === 'card' ? 'checking' : like.kind,
      name: like.name,
    }),
  'the other side of every transfer': (random, like) =>
    makeAccount(random, like.bank, {
      number: makeNumber(random, endingOf(like)),
      kind: like.kind,
      name: like.name,
      movements: like.movements.map((one) => movement(random, one.day, -one.amount, `Transfer ${one.payee}`)),
    }),
  'the same salaries on the same days': (random, like) => {
    const salaries = Array.from({ length: 24 }, (_, index) =>
      movement(random, TODAY - 5 - index * 14, -250_000 - 10_000 * (index % 3), 'Payroll'),
    )
    like.movements = [...like.movements, ...salaries].sort((a, b) => a.day - b.day)
    const twins = salaries.map((one) => ({ ...movement(random, one.day, one.amount, 'Payroll') }))
    const others = makeMovements(random, Math.max(30, like.movements.length))
    const movements = [...twins, ...others].sort((a, b) => a.day - b.day)
    return makeAccount(random, like.bank, { number: makeNumber(random, endingOf(like)), kind: like.kind, name: like.name, movements })
  },
  'the same monthly fee on the same days, and little else': (random, like) => {
    const fees = like.movements
      .filter(({ payee }) => payee === 'Monthly fee')
      .map((one) => movement(random, one.day, one.amount, one.payee))
    const movements = [...fees, ...makeMovements(random, 6).filter(({ payee }) => payee !== 'Monthly fee')].sort((a, b) => a.day - b.day)
    return makeAccount(random, like.bank, { number: makeNumber(random, endingOf(like)), kind: like.kind, name: like.name, movements })
  },
  'an account of savings with the same digits': (random, like) =>
    makeAccount(random, like.bank, {
      number: makeNumber(random, endingOf(like)),
      kind: like.kind === 'savings' ? 'checking' : 'savings',
      name: like.name,
    }),
  'a collection account that is emptied into it': (random, like) => {
    const incoming = like.movements.filter(({ amount }) => amount > 0)
    const swept = incoming.flatMap((one) => [
      movement(random, one.day - 1, one.amount, one.payee),
      movement(random, one.day, -one.amount, 'Sweep'),
    ])
    return makeAccount(random, like.bank, {
      number: makeNumber(random, endingOf(like)),
      kind: like.kind,
      name: like.name,
      movements: swept,
      balance: 0,
    })
  },
  'a card of an employee on the same card account': (random, like) =>
    makeAccount(random, like.bank, {
      kind: like.kind,
      name: like.name,
      movements: like.movements.filter((_, index) => index % 4 === 0),
    }),
}
