import { readFile } from 'node:fs/promises'

/** The checked-in screen-reader scripts of the owner's pages. */
export const SCREEN_READER_SCRIPTS = new URL('../../../docs/accessibility.md', import.meta.url)

/** Scripts by page and language. */
export type Scripts = Record<string, Record<string, string[]>>

/** Marks the end of the handwritten part. */
export const SCRIPTS_BEGIN = '## Scripts\n'

/** One section per page, one block per language. */
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
