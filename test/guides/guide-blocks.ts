import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const GUIDES = resolve(import.meta.dirname, '..', '..', 'docs', 'guides')

export interface GuideBlock {
  guide: string
  /** Text between its fences, without the indentation of a list. */
  text: string
}

/** The guides, by file name. */
export function listGuides(): string[] {
  return readdirSync(GUIDES)
    .filter((name) => name.endsWith('.md'))
    .toSorted()
}

export function readGuide(guide: string): string {
  return readFileSync(join(GUIDES, guide), 'utf8')
}

/** All code blocks of all guides, whatever their language. */
export function listGuideBlocks(): GuideBlock[] {
  return listGuides().flatMap(blocksOf)
}

/**
 * The one block of a guide that contains `part`, as an operator copies it; throws if there are none or several. Both
 * arguments are written as literals: `walk.test.ts` finds by them which blocks tests use.
 */
export function guideBlock(guide: string, part: string): string {
  const [block, ...more] = blocksOf(guide).filter(({ text }) => text.includes(part))
  if (block === undefined || more.length > 0) throw new Error(`${guide} has ${block === undefined ? 'no' : 'several'} blocks with ${part}`)
  return block.text
}

/** Settings that a block of `NAME=value` lines makes, as a shell reads them. */
export function settingsOf(block: string): Record<string, string> {
  const lines = [...block.matchAll(/^([A-Z_]+)=(?:'([^']*)'|(\S*))(?:\s+#.*)?$/gm)]
  return Object.fromEntries(lines.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']))
}

function blocksOf(guide: string): GuideBlock[] {
  return [...readGuide(guide).matchAll(/^( *)```.*\n([\s\S]*?)^\1```$/gm)].map(([, indentation = '', block = '']) => ({
    guide,
    text: block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  }))
}
