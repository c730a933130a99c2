import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { listGuideBlocks } from './guide-blocks.ts'

const TESTS = resolve(import.meta.dirname, '..')
const USE = /\bguideBlock\(\s*'([\w-]+\.md)',\s*'((?:[^'\\]|\\.)*)'/g

/** Blocks that no test can run, by a text in them, with the reason. */
const NOT_RUN: readonly { guide: string; part: string; why: string }[] = [
  {
    guide: 'citus.md',
    part: 'citus_set_coordinator_host',
    why: 'names machines; test/distribution/cluster-database.ts does the same on loopback',
  },
  { guide: 'citus.md', part: './autogen.sh', why: 'builds Citus from its source, which no machine of CI has' },
  { guide: 'tls.md', part: 'certbot certonly', why: 'asks a public certificate authority about a public name' },
]

const uses = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('guides/coverage'))
  .flatMap((name) => [...readFileSync(join(TESTS, name), 'utf8').matchAll(USE)])
  .map(([, guide = '', part = '']) => ({ guide, part: part.replaceAll(/\\(.)/g, '$1') }))
const blocks = listGuideBlocks()
const isOf = (block: (typeof blocks)[number]) => (use: { guide: string; part: string }) =>
  use.guide === block.guide && block.text.includes(use.part)
const show = ({ guide, text }: (typeof blocks)[number]) => `${guide}: ${text.split('\n')[0]}`

it('every block of every guide is used by a test, or says why not', () => {
  expect(blocks.length).toBeGreaterThan(60)
  expect(blocks.filter((block) => ![...uses, ...NOT_RUN].some(isOf(block))).map(show)).toEqual([])
})

it('no block that a test uses is on the list of those that cannot be run, which names existing ones', () => {
  for (const entry of NOT_RUN) {
    const named = blocks.filter((block) => isOf(block)(entry))
    expect([entry.part, named.length]).toEqual([entry.part, 1])
    expect(named.filter((block) => uses.some(isOf(block))).map(show)).toEqual([])
  }
})

it('every use is of exactly one block', () => {
  const matched = uses.map((use) => ({ ...use, blocks: blocks.filter((block) => isOf(block)(use)).length }))
  expect(matched.filter(({ blocks: count }) => count !== 1)).toEqual([])
})
