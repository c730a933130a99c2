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

const isSkipped = !isOnPath('oasdiff') && process.env.CI !== 'true'
if (isSkipped) process.stderr.write('SKIPPED: the API is not compared with that of the last release: no oasdiff\n')

/** Breaking changes from one document to another, as oasdiff words them; none where the major version is another. */
async function breakingChanges(before: string, after: string): Promise<string> {
  const majorOf = (file: string) => String(JSON.parse(readFileSync(file, 'utf8')).info.version).split('.')[0]
  if (majorOf(before) !== majorOf(after)) return ''
  return (await run('oasdiff', ['breaking', before, after])).stdout
}

describe.skipIf(isSkipped).each(['openapi', 'administration'])('the document %s', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'))
  const present = join(folder, 'present.json')
  const released = join(RELEASED, `${name}.json`)
  beforeAll(async () => writeFileSync(present, (await readServedDocuments())[name] ?? ''))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('breaks nothing that the last release promised, or has a new major version', async () => {
    expect(await breakingChanges(released, present)).not.toMatch(/^error/m)
  })

  it('would be caught without a field, and may go without it in a new major version', async () => {
    const document = JSON.parse(readFileSync(released, 'utf8'))
    const schema = document.components.schemas[name === 'openapi' ? 'Company' : 'User']
    delete schema.properties.id
    schema.required = schema.required.filter((field: string) => field !== 'id')
    const changed = join(folder, 'changed.json')
    writeFileSync(changed, JSON.stringify(document))
    expect(await breakingChanges(released, changed)).toContain('response-required-property-removed')
    writeFileSync(changed, JSON.stringify({ ...document, info: { ...document.info, version: '2.0.0' } }))
    expect(await breakingChanges(released, changed)).toBe('')
  })
})
