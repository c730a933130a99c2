import type { LoadedPage, Owner } from './owner.ts'

/** Presses a button at the simulated Intuit, to which a page redirects; returns the address of the browser's return. */
export async function decideAtIntuit(leaving: LoadedPage, realmId: string, decision: 'connect' | 'cancel' = 'connect'): Promise<string> {
  const body = new URLSearchParams({ realmId, decision })
  const response = await fetch(leaving.forwardsTo(), { method: 'POST', body, redirect: 'manual' })
  return response.headers.get('location') ?? ''
}

/** Connects a company of the simulated QuickBooks by a link; returns the last page. */
export async function connectQuickbooks(owner: Owner, link: string, realmId: string): Promise<LoadedPage> {
  return await owner.get(await decideAtIntuit(await owner.submit(await owner.agree(link)), realmId))
}
