import type { Fingerprint } from '../contract/reidentification.ts'
import type { StripeAccount } from './wire.ts'

/**
 * Fingerprint that matches an account when a new session assigns another id. Names come last: owners and banks change
 * them.
 */
export function toFingerprint({ last4, category, subcategory, display_name: name }: StripeAccount): Fingerprint {
  if (!last4) return { persistentId: null, descriptions: [] }
  const kind = [last4.slice(-4), category ?? '', subcategory ?? '']
  return { persistentId: null, descriptions: [[...kind, name?.trim() ?? ''], kind].map((words) => JSON.stringify(words)) }
}
