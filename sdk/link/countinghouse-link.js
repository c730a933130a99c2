/*! countinghouse-link 1.0.0 | Apache-2.0 */
const EVENTS = ['opened', 'agreed', 'left', 'failed', 'connected']
const ONCE = ['opened', 'agreed']
/** How long a frame that has loaded may stay silent: it was refused, or keeps no cookies. */
const SILENT_MS = 4_000
const TEXTS = {
  en: {
    title: 'Connect your accounts',
    text: 'This page could not be shown here.',
    open: 'Continue in a new window',
  },
  fr: {
    title: 'Connectez vos comptes',
    text: 'Cette page n’a pas pu être affichée ici.',
    open: 'Continuer dans une nouvelle fenêtre',
  },
}

/** Address of a link; null for what is none. */
function toAddress(text) {
  const url = URL.canParse(text) ? new URL(text) : null
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : null
}

/**
 * `<countinghouse-link href="…" language="en">`: shows a link’s consent, search and progress in a frame. Dispatches
 * `opened`, `agreed`, `left`, `failed` and `connected`, whose details come from the frame.
 */
class CountinghouseLink extends HTMLElement {
  static observedAttributes = ['href', 'language']
  #frame = null
  #address = null
  #told = new Set()
  #timer = 0
  #listening = null

  connectedCallback() {
    this.#listening = new AbortController()
    addEventListener('message', (message) => this.#hear(message), { signal: this.#listening.signal })
    this.#show()
  }

  disconnectedCallback() {
    this.#listening?.abort()
    clearTimeout(this.#timer)
  }

  attributeChangedCallback(_name, before, after) {
    if (this.#listening && this.isConnected && before !== after) this.#show()
  }

  get #texts() {
    const language = this.getAttribute('language') ?? this.closest('[lang]')?.lang ?? navigator.language
    return language.startsWith('fr') ? TEXTS.fr : TEXTS.en
  }

  #show() {
    clearTimeout(this.#timer)
    this.#told.clear()
    this.#address = toAddress(this.getAttribute('href') ?? '')
    const place = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    if (!this.#address) {
      place.replaceChildren()
      if (this.hasAttribute('href')) this.#tell('failed', { reason: 'address' })
      return
    }
    const language = this.getAttribute('language')
    const address = new URL(this.#address)
    if (language) address.searchParams.set('lang', language.startsWith('fr') ? 'fr-CA' : 'en')
    const frame = document.createElement('iframe')
    // The frame sends its messages to the origin of this page, and the owner back to this address.
    frame.name = `countinghouse-link ${location.href}`
    frame.title = this.#texts.title
    frame.referrerPolicy = 'no-referrer'
    Object.assign(this.style, { display: this.style.display || 'block' })
    Object.assign(frame.style, { display: 'block', border: '0', width: '100%', height: '640px', colorScheme: 'light dark' })
    frame.addEventListener('load', () => this.#wait())
    frame.src = address.href
    this.#frame = frame
    place.replaceChildren(frame)
  }

  #wait() {
    clearTimeout(this.#timer)
    if (!this.#told.has('opened')) this.#timer = setTimeout(() => this.#offerWindow(), SILENT_MS)
  }

  /** A frame that was refused looks like any other from here. */
  #offerWindow() {
    const [text, link] = [document.createElement('p'), document.createElement('a')]
    text.textContent = this.#texts.text
    Object.assign(link, { href: this.#address.href, target: '_blank', rel: 'noopener', textContent: this.#texts.open })
    Object.assign(text.style, { margin: '0', padding: '16px 16px 0' })
    Object.assign(link.style, { font: 'inherit', display: 'inline-block', padding: '12px 16px 16px' })
    this.#frame = null
    this.shadowRoot.replaceChildren(text, link)
    this.#tell('failed', { reason: 'blocked' })
  }

  #hear({ source, origin, data }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#address.origin) return
    if (data?.source !== 'countinghouse-link') return
    if (data.event === 'height' && data.detail > 0) this.#frame.style.height = `${Math.min(data.detail, 10_000)}px`
    if (!EVENTS.includes(data.event)) return
    clearTimeout(this.#timer)
    if (data.event !== 'opened' && !this.#told.has('opened')) this.#tell('opened', {})
    if (ONCE.includes(data.event) && this.#told.has(data.event)) return
    if (data.event === 'left') this.#told.delete('agreed')
    this.#tell(data.event, data.detail)
  }

  #tell(event, detail) {
    this.#told.add(event)
    this.dispatchEvent(new CustomEvent(event, { bubbles: true, composed: true, detail }))
  }
}

if (!customElements.get('countinghouse-link')) customElements.define('countinghouse-link', CountinghouseLink)

export { CountinghouseLink }
