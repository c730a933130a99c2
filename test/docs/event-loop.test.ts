import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { connectors, exampleConnectors } from '../../src/connectors/registry.ts'
import { LARGE_BYTES } from '../../src/sync/runs/read-items.ts'
import { SUBJECTS } from '../large-answers/subjects.ts'

const root = resolve(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')
const page = read('docs/event-loop.md')

const MEBIBYTE = 1024 * 1024
/** What a connector may be answered without saying so. */
const USUAL = 10

/** Largest answer that each connector accepts, in MiB, where it is more than usual. */
function listLargeAnswers(): Map<string, number> {
  const files = readdirSync(resolve(root, 'src/connectors'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const found = files.flatMap((file) => {
    const sizes = [...read(`src/connectors/${file}`).matchAll(/ = (\d+) \* 1024 \* 1024$/gm)].map(([, size]) => Number(size))
    const [connector = ''] = file.split('/')
    return sizes.map((size) => [connector, size] as const)
  })
  const largest = new Map<string, number>()
  for (const [connector, size] of found) largest.set(connector, Math.max(largest.get(connector) ?? USUAL, size))
  // Not connectors of answers: the files of owners are read by threads.
  return new Map([...largest].filter(([connector, size]) => size > USUAL && !['bank-files', 'toolkit', 'contract'].includes(connector)))
}

it('names every connector that may be answered with more than usual, and how much', () => {
  const rows = [...page.matchAll(/^\| ((?:`[a-z-]+`(?:, )?)+) \| (\d+) \|$/gm)]
  const told = rows.flatMap(([, names = '', size]) =>
    [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => [name, Number(size)] as const),
  )
  expect(new Map(told.sort())).toEqual(new Map([...listLargeAnswers()].sort()))
})

it('names no connector whose rows are looked at without a test that it takes slices', () => {
  const all = [...connectors, ...exampleConnectors]
  const folders = SUBJECTS.map(({ connector }) => all.find(({ key }) => key === connector)?.folder ?? connector)
  // They look at no row.
  const others = ['freshbooks', 'hledger', 'xero']
  expect([...new Set([...folders, ...others])].sort()).toEqual([...listLargeAnswers().keys()].sort())
})

it('names the bodies that a request may have, and nothing that is gone', () => {
  const paths = [...page.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path = '']) => path)
  expect(paths.filter((path) => !existsSync(resolve(root, path)))).toEqual([])
  const limits = paths
    .filter((path) => path.startsWith('src/api/'))
    .map((path) => [path, /MAX_(?:SCIM|BODY)_BYTES = ([\d_* ]+)/.exec(read(path))?.[1] ?? ''] as const)
  const bytes = (text: string) =>
    text
      .replaceAll('_', '')
      .split('*')
      .reduce((product, factor) => product * Number(factor), 1)
  expect(Object.fromEntries(limits.map(([path, text]) => [path, bytes(text) / MEBIBYTE]))).toEqual({
    'src/api/server.ts': 0.25,
    'src/api/scim/routes/scim-deps.ts': 1,
    'src/api/routes/webhooks/receiver-endpoint.ts': 1,
    'src/api/routes/sources/provider-webhooks.ts': 2,
  })
})

it('names the slices of an answer, and what is parsed at once', () => {
  const sizeOf = (path: string, name: string) => new RegExp(`const ${name} = (\\d+) \\* 1024$`, 'm').exec(read(path))?.[1]
  const [slices, answers] = ['json-in-slices', 'answers'].map((name) => `src/connectors/toolkit/http/${name}.ts`) as [string, string]
  expect(page).toContain(`slices of ${sizeOf(slices, 'SLICE_BYTES')} KiB (\`${slices}\`)`)
  expect(page).toContain(`up to ${sizeOf(answers, 'MOST_AT_ONCE_BYTES')} KiB at once (\`${answers}\`)`)
})

it('names what is looked at or received at once, and which pages are read in a thread', () => {
  const numberIn = (path: string, name: string) => Number(new RegExp(`const ${name} = (\\d+)`, 'm').exec(read(path))?.[1])
  expect(page).toContain(`${numberIn('src/model/steps/slices.ts', 'AT_ONCE')} at a time (\`src/model/steps/slices.ts\`)`)
  const thread = 'src/connectors/toolkit/uploads/file-thread.ts'
  expect(page).toContain(`${numberIn(thread, 'BATCH')} at a time (\`${thread}\`)`)
  expect(page).toContain(`${LARGE_BYTES / MEBIBYTE} MiB; larger pages are read in a thread (\`src/sync/runs/read-items.ts\`)`)
})

it('names the places that give way to other work, and those that work in a thread', () => {
  const files = readdirSync(resolve(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const yielding = files.filter((file) => /await setImmediate\(\)|new Worker\(/.test(read(`src/${file}`))).map((file) => `src/${file}`)
  expect(yielding.filter((path) => !page.includes(`\`${path}\``))).toEqual([])
})
