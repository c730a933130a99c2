import type { AccountFields } from '../events.ts'

/** Properties of a document. Numbers are texts, so that no amount passes through a double. */
export function readFields(document: string): Map<string, AccountFields[string]> {
  const exact = (_key: string, value: unknown, context?: { source?: string }) => (typeof value === 'number' ? context?.source : value)
  const fields: AccountFields = JSON.parse(document, exact as (this: unknown, key: string, value: unknown) => unknown)
  return new Map(Object.entries(fields))
}
