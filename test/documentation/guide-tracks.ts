import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const GUIDES = resolve(import.meta.dirname, '..', '..', 'docs', 'developers')

export const LANGUAGES = ['sh', 'ts', 'python'] as const
export type Language = (typeof LANGUAGES)[number]

/** Guides for developers, by file name. */
export function listGuides(): string[] {
  return readdirSync(GUIDES)
    .filter((name) => name.endsWith('.md'))
    .sort()
}

export function readGuide(guide: string): string {
  return readFileSync(join(GUIDES, guide), 'utf8')
}

/** Code blocks of a guide in one language, in their order: together they are one program. */
export function listBlocks(guide: string, language: string): string[] {
  return [...readGuide(guide).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block)
}

/** First cells of the rows of the table whose head begins with this cell, without backticks. */
export function listFirstCells(guide: string, head: string): string[] {
  const [, rows = ''] = new RegExp(`^\\| ${head} \\|.*\\n\\| ---.*\\n((?:\\|.*\\n)*)`, 'm').exec(readGuide(guide)) ?? []
  return [...rows.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell.replaceAll('`', '').trim())
}

/** A guide's shell blocks as one script, which says at which block it broke. */
export function toScript(guide: string): string {
  const blocks = listBlocks(guide, 'sh').map((block, at) => `BLOCK=${at + 1}\n${block}`)
  return `set -euo pipefail\ntrap 'echo "${guide}: block $BLOCK broke" >&2' ERR\n${blocks.join('\n')}`
}
