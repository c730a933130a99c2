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

describe.skipIf(isSkipped).each(['openapi', 'administration'])('the document %s', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'))
  const present = join(folder, 'present.json')
  const released = join(RELEASED, `${name}.json`)
  const readReleased = () => JSON.parse(readFileSync(released, 'utf8'))
  beforeAll(async () => writeFileSync(present, (await readServedDocuments())[name] ?? ''))
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
