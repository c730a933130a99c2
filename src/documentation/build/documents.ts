import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'

export interface ServedDocument {
  /** Path in the project. */
  file: string
  /** Path of its URL. */
  path: string
  title: string
  /** What the index says of it; Markdown. */
  summary: string
  text: string
  /** Whether it is found through the page of its folder, not in the menu. */
  isNested: boolean
}

export interface Section {
  title: string
  documents: ServedDocument[]
}

const INDEX = 'docs/README.md'
/** Section of the index from which on documents are for developers of the product itself. */
const FIRST_NOT_SERVED = 'Work on the code'

/** Documents of users and operators: the sections of the index, in its order. A folder in it stands for its files. */
export function listSections(project: string): Section[] {
  const sections: Section[] = []
  for (const token of lexer(readFileSync(join(project, INDEX), 'utf8'))) {
    if (isHeading(token) && token.depth === 2) {
      if (token.text === FIRST_NOT_SERVED) break
      sections.push({ title: token.text, documents: [] })
    }
    if (isList(token)) sections.at(-1)?.documents.push(...token.items.flatMap((item) => listOfItem(project, item.text)))
  }
  if (sections.every(({ documents }) => documents.length === 0)) throw new Error(`${INDEX} lists no documents`)
  return sections
}

/** The index itself: its first page, without what is not served. */
export function readHome(project: string): ServedDocument {
  const text = readFileSync(join(project, INDEX), 'utf8')
  const end = text.indexOf(`\n## ${FIRST_NOT_SERVED}\n`)
  return {
    file: INDEX,
    path: '/docs/',
    title: 'Documentation',
    summary: '',
    text: end < 0 ? text : text.slice(0, end + 1),
    isNested: false,
  }
}

/** Path of the Markdown of a page. */
export function markdownPathOf(path: string): string {
  return path === '/docs/' ? '/docs/index.md' : `${path}.md`
}

/** URL path of a document: as in `docs`; the overview, the changelog and the READMEs of SDKs lie elsewhere. */
function pathOf(file: string): string {
  if (file === 'README.md') return '/docs/overview'
  const name = file.startsWith('docs/') ? file.slice('docs/'.length) : file.toLowerCase()
  return `/docs/${name.replace(/\/readme\.md$/, '').replace(/\.md$/, '')}`
}

/** Documents of one item of the index, `[title](file): summary`. */
function listOfItem(project: string, item: string): ServedDocument[] {
  const found = /^\[([^\]]+)\]\(([^)#]+)\)(?::\s*([\s\S]*))?$/.exec(item)
  if (!found) throw new Error(`${INDEX} has an item that is not \`[title](file): summary\`: ${item}`)
  const [, title = '', target = '', summary = ''] = found
  const file = posix.normalize(posix.join('docs', target)).replace(/\/$/, '')
  const at = join(project, file)
  const said = summary.replaceAll(/\s+/g, ' ')
  if (existsSync(at) && statSync(at).isDirectory()) return listFolder(project, file, { title, summary: said })
  return [{ file, path: pathOf(file), title, summary: said, text: readFileSync(at, 'utf8'), isNested: false }]
}

/** The files of a folder, after a page that lists them. */
function listFolder(project: string, folder: string, { title, summary }: { title: string; summary: string }): ServedDocument[] {
  const documents = readdirSync(join(project, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const file = `${folder}/${name}`
      const text = readFileSync(join(project, file), 'utf8')
      return { file, path: pathOf(file), title: titleOf(text, name), summary: '', text, isNested: true }
    })
  // A document with the name of the folder is its page.
  if (existsSync(join(project, `${folder}.md`))) return documents
  const list = documents.map((document) => `- [${document.title}](${posix.basename(document.file)})`)
  const text = `# ${title}\n\n${summary}\n\n${list.join('\n')}\n`
  // Named as a file in the folder, so that links in its text are relative to it.
  return [{ file: `${folder}/README.md`, path: pathOf(folder), title, summary, text, isNested: false }, ...documents]
}

function titleOf(text: string, name: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? name
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading'
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list'
}
