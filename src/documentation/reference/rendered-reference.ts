import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { readExamples } from '../../api/reference/reference-examples.ts'
import type { ReferenceDocument } from '../../api/reference/reference-schema.ts'
import { layout } from '../pages/layout.ts'
import type { Navigation, SiteDescription } from '../pages/site.ts'
import { groupHtml, overviewHtml } from './group-html.ts'
import { groupMarkdown, overviewMarkdown } from './group-markdown.ts'
import { type Group, groupsOf, REFERENCE_PATH } from './groups.ts'

/** A page of the reference, ready to be sent. */
export interface RenderedPage {
  path: string
  type: string
  etag: string
  isImmutable: boolean
  /** Path of the same page as Markdown. */
  markdown?: string
  bytes: Buffer
  compressed: Buffer
}

/** All pages of the reference, and what the search adds of them, by URL path. */
export async function renderReference(document: ReferenceDocument, site: SiteDescription): Promise<ReadonlyMap<string, RenderedPage>> {
  const { info, servers } = document
  const shared = { base: servers[0]?.url ?? '', examples: await readExamples() }
  const groups = groupsOf(document)
  const about = [info.title, info.description ?? '', info.version] as const
  const files = [
    ...page(site, withGroups(site.navigation, groups, null), {
      title: info.title,
      path: REFERENCE_PATH,
      main: overviewHtml(...about, groups),
    }),
    markdown(REFERENCE_PATH, overviewMarkdown(...about, groups)),
    ...groups.flatMap((group) => [
      ...page(site, withGroups(site.navigation, groups, group), {
        title: `${group.title}: API reference`,
        path: group.path,
        main: groupHtml(group, shared),
        shape: 'wide',
      }),
      markdown(group.path, groupMarkdown(group, shared)),
    ]),
    { path: `${REFERENCE_PATH}/operations.json`, type: 'application/json; charset=utf-8', text: JSON.stringify(sectionsOf(groups)) },
  ]
  const pages = await Promise.all(files.map(toPage))
  return new Map(pages.map((each) => [each.path, each]))
}

/** The menu of the reference: its pages first, and the operations of the present one. */
function withGroups(navigation: Navigation, groups: readonly Group[], present: Group | null): Navigation {
  const pages = groups.map((group) => ({
    title: group.title,
    path: group.path,
    below:
      group === present
        ? group.calls.map(({ path, operation }) => ({
            title: group.isEvents ? path : operation.summary,
            path: `#${operation.operationId}`,
          }))
        : [],
  }))
  return [{ title: 'API reference', pages: [{ title: 'Overview', path: REFERENCE_PATH }, ...pages] }, ...withoutReference(navigation)]
}

function withoutReference(navigation: Navigation): Navigation {
  return navigation.map(({ title, pages }) => ({ title, pages: pages.filter(({ path }) => path !== REFERENCE_PATH) }))
}

interface Text {
  path: string
  type: string
  text: string
  markdown?: string
}

interface ReferencePage {
  title: string
  path: string
  main: string
  shape?: 'wide'
}

function page({ assets }: SiteDescription, navigation: Navigation, { title, path, main, shape }: ReferencePage): Text[] {
  const content = { title, path, markdown: `${path}.md`, main, script: assets.reference, ...(shape === undefined ? {} : { shape }) }
  return [{ path, type: 'text/html; charset=utf-8', text: layout(content, navigation, assets), markdown: `${path}.md` }]
}

function markdown(path: string, text: string): Text {
  return { path: `${path}.md`, type: 'text/markdown; charset=utf-8', text }
}

async function toPage({ path, type, text, markdown: twin }: Text): Promise<RenderedPage> {
  const bytes = Buffer.from(text)
  const etag = `W/"${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}"`
  const compressed = await promisify(gzip)(bytes, { level: 9 })
  return { path, type, etag, isImmutable: false, bytes, compressed, ...(twin === undefined ? {} : { markdown: twin }) }
}

/** What the search page adds to its index: this deployment’s operations. */
function sectionsOf(groups: readonly Group[]): { title: string; heading: string; path: string; text: string; excerpt: string }[] {
  return groups.flatMap(({ title, path, calls }) =>
    calls.map(({ path: place, method, operation }) => ({
      title: `API reference: ${title}`,
      heading: operation.summary,
      path: `${path}#${operation.operationId}`,
      text: `${operation.operationId} ${method} ${place} ${operation.description ?? ''}`,
      excerpt: `${method} ${place}`,
    })),
  )
}
