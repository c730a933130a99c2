import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handleError } from '../../src/api/errors/problem.ts'
import { portalRoutes } from '../../src/api/routes/portal.ts'
import { buildPortal, openPortalFiles, portalFolder } from '../../src/process/built/portal-files.ts'
import { until } from '../process/deadline.ts'

const MAX_FIRST_BYTES = 200_000
const LIBRARY_STYLES = createRequire(import.meta.url).resolve('@mantine/core/styles.css')

describe('the files of the portal', () => {
  let folder: string
  let app: FastifyInstance
  let index: string

  beforeAll(async () => {
    folder = await buildPortal()
    app = Fastify()
    app.setErrorHandler(handleError)
    await app.register(portalRoutes(() => folder))
    index = (await app.inject({ url: '/portal/companies' })).body
  })
  afterAll(() => app.close())

  /**
   * Files that the browser loads before anything shows: those named by the page, and the companies page with all its
   * imports.
   */
  function listFirst(): string[] {
    const named = [...index.matchAll(/\/portal\/assets\/([^"]+\.(?:js|css))/g)].map(([, name]) => name ?? '')
    const files = readdirSync(join(folder, 'assets'))
    const found = new Set(named)
    for (const name of [...named, ...files.filter((file) => /^companies-.*\.js$/.test(file))]) collect(name, found)
    return [...found]
  }

  function collect(name: string, found: Set<string>): void {
    found.add(name)
    if (!name.endsWith('.js')) return
    const text = readFileSync(join(folder, 'assets', name), 'utf8')
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) if (!found.has(imported)) collect(imported, found)
  }

  it('need less than 200 kB to show the first page', () => {
    const sizes = listFirst().map((name) => readFileSync(join(folder, 'assets', `${name}.gz`)).length)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    expect(sizes.length).toBeGreaterThan(5)
    expect(bytes).toBeLessThan(MAX_FIRST_BYTES)
  })

  it('have the styles of every library component that a page shows', () => {
    const texts = (ending: string) =>
      readdirSync(join(folder, 'assets'))
        .filter((name) => name.endsWith(ending))
        .map((name) => readFileSync(join(folder, 'assets', name), 'utf8'))
        .join('\n')
    const [scripts, styles, library] = [texts('.js'), texts('.css'), readFileSync(LIBRARY_STYLES, 'utf8')].map(
      (text) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g)),
    )
    const shown = [...(scripts ?? [])].filter((name) => library?.has(name))
    expect(shown.length).toBeGreaterThan(100)
    expect(shown.filter((name) => !styles?.has(name))).toEqual([])
  })

  it('are cached permanently by their hashed names, and the page that names them never', async () => {
    const [script = ''] = /\/portal\/assets\/index-[^"]+\.js/.exec(index) ?? []
    const asset = await app.inject({ url: script, headers: { 'accept-encoding': 'gzip' } })
    expect(asset.headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable', 'content-encoding': 'gzip' })
    expect((await app.inject({ url: '/portal/' })).headers).toMatchObject({ 'cache-control': 'no-store' })
  })

  it('come with a policy that allows nothing from other origins', async () => {
    const policy = String((await app.inject({ url: '/portal/' })).headers['content-security-policy'])
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("style-src 'self';")
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe/)
    expect(index).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/)
  })

  it.each(['..%2f..%2fpackage.json', 'index.html', '%2e%2e%2findex.html', 'index-00000000.js'])('do not include %s', async (name) => {
    expect((await app.inject({ url: `/portal/assets/${name}` })).statusCode).toBe(404)
  })

  it('are built once for the same sources', async () => {
    expect(portalFolder()).toBe(folder)
    const before = readdirSync(join(folder, '..'))
    await buildPortal()
    expect(readdirSync(join(folder, '..'))).toEqual(before)
    expect(basename(folder)).toMatch(/^[0-9a-f]{20}$/)
    expect(existsSync(join(folder, 'index.html'))).toBe(true)
  })
})

it('until the portal is built, a page says so and reloads by itself', async () => {
  let folder: string | null = null
  const app = Fastify()
  await app.register(portalRoutes(() => folder))
  const waiting = await app.inject({ url: '/portal/companies' })
  folder = await buildPortal()
  const ready = await app.inject({ url: '/portal/companies' })
  await app.close()
  expect([waiting.statusCode, waiting.headers.refresh]).toEqual([503, '2'])
  expect(waiting.body).toContain('The portal is being prepared')
  expect(ready.statusCode).toBe(200)
})

it('a start builds missing files without waiting for them, and serves them when they are ready', async () => {
  const home = await mkdtemp(join(tmpdir(), 'countinghouse-portal-'))
  const folder = join(home, 'built')
  const log = { info: () => undefined, error: (fields: object) => expect(fields).toBeNull() }
  const files = openPortalFiles(log, folder)
  const atOnce = files.folder()
  await until('the build', files.folder, 60_000)
  await files.close()
  expect(atOnce).toBeNull()
  expect([files.folder(), existsSync(join(folder, 'index.html'))]).toEqual([folder, true])
  await rm(home, { recursive: true })
})
