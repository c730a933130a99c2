import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { groupsOf } from '../../src/documentation/reference/groups.ts'
import { samplesOf } from '../../src/documentation/reference/samples.ts'
import { readReferencePages } from '../../tools/docs/api-document.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSite } from './harness.ts'

const root = resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const MOST_PAGE_BYTES = 600_000

describe('the reference', () => {
  const document = openForTests(readReferencePages)
  const app = openForTests(openSite)
  let pages: Map<string, string>
  beforeAll(async () => {
    const paths = ['/docs/reference', ...groupsOf(document).map(({ path }) => path)]
    pages = new Map(await Promise.all(paths.map(async (path) => [path, (await app.inject({ url: path })).body] as const)))
  })

  const operations = () => Object.values(document.paths).flatMap((item) => Object.values(item))

  it('describes every operation and every event on one page, and lists it on the first', () => {
    const first = pages.get('/docs/reference') ?? ''
    const all = [...operations(), ...Object.values(document.webhooks).map(({ post }) => post)]
    expect(all.length).toBeGreaterThan(150)
    const shown = (id: string) => [...pages.values()].filter((html) => html.includes(`<h2 id="${id}">`)).length
    expect(all.filter(({ operationId }) => shown(operationId) !== 1 || !first.includes(`#${operationId}"`))).toEqual([])
  })

  it('has a sample of each operation in curl, TypeScript and Python', () => {
    const html = [...pages.values()].join('')
    const count = (language: string) => html.match(new RegExp(`<summary>${language}</summary><pre tabindex="0"><code class=`, 'g'))?.length
    expect(['curl', 'TypeScript', 'Python'].map(count)).toEqual([1, 2, 3].map(() => operations().length))
  })

  it('has samples in TypeScript that compile against the SDK', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'samples-'))
    const calls = groupsOf(document).flatMap(({ calls, isEvents }) => (isEvents ? [] : calls))
    const samples = calls.map(
      (call) => samplesOf('https://data.example.com', call).find(({ language }) => language === 'TypeScript')?.code ?? '',
    )
    // One file with a function each, which compiles faster than files.
    const body = samples.map(
      (code, at) => `export async function sample${at}() {\n${code.split('\n').slice(1).join('\n')}\nreturn answer\n}`,
    )
    const sdk = join(root, 'sdk/typescript/src/index.ts')
    await writeFile(join(folder, 'samples.ts'), `import { Countinghouse } from '${sdk}'\n${body.join('\n')}\n`)
    const options = {
      noEmit: true,
      strict: true,
      target: 'es2024',
      module: 'nodenext',
      skipLibCheck: true,
      lib: ['es2024', 'dom', 'dom.iterable'],
    }
    const types = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')], allowImportingTsExtensions: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...options, ...types }, files: ['samples.ts'] }))
    const said = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
    await rm(folder, { recursive: true })
    expect(samples.length).toBe(operations().length)
    expect(said.slice(0, 4_000)).toBe('')
  })

  it('has samples in Python with the names of the SDK: what stands in the path, then the body, then names', () => {
    const calls = new Map(groupsOf(document).flatMap(({ calls: own }) => own.map((call) => [call.operation.operationId, call] as const)))
    const python = (id: string) => {
      const call = calls.get(id)
      return call && samplesOf('https://data.example.com', call).find(({ language }) => language === 'Python')?.code
    }
    expect(python('listCompanies')).toBe(
      'import os\nfrom countinghouse import Countinghouse\napi = Countinghouse("https://data.example.com", api_key=os.environ["COUNTINGHOUSE_API_KEY"])\nanswer = api.list_companies()',
    )
    expect(python('createSubscription')).toMatch(/api\.create_subscription\("\w+", \{"callbackUrl": "https:[^"]+"\}\)$/)
    expect(python('downloadAudit')).toMatch(/api\.download_audit\(.*format="\w+"\)$/)
  })

  it('has shell samples whose values are words of the shell', () => {
    const calls = groupsOf(document).flatMap(({ calls: own, isEvents }) => (isEvents ? [] : own))
    const curls = calls.map((call) => samplesOf("https://it's.example.com", call)[0]?.code ?? '')
    expect(curls.filter((code) => !/^curl( -X [A-Z]+)? 'https:\/\/it'\\''s\.example\.com\/[^']*'/.test(code))).toEqual([])
  })

  it('is there as Markdown, with the samples', async () => {
    const { body, headers } = await app.inject({ url: '/docs/reference/companies', headers: { accept: 'text/markdown' } })
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(body).toMatch(/^# Companies\n/)
    expect(body).toContain('```python\nimport os')
    expect((await app.inject({ url: '/docs/reference/companies.md' })).body).toBe(body)
    expect((await app.inject({ url: '/docs/reference.md' })).body).toContain('](/docs/reference/companies.md)')
  })

  it('shows texts of ours as text only, and runs scripts of its own only', () => {
    for (const [path, html] of pages) {
      expect(html.match(/<script[^>]*>/g), path).toEqual([
        expect.stringMatching(/^<script type="module" src="\/docs\/assets\/site-\w+\.js">$/),
        expect.stringMatching(/^<script type="module" src="\/docs\/assets\/reference-\w+\.js">$/),
      ])
      expect(html, path).not.toMatch(/<style|style="|\son\w+=|javascript:/)
      const texts = html.replace(/<!doctype html>|<\/?[a-z0-9]+( [a-z-]+(="[^"<>]*")?)*>/gs, '')
      expect(texts.match(/.{0,40}[<>].{0,40}/g) ?? [], path).toEqual([])
      expect(Buffer.byteLength(html), path).toBeLessThan(MOST_PAGE_BYTES)
    }
  })

  it('is rendered once', async () => {
    let read = 0
    const counted = await openSite(async () => {
      read += 1
      return await readReferencePages()
    })
    for (const url of ['/docs/reference', '/docs/reference/data', '/docs/reference/data.md']) await counted.inject({ url })
    expect((await counted.inject({ url: '/docs/reference/nothing' })).statusCode).toBe(404)
    await counted.close()
    expect(read).toBe(1)
  })
})
