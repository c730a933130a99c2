import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const GUIDES = resolve(import.meta.dirname, '..', '..', 'docs', 'guides')

/** Code blocks of a guide in one language; `sh` blocks can be run as written. */
export async function guideBlocks(guide: string, language: string): Promise<string[]> {
  const text = await readFile(join(GUIDES, guide), 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language).map(([, , block = '']) => block)
}
