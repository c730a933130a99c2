import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { BANK_ACCOUNT } from '../../model/records/bank-account.ts'
import { BANK_TRANSACTION } from '../../model/records/bank-transaction.ts'
import { BANK_ACCOUNT_STATUSES, BANK_ACCOUNT_TAXONOMY } from '../../model/records/banking.ts'
import type { Property } from '../../model/records/record-schema.ts'

const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })

/** JSON Pointer; empty for the whole document. Source: https://www.rfc-editor.org/rfc/rfc6901 */
export const Pointer = Type.String({ pattern: '^(/([^~/]|~0|~1)*)*$', maxLength: 300 })
/** One pointer, or several, the first of which with a value is used. */
const Places = Type.Union([Pointer, Type.Array(Pointer, { minItems: 1, maxItems: 6 })])
const Word = Type.String({ maxLength: 200 })

export const TextRule = Type.Union([closed({ value: Word }), closed({ from: Places, otherwise: Type.Optional(Word) })])
export type TextRule = Static<typeof TextRule>

/** Account number, always masked: at most four characters are shown. */
const NumberRule = closed({ from: Places })

/** Condition that negates an amount: the bank's own word for a debit, for instance. */
const When = closed({ from: Pointer, is: Type.Array(Word, { minItems: 1 }) })
const amountProperties = {
  /** `minor`: cents or equivalent, by the account's currency. */
  units: Type.Optional(Type.Enum(['major', 'minor'])),
  /** Decimal separator of a text; the other one of `.` and `,` groups digits. */
  mark: Type.Optional(Type.Enum(['.', ','])),
}
export const AmountRule = Type.Union([
  closed({
    from: Places,
    sign: Type.Optional(Type.Enum(['asIs', 'turned', 'absolute'])),
    /** Condition that makes the amount negative, whatever its own sign. */
    negativeWhen: Type.Optional(When),
    ...amountProperties,
  }),
  /** Two columns: money in, money out. */
  closed({ in: Pointer, out: Pointer, ...amountProperties }),
])
export type AmountRule = Static<typeof AmountRule>

/** Rate, normalized to percent; a text with a percent sign is percent whatever the scale. */
export const RateRule = closed({ from: Places, scale: Type.Enum(['percent', 'fraction', 'basisPoints']) })
export type RateRule = Static<typeof RateRule>

const DATE_FORMS = ['day', 'instant', 'compact', 'parts', 'epochSeconds', 'epochMilliseconds', 'MM/DD/YYYY', 'DD/MM/YYYY'] as const
export const DateRule = closed({ from: Places, form: Type.Enum([...DATE_FORMS]) })
export type DateRule = Static<typeof DateRule>

/**
 * Values of several pointers are joined by `/`; the last part may be `*`. A value that is not listed becomes
 * `otherwise` and is counted.
 */
const enumRule = <Value extends TSchema>(value: Value) =>
  Type.Union([
    closed({ value }),
    closed({
      from: Type.Union([Pointer, Type.Array(Pointer, { minItems: 1, maxItems: 3 })]),
      words: Type.Record(Word, value),
      otherwise: Type.Optional(value),
    }),
  ])
export const EnumRule = enumRule(Word)
export type EnumRule = Static<typeof EnumRule>

/** Kinds as `Group/Code` of docs/taxonomy.md. */
const KINDS: readonly string[] = Object.entries(BANK_ACCOUNT_TAXONOMY).flatMap(([type, codes]) =>
  Object.keys(codes).map((code) => `${type}/${code}`),
)

export const FlagRule = Type.Union([closed({ value: Type.Boolean() }), When])
export type FlagRule = Static<typeof FlagRule>

/** Rule names, as in docs/bank-api-profiles.md. */
export type RuleName = 'text' | 'words' | 'amount' | 'rate' | 'date' | 'flag'

const RULES: Readonly<Record<Exclude<RuleName, 'words'>, TSchema>> = {
  text: TextRule,
  amount: AmountRule,
  rate: RateRule,
  date: DateRule,
  flag: FlagRule,
}

/** Rule name for a field, by the field's kind. */
export function ruleNameOf({ kind, unit }: Pick<Property, 'kind' | 'unit'>): RuleName {
  if (kind === 'amount') return unit === 'percent' ? 'rate' : 'amount'
  if (kind === 'day' || kind === 'instant') return 'date'
  if (kind === 'enum') return 'words'
  return kind === 'flag' ? 'flag' : 'text'
}

function ruleOf(property: Property): TSchema {
  const name = ruleNameOf(property)
  if (name !== 'words') return RULES[name]
  return property.values ? enumRule(Type.Enum([...property.values])) : EnumRule
}

/** Optional rules for the fields of a mapping, in their order; `origId` is the list's own `id`. */
function optionalRules(properties: readonly Property[]): Record<string, TSchema> {
  const given = properties.flatMap((property) => (property.source === null || property.source === 'origId' ? [] : [property]))
  return Object.fromEntries(given.map((property) => [property.source, Type.Optional(ruleOf(property))]))
}

/** Rules by normalized field of an account. Only the exceptions from the rule of a field's kind are listed here. */
export const AccountMap = closed({
  ...optionalRules(BANK_ACCOUNT.properties),
  providerName: TextRule,
  accountName: TextRule,
  accountNumber: Type.Optional(NumberRule),
  accountStatusSystem: enumRule(Type.Enum([...BANK_ACCOUNT_STATUSES])),
  kind: enumRule(Type.Enum([...KINDS])),
  currency: TextRule,
  actualBalance: AmountRule,
})
export type AccountMap = Static<typeof AccountMap>

export const TransactionMap = closed({
  ...optionalRules(BANK_TRANSACTION.properties),
  postedOn: DateRule,
  transactionOn: Type.Optional(DateRule),
  amount: AmountRule,
  currency: TextRule,
  description: TextRule,
  /** Account id; defaults to the requested account. */
  accountOrigId: Type.Optional(TextRule),
  isPending: Type.Optional(FlagRule),
})
export type TransactionMap = Static<typeof TransactionMap>
