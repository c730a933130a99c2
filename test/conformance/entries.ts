import { add, type Decimal, negate, toDecimal } from '../../src/model/values/decimal.ts'
import type { Delivered, Outcome } from './run.ts'

/** Entries whose delivered lines do not balance exactly. */
export function unbalanced(outcome: Outcome): string[] {
  const lines = [...outcome.delivered.values()].filter((record) => record.entryId !== null)
  return [...Map.groupBy(lines, ({ entryId }) => String(entryId))]
    .filter(([, entry]) => add(...entry.flatMap(amountsOf)) !== '0')
    .map(([entryId]) => entryId)
}

/** Lines without exactly one positive value among debit and credit. */
export function linesWithoutOneSide(outcome: Outcome): string[] {
  return [...outcome.delivered.values()]
    .filter(({ entryId }) => entryId !== null)
    .filter(({ doc }) => [doc.debit, doc.credit].filter((side) => side !== null && Number(side) > 0).length !== 1)
    .map(({ origId }) => origId)
}

function amountsOf({ content }: Delivered): Decimal[] {
  const side = (name: string) => toDecimal(new RegExp(`"${name}":(-?[0-9.]+)`).exec(content)?.[1])
  return [side('debit'), negate(side('credit'))].filter((amount) => amount !== null)
}
