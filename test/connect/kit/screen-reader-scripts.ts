import { readFile } from 'node:fs/promises'

/** The screen-reader scripts of the owner's pages, as they are checked in. */
export const SCREEN_READER_SCRIPTS = new URL('../../../docs/accessibility.md', import.meta.url)

/** By page and language. */
export type Scripts = Record<string, Record<string, string[]>>

/** Everything up to the first script, which is written by hand. */
export const SCRIPTS_BEGIN = '## Scripts\n'

/** One section a page, one block a language. */
export function writeScripts(scripts: Scripts): string {
  return Object.entries(scripts)
    .map(([name, byLocale]) => {
      const blocks = Object.entries(byLocale).map(([locale, lines]) => `\`\`\`text ${locale}\n${lines.join('\n')}\n\`\`\`\n`)
      return `\n### ${name}\n\n${blocks.join('\n')}`
    })
    .join('')
}

export async function readScripts(): Promise<Scripts> {
  const text = (await readFile(SCREEN_READER_SCRIPTS, 'utf8')).split(SCRIPTS_BEGIN)[1] ?? ''
  const scripts: Scripts = {}
  for (const section of text.split(/^### /m).slice(1)) {
    const [name = ''] = section.split('\n', 1)
    const blocks = [...section.matchAll(/^```text (\S+)\n(.*?)\n```$/gms)]
    scripts[name] = Object.fromEntries(blocks.map(([, locale = '', lines = '']) => [locale, lines.split('\n')]))
  }
  return scripts
}
