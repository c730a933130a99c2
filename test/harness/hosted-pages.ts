/** Result in the owner's browser: a page of the source, or the address it was redirected to outside the source. */
export interface PageResponse {
  html: string
  status: number
  leftFor: string | null
}

export type Fields = [name: string, value: string][]

/** Opens a page and follows redirects within the source. */
export async function openPage(url: string): Promise<PageResponse> {
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  const html = await response.text()
  return location === null ? { html, status: response.status, leftFor: null } : await follow(url, location, response.status)
}

/** Posts the form of the page `html` whose action ends in `name`, and follows redirects within the source. */
export async function submitPage(html: string, name: string, values: Fields): Promise<PageResponse> {
  const action = new RegExp(`<form method="post" action="([^"]+/${name})"`).exec(html)?.[1]
  if (action === undefined) throw new Error(`the page has no form "${name}"`)
  const response = await fetch(action, { method: 'POST', body: new URLSearchParams(values), redirect: 'manual' })
  const location = response.headers.get('location')
  await response.arrayBuffer()
  if (location === null) throw new Error(`form "${name}" answered ${response.status}`)
  return await follow(action, location, response.status)
}

export function loginFields(username: string, password: string): Fields {
  return [
    ['username', username],
    ['password', password],
  ]
}

/** Form fields that select all accounts of a page. */
export function everyAccount(html: string): Fields {
  return [...html.matchAll(/name="account" value="([^"]+)"/g)].map((match) => ['account', match[1] ?? ''])
}

/** Query parameters of a callback address. */
export function queryOf(leftFor: string | null): Record<string, string> {
  return leftFor === null ? {} : Object.fromEntries(new URL(leftFor).searchParams)
}

async function follow(from: string, location: string, status: number): Promise<PageResponse> {
  return location.startsWith(new URL(from).origin) ? await openPage(location) : { html: '', status, leftFor: location }
}
