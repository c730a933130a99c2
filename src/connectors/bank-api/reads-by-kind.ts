import type { Static, TSchema } from 'typebox'
import { Parse } from 'typebox/value'
import type { Property } from '../../model/records/record-schema.ts'
import { AmountRule, DateRule, EnumRule, FlagRule, RateRule, ruleNameOf, TextRule } from './profile-rules.ts'
import { type Read, readAmount, readDate, readEnum, readFlag, readRate, readText, readTimestamp } from './rules.ts'

/**
 * Read functions by normalized field, from the rules of a map. A field without a rule is null, or empty where it cannot
 * be null.
 */
export function readsByKind(
  properties: readonly Property[],
  map: Readonly<Record<string, unknown>>,
  currency: Read<string>,
): Readonly<Record<string, Read<unknown>>> {
  const sources = properties.filter(({ source }) => source !== null)
  return Object.fromEntries(sources.map((property) => [String(property.source), readByKind(property, map[property.name], currency)]))
}

function readByKind(property: Property, rule: unknown, currency: Read<string>): Read<unknown> {
  const { name, kind, isNullable } = property
  switch (ruleNameOf(property)) {
    case 'amount':
      return readAmount(checked(AmountRule, rule), currency)
    case 'rate':
      return readRate(checked(RateRule, rule))
    case 'date':
      return kind === 'day' ? readDate(checked(DateRule, rule)) : readTimestamp(checked(DateRule, rule))
    case 'flag':
      return readFlag(checked(FlagRule, rule))
    case 'words':
      return readEnum(checked(EnumRule, rule), name, null)
    case 'text': {
      const read = readText(checked(TextRule, rule))
      return isNullable ? (row, context) => read(row, context) || null : read
    }
  }
}

/** Checked cast: the profile's schema has ruled out any other rule. */
function checked<Rule extends TSchema>(schema: Rule, rule: unknown): Static<Rule> | undefined {
  return rule === undefined ? undefined : Parse(schema, rule)
}
