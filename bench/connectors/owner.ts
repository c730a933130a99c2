import type { FormAuthorization } from '../../src/connectors/contract/authorization.ts'
import { GIANT_SOURCES } from './sources.ts'

/**
 * Acts as the giant's owner on a simulator's consent page: signs in, takes the first choice, agrees. Returns the
 * address the browser is redirected to.
 */
export async function agree(startUrl: string): Promise<URL> {
  const address = `${startUrl}&login=load`
  const page = await (await fetch(address)).text()
  const form = new URLSearchParams()
  for (const input of page.match(/<input\b[^>]*>/g) ?? []) {
    const [name, value] = [attribute(input, 'name'), attribute(input, 'value')]
    const isChoice = attribute(input, 'type') === 'radio' || attribute(input, 'type') === 'hidden'
    if (name !== null && value !== null && isChoice && !form.has(name)) form.set(name, value)
  }
  const button = (page.match(/<button\b[^>]*>/g) ?? []).find((each) => attribute(each, 'name') !== null)
  if (button) form.set(attribute(button, 'name') ?? '', attribute(button, 'value') ?? '')
  const answer = await fetch(address, { method: 'POST', body: form, redirect: 'manual' })
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`the consent page answered ${answer.status} without a redirect`)
  return new URL(location)
}

/** Form values typed by the giant's owner. */
export function typed(key: string, address: string, { fields }: FormAuthorization): Record<string, string> {
  const values: Record<string, string> = { ...GIANT_SOURCES[key]?.giant?.form, address }
  return Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? '']))
}

function attribute(tag: string, name: string): string | null {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? null
}
