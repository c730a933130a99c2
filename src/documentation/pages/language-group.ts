import { toHtml } from './html.ts'

/** The same code in several languages, one of which is open at a time, without a script. `name` is unique on the page. */
export function languageGroup(name: string, parts: readonly { name: string; block: string }[]): string {
  const details = parts.map(
    ({ name: language, block }, at) =>
      `<details name="${toHtml(name)}"${at === 0 ? ' open' : ''}><summary>${toHtml(language)}</summary>${block}</details>`,
  )
  return `<div class="samples">${details.join('')}</div>`
}
