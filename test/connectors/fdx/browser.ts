import { type Dispatcher, fetch, type RequestInit } from 'undici'

/** The owner's browser, as far as these pages need one: keeps cookies and follows redirects within the bank. */
export interface Browser {
  open(url: string): Promise<PageResponse>
  /** Submits the page's form whose action ends in `name`. */
  submit(page: PageResponse, name: string, values: readonly (readonly [string, string])[]): Promise<PageResponse>
}

/** A page, or the address that the browser was redirected to outside the bank. */
export interface PageResponse {
  html: string
  status: number
  leftFor: string | null
}

const MAX_REDIRECTS = 10

export function openBrowser(bank: string, dispatcher?: Dispatcher): Browser {
  const cookies = new Map<string, string>()

  async function go(url: string, init: RequestInit): Promise<PageResponse> {
    let [next, request] = [url, init]
    for (let count = 0; count < MAX_REDIRECTS; count++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(next, {
        ...request,
        redirect: 'manual',
        ...(dispatcher ? { dispatcher } : {}),
        headers: { ...(cookie === '' ? {} : { cookie }) },
      })
      for (const text of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      const location = response.headers.get('location')
      const html = await response.text()
      if (location === null) return { html, status: response.status, leftFor: null }
      const target = new URL(location, next)
      if (target.origin !== new URL(bank).origin) return { html: '', status: response.status, leftFor: target.href }
      next = target.href
      request = {}
    }
    throw new Error('the bank redirects endlessly')
  }

  return {
    open: (url) => go(url, {}),
    submit: (page, name, values) => {
      const action = new RegExp(`<form method="post" action="([^"]+/${name})"`).exec(page.html)?.[1]
      if (action === undefined) throw new Error(`the page has no form "${name}": ${page.status} ${page.leftFor} ${page.html.slice(-300)}`)
      return go(action, { method: 'POST', body: new URLSearchParams(values.map(([key, value]) => [key, value])) })
    },
  }
}

export function everyAccount(page: PageResponse): [string, string][] {
  return [...page.html.matchAll(/name="account" value="([\w-]+)"/g)].map((match) => ['account', match[1] ?? ''])
}
