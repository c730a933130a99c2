import { readFile } from 'node:fs/promises'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { STATEMENT } from './walks.ts'

/** Connects a company of the simulated QuickBooks without a browser; returns the last page. */
export async function connectQuickbooks(
  origin: string,
  link: string,
  at: { realmId: string; login?: string },
  owner = new Owner(origin),
): Promise<LoadedPage> {
  const leaving = await owner.submit(await owner.agree(link))
  const consent = new URL(leaving.forwardsTo())
  if (at.login !== undefined) consent.searchParams.set('login', at.login)
  const back = await post(consent.href, { realmId: at.realmId, decision: 'connect' })
  return await owner.get(back)
}

/** Completes the simulated Plaid with the first bank found; returns the owner and the callback address. */
export async function finishAtPlaid(origin: string, link: string, search: string): Promise<{ owner: Owner; back: string }> {
  const owner = new Owner(origin)
  await owner.agree(link)
  const banks = await owner.get(`/connect/institutions?search=${encodeURIComponent(search)}`)
  const bank = /<ul class="banks">.*?href="([^"]*)"/s.exec(banks.markup)?.[1]
  if (bank === undefined) throw new Error(`unknown bank ${search}`)
  const leaving = await owner.submit(await owner.get(bank.replaceAll('&amp;', '&')))
  const hosted = leaving.forwardsTo()
  await (await fetch(hosted)).text()
  await post(`${hosted}/login`, { username: 'user_good', password: 'pass_good' })
  const accounts = await (await fetch(hosted)).text()
  const roles = [...accounts.matchAll(/name="account" value="([^"]*)"/g)].map(([, role = '']): [string, string] => ['account', role])
  await post(`${hosted}/accounts`, roles)
  return { owner, back: await post(`${hosted}/finish`, {}) }
}

export async function uploadStatement(
  origin: string,
  link: string,
  change: (text: string) => string = (text) => text,
): Promise<LoadedPage> {
  const owner = new Owner(origin)
  const text = await readFile(STATEMENT, 'utf8')
  return await owner.upload(await owner.agree(link), [{ name: 'statement.ofx', bytes: change(text) }])
}

/** Submits a form of a source and returns the address it redirects to. */
async function post(address: string, form: Record<string, string> | [string, string][]): Promise<string> {
  const response = await fetch(address, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`${new URL(address).pathname} answered ${response.status} without a redirect`)
  return new URL(location, address).href
}
