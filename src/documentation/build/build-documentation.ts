/** Command that builds the site at `/docs` into the folder of its first argument, unless it is there. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { toHtml } from '../pages/html.ts'
import { layout } from '../pages/layout.ts'
import type { Assets, Navigation, ServedFile, SiteDescription } from '../pages/site.ts'
import { hashed, hashOf, type Output, scriptAsset, styleAsset } from './assets.ts'
import { listSections, markdownPathOf, readHome, type Section, type ServedDocument } from './documents.ts'
import { homeHtml } from './home.ts'
import { type LinkMap, rewriteMarkdown } from './links.ts'
import { llmsText } from './llms-text.ts'
import { listMissingTargets } from './missing-targets.ts'
import { type RenderedDocument, renderMarkdown } from './render-markdown.ts'
import { searchIndex } from './search-index.ts'
import { standalonePages } from './standalone-pages.ts'

const PROJECT = join(import.meta.dirname, '../../..')
/** Pages that are rendered by the server from its own routes. */
const REFERENCE = { title: 'API reference', path: '/docs/reference' }
const SECTION_OF_REFERENCE = 'Look up'
const IMAGES = 'docs/images'
const STYLES = ['base.css', 'layout.css', 'code.css', 'reference.css']
/** A page with fewer sections has no outline. */
const LEAST_SECTIONS = 3

const [, , folder] = argv
if (folder === undefined) throw new Error('usage: build-documentation.ts FOLDER')
if (!existsSync(folder)) await buildInto(folder)
process.stdout.write(`the documentation is at ${folder}\n`)

/** The build appears atomically, so nobody sees a partial one. */
async function buildInto(target: string): Promise<void> {
  const unfinished = join(dirname(target), `unfinished-${randomUUID()}`)
  await mkdir(unfinished, { recursive: true })
  try {
    await write(unfinished)
    await rename(unfinished, target).catch((error: unknown) => {
      // A concurrent build has produced the same.
      if (!existsSync(target)) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function write(to: string): Promise<void> {
  const sections = listSections(PROJECT)
  const documents = [readHome(PROJECT), ...sections.flatMap((section) => section.documents)]
  const images = await listImages(documents)
  const links: LinkMap = {
    pages: new Map([...documents, ...images].flatMap(({ file, path }) => [[file, path] as const, ...folderOf(file, path)])),
  }
  const [style, script, reference] = await Promise.all([
    styleAsset('docs.css', STYLES),
    scriptAsset('site.js'),
    scriptAsset('reference.js'),
  ])
  const navigation = toNavigation(sections)
  const pages = documents.map((document) => ({ document, ...renderMarkdown(document.text, document.file, links) }))
  const missing = listMissingTargets(pages)
  if (missing.length > 0) throw new Error(`links of the documentation lead nowhere: ${missing.join(', ')}`)
  const index = hashed('search.json', 'application/json; charset=utf-8', Buffer.from(searchIndex(pages)))
  const assets: Assets = { style: style.path, script: script.path, reference: reference.path, index: index.path }
  const [home, ...others] = pages
  if (home === undefined) throw new Error('there is no first page')
  const outputs: Output[] = [
    style,
    script,
    reference,
    index,
    ...images,
    ...pageFiles(home.document, { main: homeHtml(home.document, sections, links), title: home.document.title, navigation, assets, links }),
    ...others.flatMap((page) => pageFiles(page.document, { ...bodyOf(page), navigation, assets, links })),
    ...standalonePages(navigation, assets),
    { path: '/llms.txt', file: 'llms.txt', type: 'text/plain; charset=utf-8', content: Buffer.from(llmsText(sections, links)) },
  ]
  for (const output of outputs) await writeOutput(to, output)
  const description: SiteDescription = { navigation, assets, files: outputs.map(toServedFile) }
  await writeFile(join(to, 'site.json'), JSON.stringify(description))
}

/** A folder in a link is the page that lists its files. */
function folderOf(file: string, path: string): (readonly [string, string])[] {
  return file.endsWith('/README.md') ? [[dirname(file), path] as const] : []
}

function toNavigation(sections: readonly Section[]): SiteDescription['navigation'] {
  return sections.map(({ title, documents }) => {
    const pages = documents.filter(({ isNested }) => !isNested).map((document) => ({ title: document.title, path: document.path }))
    return { title, pages: title === SECTION_OF_REFERENCE ? [REFERENCE, ...pages] : pages }
  })
}

interface PageBody {
  main: string
  title: string
  shape?: 'with-outline'
}

function pageFiles(
  { path, file, text }: ServedDocument,
  { main, title, shape, navigation, assets, links }: PageBody & { navigation: Navigation; assets: Assets; links: LinkMap },
): Output[] {
  const markdown = markdownPathOf(path)
  const page = layout({ title, path, markdown, main, ...(shape === undefined ? {} : { shape }) }, navigation, assets)
  const name = markdown.slice('/docs/'.length, -'.md'.length)
  return [
    { path, file: `pages/${name}.html`, type: 'text/html; charset=utf-8', content: Buffer.from(page), markdown },
    {
      path: markdown,
      file: `pages/${name}.md`,
      type: 'text/markdown; charset=utf-8',
      content: Buffer.from(rewriteMarkdown(links, file, text)),
    },
  ]
}

/** The page with its outline, below its title. */
function bodyOf({ document, html, headings }: RenderedDocument): PageBody {
  const title = headings.find(({ depth }) => depth === 1)?.text ?? document.title
  const sections = headings.filter(({ depth }) => depth === 2)
  if (sections.length < LEAST_SECTIONS) return { main: html, title }
  const items = sections.map(({ id, text }) => `<li><a href="#${toHtml(id)}">${toHtml(text)}</a></li>`)
  const outline = `<nav class="outline" aria-label="On this page"><details open><summary>On this page</summary><ul>${items.join('')}</ul></details></nav>\n`
  const end = html.indexOf('</h1>\n')
  return { main: end < 0 ? outline + html : `${html.slice(0, end + 6)}${outline}${html.slice(end + 6)}`, title, shape: 'with-outline' }
}

/** Images that the documents show. */
async function listImages(documents: readonly ServedDocument[]): Promise<(Output & { file: string })[]> {
  const names = new Set(documents.flatMap(({ text }) => [...text.matchAll(/images\/([\w-]+\.webp)/g)].map(([, name = '']) => name)))
  return await Promise.all(
    [...names].map(async (name) => ({
      path: `/docs/images/${name}`,
      file: `${IMAGES}/${name}`,
      type: 'image/webp',
      content: await readFile(join(PROJECT, IMAGES, name)),
    })),
  )
}

async function writeOutput(to: string, { file, type, content }: Output): Promise<void> {
  await mkdir(dirname(join(to, file)), { recursive: true })
  await writeFile(join(to, file), content)
  if (!type.startsWith('image/')) await writeFile(join(to, `${file}.gz`), await promisify(gzip)(content, { level: 9 }))
}

function toServedFile({ path, file, type, content, isImmutable = false, markdown }: Output): ServedFile {
  return { path, file, type, etag: `W/"${hashOf(content).slice(0, 20)}"`, isImmutable, ...(markdown === undefined ? {} : { markdown }) }
}
