import { blocksOf, readGuide } from '../guides/guide-blocks.ts'

export const LANGUAGES = ['sh', 'ts', 'python'] as const
export type Language = (typeof LANGUAGES)[number]

/** Code blocks of a guide for developers in one language, in their order: together they are one program. */
export function listBlocks(guide: string, language: string): string[] {
  return blocksOf(guide, 'developers').flatMap((block) => (block.language === language ? [block.text] : []))
}

/** First cells of the rows of the table whose head begins with this cell, without backticks. */
export function listFirstCells(guide: string, head: string): string[] {
  const [, rows = ''] = new RegExp(`^\\| ${head} \\|.*\\n\\| ---.*\\n((?:\\|.*\\n)*)`, 'm').exec(readGuide(guide, 'developers')) ?? []
  return [...rows.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell.replaceAll('`', '').trim())
}

/** A guide's shell blocks as one script, which says at which block it broke. */
export function toScript(guide: string): string {
  const blocks = listBlocks(guide, 'sh').map((block, at) => `BLOCK=${at + 1}\n${block}`)
  return `set -euo pipefail\ntrap 'echo "${guide}: block $BLOCK broke" >&2' ERR\n${blocks.join('\n')}`
}
