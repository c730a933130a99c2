import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const DOCS = resolve(import.meta.dirname, '..', '..', 'docs')
/** Guides for operators, and those for developers. */
type Folder = 'guides' | 'developers'

interface GuideBlock {
  guide: string
  /** What stands behind the opening fence; may be empty. */
  language: string
  /** Text between its fences, without the indentation of a list. */
  text: string
}

/** The guides of a folder, by file name. */
export function listGuides(folder: Folder = 'guides'): string[] {
  return readdirSync(join(DOCS, folder))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
}

export function readGuide(guide: string, folder: Folder = 'guides'): string {
  return readFileSync(join(DOCS, folder, guide), 'utf8')
}

/** All code blocks of all guides for operators, whatever their language. */
export function listGuideBlocks(): GuideBlock[] {
  return listGuides().flatMap((guide) => blocksOf(guide))
}

/** Code blocks of a guide in their order. */
export function blocksOf(guide: string, folder: Folder = 'guides'): GuideBlock[] {
  return [...readGuide(guide, folder).matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indentation = '', language = '', block = '']) => ({
      guide,
      language,
      text: block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
    }),
  )
}

/**
 * The one block of a guide that contains `part`, as an operator copies it; throws if there are none or several. Both
 * arguments are written as literals: `coverage.test.ts` finds by them which blocks tests use.
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
