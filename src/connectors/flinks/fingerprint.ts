import type { Fingerprint } from '../contract/reidentification.ts'
import type { FlinksAccount } from './wire.ts'

/** Fingerprint that matches an account when another login assigns another Id. Titles come last: owners change them. */
export function toFingerprint({ account }: FlinksAccount): Fingerprint {
  const { Mask: mask } = account
  if (mask === '') return { persistentId: null, descriptions: [] }
  const kind = [mask, account.Category ?? '', account.Type ?? '', (account.Currency ?? '').toUpperCase()]
  const descriptions = [[...kind, account.Title?.trim() ?? ''], kind]
  return { persistentId: null, descriptions: descriptions.map((words) => JSON.stringify(words)) }
}
