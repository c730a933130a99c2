import { type Static, type TProperties, Type } from 'typebox'
import { BANK_ACCOUNT_STATUSES, BANK_ACCOUNT_TAXONOMY } from '../../model/records/banking.ts'

const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })

/** JSON Pointer; empty for the whole. Source: https://www.rfc-editor.org/rfc/rfc6901 */
export const Pointer = Type.String({ pattern: '^(/([^~/]|~0|~1)*)*$', maxLength: 300 })
/** One place, or several of which the first one counts that says something. */
const Places = Type.Union([Pointer, Type.Array(Pointer, { minItems: 1, maxItems: 6 })])
const Word = Type.String({ maxLength: 200 })

export const TextRule = Type.Union([closed({ value: Word }), closed({ from: Places, otherwise: Type.Optional(Word) })])
export type TextRule = Static<typeof TextRule>

/** Always masked: no more than four characters come out. */
const NumberRule = closed({ from: Places })

/** When an amount is turned: the bank's own word for a debit, for instance. */
const When = closed({ from: Pointer, is: Type.Array(Word, { minItems: 1 }) })
const amountProperties = {
  /** `minor`: cents and the like, by the account's currency. */
  units: Type.Optional(Type.Enum(['major', 'minor'])),
  /** What stands before the decimals in a text; the other one of `.` and `,` groups digits. */
  mark: Type.Optional(Type.Enum(['.', ','])),
}
export const AmountRule = Type.Union([
  closed({
    from: Places,
    sign: Type.Optional(Type.Enum(['asIs', 'turned', 'absolute'])),
    /** Negative by this word alone, whatever its own sign is. */
    negativeWhen: Type.Optional(When),
    ...amountProperties,
  }),
  /** Two columns: what came in, what went out. */
  closed({ in: Pointer, out: Pointer, ...amountProperties }),
])
export type AmountRule = Static<typeof AmountRule>

/** Comes out in percent; a text with a sign of percent is percent whatever the scale. */
export const RateRule = closed({ from: Places, scale: Type.Enum(['percent', 'fraction', 'basisPoints']) })
export type RateRule = Static<typeof RateRule>

const DATE_FORMS = ['day', 'instant', 'compact', 'parts', 'epochSeconds', 'epochMilliseconds', 'MM/DD/YYYY', 'DD/MM/YYYY'] as const
export const DateRule = closed({ from: Places, form: Type.Enum([...DATE_FORMS]) })
export type DateRule = Static<typeof DateRule>

/** Several places give words joined by `/`; a last part may be `*`. A word that is not here becomes `otherwise` and is counted. */
const words = <W extends string>(allowed: readonly W[]) =>
  closed({
    from: Type.Union([Pointer, Type.Array(Pointer, { minItems: 1, maxItems: 3 })]),
    words: Type.Record(Word, Type.Enum([...allowed])),
    otherwise: Type.Optional(Type.Enum([...allowed])),
  })

/** `Group/Code` of docs/taxonomy.md. */
const KINDS: readonly string[] = Object.entries(BANK_ACCOUNT_TAXONOMY).flatMap(([type, codes]) =>
  Object.keys(codes).map((code) => `${type}/${code}`),
)
const fixed = <W extends string>(allowed: readonly W[]) => Type.Union([closed({ value: Type.Enum([...allowed]) }), words(allowed)])
const KindRule = fixed(KINDS)
const StatusRule = fixed(BANK_ACCOUNT_STATUSES)
const ClassificationRule = fixed(['BUSINESS', 'PERSONAL'] as const)
export type EnumRule = { value: string } | { from: string | string[]; words: Record<string, string>; otherwise?: string }

export const FlagRule = Type.Union([closed({ value: Type.Boolean() }), When])
export type FlagRule = Static<typeof FlagRule>

/** A rule for each normalized field that the bank says something of; `origId` is the list's own `id`. */
export const AccountMap = closed({
  providerName: TextRule,
  accountName: TextRule,
  accountNumber: Type.Optional(NumberRule),
  accountStatusSystem: StatusRule,
  userAccountClassification: Type.Optional(ClassificationRule),
  kind: KindRule,
  interestRate: Type.Optional(RateRule),
  availableCredit: Type.Optional(AmountRule),
  dueDate: Type.Optional(DateRule),
  maturityAmount: Type.Optional(AmountRule),
  maturityDate: Type.Optional(DateRule),
  minimumAmountDue: Type.Optional(AmountRule),
  totalCreditLine: Type.Optional(AmountRule),
  originalLoanAmount: Type.Optional(AmountRule),
  lender: Type.Optional(TextRule),
  amountDue: Type.Optional(AmountRule),
  principalBalance: Type.Optional(AmountRule),
  currency: TextRule,
  actualBalance: AmountRule,
  actualBalanceDate: Type.Optional(DateRule),
  sourceUpdatedDate: Type.Optional(DateRule),
})
export type AccountMap = Static<typeof AccountMap>

export const TransactionMap = closed({
  /** The account that was asked for when left out. */
  accountOrigId: Type.Optional(TextRule),
  postedOn: DateRule,
  transactionOn: Type.Optional(DateRule),
  amount: AmountRule,
  currency: TextRule,
  description: TextRule,
  counterparty: Type.Optional(TextRule),
  category: Type.Optional(TextRule),
  isPending: Type.Optional(FlagRule),
  runningBalance: Type.Optional(AmountRule),
})
export type TransactionMap = Static<typeof TransactionMap>
