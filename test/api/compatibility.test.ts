import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readServedDocuments } from '../../tools/docs/api-document.ts'
import { isOnPath } from '../packages/podman.ts'

const run = promisify(execFile)
const RELEASED = resolve(import.meta.dirname, '../../docs/api')

interface Released {
  paths: Record<string, { get?: { parameters?: { $ref?: string }[] } }>
  components: { schemas: Record<string, { properties: Record<string, unknown> }> }
}

const isSkipped = !isOnPath('oasdiff') && process.env.CI !== 'true'
if (isSkipped) process.stderr.write('SKIPPED: the API is not compared with that of the last release: no oasdiff\n')

/** What oasdiff calls an error; and what goes without having been required, which it only warns of or notes. */
const BREAKING = /^error|\[(request-parameter-removed|request-property-removed|response-optional-property-removed)\]/m

/** What was lifted on purpose since the last release; a release empties this list. */
const LIFTED = ['/components/schemas/UpdateSourceKeysRequest/properties/keys/minProperties']
/** Words and samples, which may change from release to release, but not vanish. */
const TEXTS = new Set(['description', 'summary', 'title', 'example', 'examples', 'version'])

/** Changes from one document to another, as oasdiff words them; none where the major version is another. */
async function listChanges(before: string, after: string): Promise<string> {
  const majorOf = (file: string) => String(JSON.parse(readFileSync(file, 'utf8')).info.version).split('.')[0]
  if (majorOf(before) !== majorOf(after)) return ''
  return (await run('oasdiff', ['changelog', before, after])).stdout
}

/** Of one operation only. */
function removePageNumber({ paths }: Released): void {
  const isPageNumber = ({ $ref = '' }) => $ref.endsWith('/PageNumber')
  const list = Object.values(paths).find(({ get }) => get?.parameters?.some(isPageNumber))?.get
  if (list) list.parameters = list.parameters?.filter((parameter) => !isPageNumber(parameter)) ?? []
}

/** JSON pointers to what `before` says and `after` does not; additions are none of them. */
function lostBetween(before: unknown, after: unknown, path = ''): string[] {
  if (TEXTS.has(path.split('/').at(-1) ?? '') && !path.endsWith('/properties/description')) return isSaid(after) ? [] : [path]
  if (Array.isArray(before)) {
    if (!Array.isArray(after)) return [path]
    const kept = after.map((each) => JSON.stringify(each))
    return before.every((each) => typeof each !== 'object')
      ? before.filter((each) => !kept.includes(JSON.stringify(each))).map((each) => `${path}/${String(each)}`)
      : before.flatMap((each, index) => lostBetween(each, likeIn(after, each) ?? after[index], `${path}/${index}`))
  }
  if (typeof before !== 'object' || before === null) return before === after ? [] : [path]
  if (typeof after !== 'object' || after === null) return [path]
  const found = new Map(Object.entries(after))
  return Object.entries(before).flatMap(([name, value]) => lostBetween(value, found.get(name), `${path}/${name}`))
}

/** The tag or parameter of the same name: new ones may stand before it. */
function likeIn(list: readonly unknown[], wanted: { name?: string; in?: string } | null): unknown {
  const named = list.filter((each) => typeof each === 'object' && each !== null && 'name' in each)
  return named.find((each) => each.name === wanted?.name && ('in' in each ? each.in : undefined) === wanted?.in)
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined
}

/** Pointers to descriptions, summaries and names that are empty. */
function emptyIn(value: unknown, path = ''): string[] {
  if (value === '') return path.includes('/example') || path.endsWith('/default') ? [] : [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => emptyIn(each, `${path}/${name}`))
}

let served: Record<string, string>
beforeAll(async () => {
  served = await readServedDocuments()
})

describe.each(['openapi', 'administration'])('what the document %s says', (name) => {
  it('is all that the last release’s said: shapes, words, limits, operations, and some text where one was', () => {
    const released = JSON.parse(readFileSync(join(RELEASED, `${name}.json`), 'utf8'))
    const lost = lostBetween(released, JSON.parse(served[name] ?? ''))
    expect(lost.filter((path) => !LIFTED.includes(path))).toEqual([])
  })

  it('has no text that is empty', () => {
    expect(emptyIn(JSON.parse(served[name] ?? ''))).toEqual([])
  })
})

describe.skipIf(isSkipped).each(['openapi', 'administration'])('the document %s', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'))
  const present = join(folder, 'present.json')
  const released = join(RELEASED, `${name}.json`)
  const readReleased = () => JSON.parse(readFileSync(released, 'utf8'))
  beforeAll(() => writeFileSync(present, served[name] ?? ''))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('breaks nothing that the last release promised, or has a new major version', async () => {
    expect(await listChanges(released, present)).not.toMatch(BREAKING)
  })

  it('would be caught without a field, and may go without it in a new major version', async () => {
    const document = readReleased()
    const schema = document.components.schemas[name === 'openapi' ? 'Company' : 'User']
    delete schema.properties.id
    schema.required = schema.required.filter((field: string) => field !== 'id')
    const changed = join(folder, 'changed.json')
    writeFileSync(changed, JSON.stringify(document))
    expect(await listChanges(released, changed)).toMatch(/^error.*response-required-property-removed/m)
    writeFileSync(changed, JSON.stringify({ ...document, info: { ...document.info, version: '2.0.0' } }))
    expect(await listChanges(released, changed)).toBe('')
  })

  const [input, property] = name === 'openapi' ? ['CompanyInput', 'country'] : ['NewUser', 'language']
  it.each([
    ['query parameter', 'request-parameter-removed', removePageNumber],
    ['request property', 'request-property-removed', ({ components }: Released) => delete components.schemas[input]?.properties[property]],
    [
      'optional response property',
      'response-optional-property-removed',
      ({ components }: Released) => delete components.schemas.ProblemDetails?.properties.reason,
    ],
  ])('would be caught without a %s', async (_what, change, remove) => {
    const document = readReleased()
    remove(document)
    const changed = join(folder, 'without.json')
    writeFileSync(changed, JSON.stringify(document))
    const changes = await listChanges(released, changed)
    expect(changes).toContain(`[${change}]`)
    expect(changes).toMatch(BREAKING)
  })
})
