import type { Hide } from './groups.ts'

/** Redacts every string of a secret in logs from now on: an error of the other side could quote any of them. */
export function hideAll(hide: Hide, secret: unknown): void {
  if (typeof secret === 'string') hide(secret)
  else if (typeof secret === 'object' && secret !== null) for (const part of Object.values(secret)) hideAll(hide, part)
}
