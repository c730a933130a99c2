/**
 * Replacement for Stripe.js: the part that links accounts. Source: https://docs.stripe.com/js/financial_connections
 */
export function windowScript(baseUrl: string): string {
  return `(() => {
  const base = ${JSON.stringify(baseUrl)}
  const { origin } = new URL(base)
  globalThis.Stripe = (publishableKey, { locale = 'en' } = {}) => ({
    collectFinancialConnectionsAccounts({ clientSecret }) {
      return new Promise((resolve) => {
        const query = new URLSearchParams({ key: publishableKey, client_secret: clientSecret, locale, opener: location.origin })
        const frame = document.createElement('iframe')
        frame.title = 'Stripe'
        frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0; z-index: 1000; background: #fff'
        addEventListener('message', (event) => {
          if (event.origin !== origin || event.source !== frame.contentWindow) return
          frame.remove()
          resolve(event.data)
        })
        frame.src = base + '/window?' + query
        document.body.append(frame)
      })
    },
  })
})()
`
}
