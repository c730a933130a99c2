import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listSections } from '../../src/documentation/build/documents.ts'
import { listMarkdown, wrapMarkdown } from '../../tools/docs/wrap-markdown.ts'

const root = resolve(import.meta.dirname, '..', '..')
const files = listMarkdown(root)

function withoutBlocks(text: string): string {
  return text.replace(/^(```+)[\s\S]*?^\1/gm, '')
}

/** Links and images of a Markdown text that are paths of this project; code is ignored. */
function relativeLinks(text: string): string[] {
  const prose = withoutBlocks(text).replace(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)|(?:src|srcset|href)="([^"]+)"/gm)]
  return targets.map(([, inline, defined, html]) => inline ?? defined ?? html ?? '').filter((target) => !/^[a-z]+:|^#/.test(target))
}

/** Paths of this project in inline code. Those of `harbor`, the connector of the guide, are created by the reader. */
function namedPaths(text: string): string[] {
  const codes = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  const paths = codes.flatMap((code) => code.match(/^(?:src|test|tools|bench|simulators|docs)\/[\w./-]+$/) ?? [])
  return paths.filter((path) => !path.includes('/harbor'))
}

describe('the Markdown files', () => {
  it('are found, as are their links', () => {
    expect(files).toContain('README.md')
    expect(files).toContain('src/connectors/xero/README.md')
    expect(relativeLinks('[a](b.md) [c](https://d) `[e](f)` [g](#h)\n```\n[i](j)\n```\n<img src="k.webp">')).toEqual(['b.md', 'k.webp'])
  })

  it.each(files)('%s only links to existing files', (path) => {
    const targets = relativeLinks(readFileSync(resolve(root, path), 'utf8'))
    const broken = targets.filter((target) => !existsSync(resolve(root, dirname(path), target.replace(/#.*/, ''))))
    expect(broken).toEqual([])
  })

  it.each(files)('%s names existing paths only', (path) => {
    const named = namedPaths(readFileSync(resolve(root, path), 'utf8'))
    expect(named.filter((name) => !existsSync(resolve(root, name)) && !existsSync(resolve(root, dirname(path), name)))).toEqual([])
  })

  it('in docs are all in its index', () => {
    const listed = relativeLinks(readFileSync(resolve(root, 'docs/README.md'), 'utf8'))
    const documents = files.filter((path) => /^docs\/(guides\/)?[^/]+$/.test(path) && path !== 'docs/README.md')
    expect(documents.filter((path) => !listed.includes(path.slice('docs/'.length)))).toEqual([])
    expect(readFileSync(resolve(root, 'README.md'), 'utf8')).toContain('](docs/README.md)')
  })

  it('has an index whose items the site at /docs can show', () => {
    const sections = listSections(root)
    expect(sections.map(({ title }) => title)).toContain('Get started')
    expect(sections.flatMap(({ documents }) => documents).every(({ text }) => /^# /m.test(text))).toBe(true)
  })

  it.each(files)('%s has no line of prose over 120 characters; if so, npm run wrap', (path) => {
    const text = readFileSync(resolve(root, path), 'utf8')
    const lines = text.split('\n')
    const wrapped = new Set(wrapMarkdown(text).split('\n'))
    expect(lines.filter((line) => !wrapped.has(line))).toEqual([])
  })
})
