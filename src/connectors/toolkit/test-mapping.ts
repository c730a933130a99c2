import type { AnyMapping } from '../contract/mapping.ts'

/** What a bank account may leave untold. */
export const NO_UNMAPPED = {
  userAccountClassification: null,
  interestRate: null,
  availableCredit: null,
  dueDate: null,
  maturityAmount: null,
  maturityDate: null,
  minimumAmountDue: null,
  totalCreditLine: null,
  originalLoanAmount: null,
  lender: null,
  amountDue: null,
  principalBalance: null,
}

/** Runs every field of a mapping, as the engine does. Words that it does not know are added to `unmapped` as `field: word`. */
export function mapRecord({ fields }: AnyMapping, wire: unknown, fetchedAt: Date, unmapped: string[] = []): Record<string, unknown> {
  const context = { fetchedAt, unmapped: (field: string, word: string) => void unmapped.push(`${field}: ${word}`) }
  return Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(wire as never, context)]))
}
