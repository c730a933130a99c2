import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ReferenceDocument } from '../../api/reference/reference-schema.ts'
import { layout } from '../pages/layout.ts'
import type { SiteDescription } from '../pages/site.ts'
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
  const base = servers[0]?.url ?? ''
  const groups = groupsOf(document)
  const about = [info.title, info.description ?? '', info.version] as const
  const files = [
    ...page(site, { title: info.title, path: REFERENCE_PATH, main: overviewHtml(...about, groups) }),
    markdown(REFERENCE_PATH, overviewMarkdown(...about, groups)),
    ...groups.flatMap((group) => [
      ...page(site, { title: `${group.title}: API reference`, path: group.path, main: groupHtml(group, base) }),
      markdown(group.path, groupMarkdown(group, base)),
    ]),
    { path: `${REFERENCE_PATH}/operations.json`, type: 'application/json; charset=utf-8', text: JSON.stringify(sectionsOf(groups)) },
  ]
  const pages = await Promise.all(files.map(toPage))
  return new Map(pages.map((each) => [each.path, each]))
}

interface Text {
  path: string
  type: string
  text: string
  markdown?: string
}

function page({ navigation, assets }: SiteDescription, { title, path, main }: { title: string; path: string; main: string }): Text[] {
  const content = { title, path, markdown: `${path}.md`, main, script: assets.reference }
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
