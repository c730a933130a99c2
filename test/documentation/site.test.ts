import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'
import { documentationRoutes } from '../../src/documentation/routes.ts'
import { readReferencePages } from '../../tools/docs/api-document.ts'
import { listGuides } from '../guides/guide-blocks.ts'
import { openForTests } from '../harness/for-tests.ts'
import { BASE_URL, listLinks, listPages, openSite, requestAsIs } from './harness.ts'

const root = resolve(import.meta.dirname, '..', '..')

describe('the documentation', () => {
  const app = openForTests(openSite)
  let pages: Map<string, string>
  let address: string
  beforeAll(async () => {
    pages = await listPages(app)
    address = await app.listen({ host: '127.0.0.1', port: 0 })
  })

  it('has a page for each guide, for the overview, the changelog and each source', () => {
    const guides = readdirSync(join(root, 'docs/guides')).map((name) => `/docs/guides/${name.replace(/\.md$/, '')}`)
    const mappings = readdirSync(join(root, 'docs/mappings')).map((name) => `/docs/mappings/${name.replace(/\.md$/, '')}`)
    const developers = listGuides('developers').map((name) => `/docs/developers/${name.replace(/\.md$/, '')}`)
    const others = [
      '/docs/',
      '/docs/overview',
      '/docs/changelog',
      '/docs/sources',
      '/docs/source-keys',
      '/docs/sdk/typescript',
      '/docs/sdk/python',
    ]
    const wanted = [...others, ...developers, ...guides, ...mappings]
    expect(wanted.filter((path) => !pages.has(path))).toEqual([])
  })

  it('does not serve documents for developers of the product', async () => {
    const paths = ['/docs/decisions/README', '/docs/proofs', '/docs/architecture', '/docs/contributing', '/docs/proofs.md']
    expect(await Promise.all(paths.map(async (url) => (await app.inject({ url })).statusCode))).toEqual(paths.map(() => 404))
    expect([...pages.values()].filter((html) => html.includes('Work on the code'))).toEqual([])
  })

  it('leads with every link to a page or a file that exists, and to a section of it', async () => {
    const targets = new Set([...pages].flatMap(([path, html]) => listLinks(html).concat(anchors(path, html))))
    const broken: string[] = []
    for (const target of targets) {
      const [path = '', id] = target.split('#')
      const { statusCode, body } = await app.inject({ url: path })
      if (statusCode !== 200 || (id !== undefined && !body.includes(`id="${id}"`))) broken.push(target)
    }
    expect(targets.size).toBeGreaterThan(200)
    expect(broken).toEqual([])
  })

  it('has every page as Markdown too, by its address and by its type', async () => {
    const wrong: string[] = []
    for (const [path, html] of pages) {
      if (path === '/docs/search') continue
      const [, twin = ''] = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(html) ?? []
      const byPath = await app.inject({ url: twin })
      const byType = await app.inject({ url: path, headers: { accept: 'text/markdown' } })
      const isMarkdown = [byPath, byType].every(({ headers }) => headers['content-type'] === 'text/markdown; charset=utf-8')
      const { headers } = await app.inject({ url: path, headers: { accept: 'text/html,text/markdown;q=0.5,*/*;q=0.1' } })
      if (!isMarkdown || byPath.body !== byType.body || !byPath.body.includes('# ') || !/html/.test(String(headers['content-type'])))
        wrong.push(path)
    }
    expect(wrong).toEqual([])
  })

  it('leads in Markdown to Markdown, and to nothing that is not served', async () => {
    const { body } = await app.inject({ url: '/docs/index.md' })
    const targets = [...body.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
    expect(targets).toContain('/docs/guides/keys.md')
    expect(targets.filter((target) => !/^(https:|\/docs\/.*\.md(#|$))/.test(target))).toEqual([])
    const api = (await app.inject({ url: '/docs/guides/api-versions.md' })).body
    expect(api).toContain('The documents of the last release are in docs/api.')
  })

  it('lists every page for language models, with whole addresses', async () => {
    const { body, headers } = await app.inject({ url: '/llms.txt' })
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(body).toMatch(/^# Countinghouse\n\n> /)
    const listed = [...body.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, target = '']) => target)
    const markdown = listed.filter((target) => target.endsWith('.md'))
    for (const target of markdown) expect((await app.inject({ url: target.slice(BASE_URL.length) })).statusCode, target).toBe(200)
    expect(listed.filter((target) => !target.startsWith(`${BASE_URL}/`))).toEqual([])
    // All but the first page; of the reference, the page that lists the others.
    expect(markdown.length).toBe([...pages.keys()].filter((path) => !path.startsWith('/docs/reference/')).length - 1)
  })

  it('shows the outline of a long page, and no comments or marks of its source', () => {
    const page = pages.get('/docs/guides/production') ?? ''
    expect(page).toMatch(/<nav class="outline" aria-label="On this page">.*<a href="#/)
    expect(
      [...pages].filter(([, html]) => /<!--|\]\(\.\.?\/|style="|<script(?! type="module" src=)/.test(html)).map(([path]) => path),
    ).toEqual([])
  })

  it('is kept by readers for five minutes and then asked for by its version; assets for good', async () => {
    const url = '/docs/guides/keys'
    const first = await app.inject({ url })
    expect(first.headers).toMatchObject({ 'cache-control': 'public, max-age=300', vary: 'accept, accept-encoding' })
    const again = await app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    const [style = ''] = listLinks(first.body).filter((link) => link.endsWith('.css'))
    expect((await app.inject({ url: style })).headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  it('is sent compressed to whoever takes that, with the same bytes', async () => {
    const plain = await app.inject({ url: '/docs/changelog' })
    const small = await app.inject({ url: '/docs/changelog', headers: { 'accept-encoding': 'br, gzip' } })
    expect([plain.headers['content-encoding'], small.headers['content-encoding']]).toEqual([undefined, 'gzip'])
    expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body)
  })

  it('comes with a policy that loads nothing from elsewhere', async () => {
    const policy = String((await app.inject({ url: '/docs/' })).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toMatch(/unsafe|http|\*/)
    const loaded = [...pages.values()].flatMap((html) =>
      [...html.matchAll(/(?:src|srcset|<link [^>]*href)="([^"]+)"/g)].map(([, to]) => to ?? ''),
    )
    expect(loaded.filter((to) => !to.startsWith('/docs/'))).toEqual([])
  })

  it.each([
    '/docs/nothing',
    '/docs/guides/keys.html',
    '/docs/../package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/%252e%252e%252fpackage.json',
    '/docs/pages/guides/keys.html',
    '/docs/not-found',
    '/docs/site.json',
    '/docs//etc/passwd',
    '/docs/guides%5ckeys',
    '/docs/__proto__',
  ])('answers %s with a page that says so', async (url) => {
    const { status, headers, body } = await requestAsIs(address, url)
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([404, 'no-store', 'text/html; charset=utf-8'])
    expect(body).toContain('<h1>There is no such page</h1>')
  })

  it('leads from an address with a slash at its end to the page', async () => {
    expect((await app.inject({ url: '/docs' })).headers.location).toBe('/docs/')
    expect((await app.inject({ url: '/docs/guides/keys/' })).headers.location).toBe('/docs/guides/keys')
  })

  it('has the words of its sources', () => {
    const [first = ''] = readFileSync(join(root, 'docs/guides/backup.md'), 'utf8').split('\n\n').slice(1)
    const words = first
      .replaceAll(/[`[\]]|\([^)]*\)/g, '')
      .split(/\s+/)
      .slice(0, 6)
      .join(' ')
    expect((pages.get('/docs/guides/backup') ?? '').replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')).toContain(words)
  })
})

/** Links within a page, with its path. */
function anchors(path: string, html: string): string[] {
  return [...html.matchAll(/href="(#[^"]+)"/g)].map(([, target = '']) => `${path}${target}`)
}

it('says until it is built that it is being prepared', async () => {
  const app = Fastify()
  await app.register(documentationRoutes({ folder: () => null, baseUrl: BASE_URL, reference: readReferencePages }))
  const answers = await Promise.all(['/docs/', '/docs/guides/keys', '/llms.txt'].map(async (url) => await app.inject({ url })))
  await app.close()
  expect(answers.map(({ statusCode, headers }) => [statusCode, headers['retry-after']])).toEqual(answers.map(() => [503, '2']))
})
