/**
 * The address of a server as an owner typed or copied it: without the page at its end, without a trailing slash. Null for what is no
 * address, and for one that carries a user or a password.
 */
export function readAddress(typed: string, page: RegExp): string | null {
  const text = typed.trim()
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || url.username !== '' || url.password !== '') return null
  return `${url.origin}${url.pathname.replace(page, '')}`.replace(/\/+$/, '')
}
