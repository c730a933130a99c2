import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const GUIDES = resolve(import.meta.dirname, '..', '..', 'docs', 'guides')

/** Commands of a guide as an operator copies them, one text per block. */
export function readBlocks(guide: string): string[] {
  return [...readFileSync(join(GUIDES, guide), 'utf8').matchAll(/^```(?:\w*)\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block.trim())
}

/** The block of a guide that has this text; throws when there is not exactly one. */
export function findBlock(guide: string, text: string): string {
  const [block, ...more] = readBlocks(guide).filter((each) => each.includes(text))
  if (block === undefined || more.length > 0) throw new Error(`${guide} has ${block === undefined ? 'no' : 'several'} blocks with ${text}`)
  return block
}
