/** A browser without scripts: follows redirects to our pages, keeps cookies, submits forms as they are in the page. */
export class Owner {
  readonly cookies = new Map<string, { value: string; attributes: string }>()
  readonly #origin: string
  readonly #publicUrl: string
  #language: string

  constructor(origin: string, options: { language?: string; publicUrl?: string } = {}) {
    this.#origin = origin
    this.#publicUrl = options.publicUrl ?? origin
    this.#language = options.language ?? 'en-CA'
  }

  async get(address: string, headers: Record<string, string> = {}): Promise<LoadedPage> {
    return await this.#send(address, { headers })
  }

  /** Sends one request without following a redirect. */
  async ask(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, this.#publicUrl)
    const headers = new Headers(init.headers)
    headers.set('accept-language', this.#language)
    headers.set('cookie', [...this.cookies].map(([name, { value }]) => `${name}=${value}`).join('; '))
    const response = await fetch(new URL(`${url.pathname}${url.search}`, this.#origin), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
      this.cookies.set(name, { value, attributes })
    }
    return response
  }

  /** Opens a link and gives permission; returns the next page. */
  async agree(link: string): Promise<LoadedPage> {
    return await this.submit(await this.get(link), { choice: 'agree' })
  }

  /** Submits the page's form, with typed values over the existing ones. */
  async submit(page: LoadedPage, typed: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<LoadedPage> {
    const body = new URLSearchParams({ ...page.hiddenFields(), ...typed })
    return await this.#send(page.formAction(), {
      method: 'POST',
      body,
      headers: { origin: 'null', 'sec-fetch-site': 'same-origin', ...headers },
    })
  }

  async upload(page: LoadedPage, files: { name: string; bytes: Uint8Array | string }[]): Promise<LoadedPage> {
    const body = new FormData()
    for (const [name, value] of Object.entries(page.hiddenFields())) body.append(name, value)
    for (const { name, bytes } of files) body.append('files', new File([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)], name))
    return await this.#send(page.formAction(), { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } })
  }

  async #send(address: string, init: RequestInit): Promise<LoadedPage> {
    let response = await this.ask(address, init)
    let path = address
    for (let hops = 0; response.status === 303 && hops < 5; hops += 1) {
      path = response.headers.get('location') ?? ''
      if (URL.canParse(path) && new URL(path).origin !== new URL(this.#publicUrl).origin) break
      response = await this.ask(path)
    }
    return new LoadedPage(path, response, await response.text())
  }
}

/** A page as the owner sees it. */
export class LoadedPage {
  /** Path and query of the final response. */
  readonly address: string
  readonly response: Response
  readonly markup: string

  constructor(address: string, response: Response, markup: string) {
    this.address = address
    this.response = response
    this.markup = markup
  }

  get status(): number {
    return this.response.status
  }

  get title(): string {
    return plainText(/<h1[^>]*>([^<]*)<\/h1>/.exec(this.markup)?.[1] ?? '')
  }

  get language(): string {
    return /<html lang="([^"]*)"/.exec(this.markup)?.[1] ?? ''
  }

  /** Text of the page, without markup. */
  get text(): string {
    const body = this.markup.slice(this.markup.indexOf('<body'))
    return plainText(body.replace(/<[^>]*>/g, ' ')).replace(/[ \n]+/g, ' ')
  }

  hiddenFields(): Record<string, string> {
    const fields = [...this.markup.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, plainText(value)]))
  }

  formAction(): string {
    const action = /<form method="post" action="([^"]*)"/.exec(this.markup)?.[1]
    if (action === undefined) throw new Error(`the page "${this.title}" has no form`)
    return plainText(action)
  }

  /** Address of the first link whose text contains `text`. */
  linkTo(text: string): string {
    for (const [, address = '', words = ''] of this.markup.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)) {
      if (plainText(words.replace(/<[^>]*>/g, '')).includes(text)) return plainText(address)
    }
    throw new Error(`the page "${this.title}" has no link "${text}"`)
  }

  /** Address of the page's automatic redirect. */
  forwardsTo(): string {
    const address = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(this.markup)?.[1]
    if (address === undefined) throw new Error(`the page "${this.title}" does not redirect`)
    return plainText(address)
  }
}

function plainText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
