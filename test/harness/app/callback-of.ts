/** Source whose own redirect address this is; null for the address that sources share. */
export function callbackOf(address: string): string | null {
  return /\/connect\/callback\/([^/?#]+)/.exec(address)?.[1] ?? null
}
