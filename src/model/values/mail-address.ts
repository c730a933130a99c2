import { domainToASCII } from 'node:url'

const LONGEST = 254
const MAX_LOCAL = 64
/** Dot-atom: in practice every local part is one. Source: https://www.rfc-editor.org/rfc/rfc5322#section-3.2.3 */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * Canonical mail address, its domain in ASCII; null for anything else. Quoted forms, comments, groups and lists are
 * rejected: they can make one address look like another.
 */
export function toMailAddress(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed.length > LONGEST) return null
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, Math.max(0, at))
  const typed = trimmed.slice(at + 1)
  if (local.length > MAX_LOCAL || !LOCAL.test(local) || /[^\p{L}\p{M}\p{N}.-]/u.test(typed)) return null
  const domain = domainToASCII(typed.normalize('NFC')).toLowerCase()
  const labels = domain.split('.')
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  return isName && local.length + domain.length < LONGEST ? `${local}@${domain}` : null
}

/** Masked address, its first letter and its domain: for readers who may know that there is an address but not which. */
export function maskMailAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, 1)}•••${address.slice(at)}`
}
