// Tells the service in which time zone this browser is, so that days and times of a page are those of whoever reads it. Read before the page
// is shown: where the page says days of another zone, it is asked for once more. NOTE `cookies.ts` reads the cookie under the same name.
const LIFE_S = 365 * 24 * 3600
const isInFrame = parent !== globalThis
const isSecure = location.protocol === 'https:'
const name = isSecure ? '__Host-zone' : 'zone'
const { zone, dated } = document.documentElement.dataset
const ours = Intl.DateTimeFormat().resolvedOptions().timeZone
const isKnown = () => document.cookie.split('; ').includes(`${name}=${ours}`)

if (ours && ours !== zone && !isKnown()) {
  // biome-ignore lint/suspicious/noDocumentCookie: the other way to write one answers later, when the page is shown.
  document.cookie = `${name}=${ours}; path=/; max-age=${LIFE_S}; ${isInFrame ? 'samesite=none; secure; partitioned' : `samesite=lax${isSecure ? '; secure' : ''}`}`
  // A browser that keeps no cookies would ask for ever.
  if (dated !== undefined && isKnown()) location.replace(location.pathname + location.search)
}
