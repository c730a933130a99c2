import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { connectorFiles, type NewConnector, variableOf } from './connector-template.ts'
import { wrapMarkdown } from './docs/wrap-markdown.ts'

const REGISTRY = 'src/connectors/registry.ts'

const USAGE = `usage: npm run new-connector -- <key> "<Name>" [options]

  npm run new-connector -- harbor "Harbor Books"
  npm run new-connector -- harbor-bank "Harbor Bank" --banking --oauth --transactions

  --accounting     a chart of accounts (the default)
  --banking        bank accounts
  --form           the owner types an API key (the default)
  --oauth          the owner signs in: OAuth 2 authorization code
  --transactions   journal entries or bank transactions too
  --help           this text
`

/** Parses the command line; null for help. Throws for an invalid key, name or option. */
export function readArguments(args: readonly string[]): NewConnector | null {
  const flags = ['accounting', 'banking', 'form', 'oauth', 'transactions', 'help'] as const
  const options = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' as const }]))
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  if (values.help) return null
  const [key = '', name = '', ...more] = positionals
  if (more.length > 0) throw new Error(`"${more[0]}" is one word too many: put a name of several words in quotes`)
  if (values.accounting && values.banking) throw new Error('--accounting and --banking exclude each other')
  if (values.form && values.oauth) throw new Error('--form and --oauth exclude each other')
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(key)) throw new Error('the key is a lower-case word such as "harbor" or "harbor-bank"')
  if (!/^[\p{L}\d][\p{L}\d .,&()’+-]{0,39}$/u.test(name)) {
    throw new Error('the name is a text such as "Harbor Books": letters, digits, blanks and . , & ( ) ’ + -, at most 40')
  }
  return {
    key,
    name,
    category: values.banking ? 'Banking' : 'Accounting',
    authorization: values.oauth ? 'oauth' : 'form',
    hasTransactions: values.transactions === true,
  }
}

/**
 * Writes connectors with their simulators and subjects into a project, adds them to the registry, formats them, and
 * writes the documents. The result passes `npm run check` unchanged. Throws if a key or a name is taken, and writes
 * nothing of that connector then. Returns the files, the registry last.
 */
export function writeConnectors(wanted: readonly NewConnector[], root = resolve(import.meta.dirname, '..')): string[] {
  const written = [...wanted.flatMap((each) => writeOne(each, root)), REGISTRY]
  run(root, 'node_modules/@biomejs/biome/bin/biome', ['check', '--write', ...written.filter((file) => file.endsWith('.ts'))])
  run(root, 'tools/docs/write-docs.ts', [])
  return written
}

function writeOne(wanted: NewConnector, root: string): string[] {
  const registry = readFileSync(join(root, REGISTRY), 'utf8')
  const files = connectorFiles(wanted, nextPort(root))
  refuseTaken(wanted, root, registry, [...files.keys()])
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), file.endsWith('.md') ? wrapMarkdown(text) : text, { flag: 'wx' })
  }
  writeFileSync(join(root, REGISTRY), withConnector(registry, wanted.key))
  return [...files.keys()]
}

function refuseTaken({ key, name }: NewConnector, root: string, registry: string, files: readonly string[]): void {
  const taken = [`src/connectors/${key}`, `simulators/${key}`, ...files].find((path) => existsSync(join(root, path)))
  if (taken !== undefined) throw new Error(`${taken} exists already`)
  const variable = variableOf(key)
  if (new RegExp(`\\b${variable}\\b`).test(registry) || isReserved(variable))
    throw new Error(`the key ${key} cannot be used: ${variable} is taken`)
  const same = readFileSync(join(root, 'docs/sources.md'), 'utf8').includes(`\n## ${name}\n`)
  if (same) throw new Error(`there is a source "${name}" already`)
}

/** Reserved words, which cannot name a constant. */
function isReserved(word: string): boolean {
  return /^(await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield)$/.test(
    word,
  )
}

/** The registry with one more connector, at the end of the catalogue. */
function withConnector(registry: string, key: string): string {
  const variable = variableOf(key)
  const list = /(export const connectors: [^=]+= \[\n[\s\S]*?)(\n\]\n)/
  if (!list.test(registry)) throw new Error(`${REGISTRY} has no list of connectors`)
  const imported = `import { ${variable} } from './${key}/index.ts'\n`
  return imported + registry.replace(list, (_, rows: string, end: string) => `${rows}\n  ${variable},${end}`)
}

/** The first port after those of all simulators. */
function nextPort(root: string): number {
  const files = readdirSync(join(root, 'simulators')).map((name) => join(root, 'simulators', name, 'sandbox.ts'))
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'))
  const ports = texts.flatMap((text) => [...text.matchAll(/^ {4}port: (\d+),$/gm)].map(([, port]) => Number(port)))
  return 1 + Math.max(-1, ...ports)
}

function run(root: string, program: string, args: readonly string[]): void {
  execFileSync(process.execPath, [join(root, program), ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

function main(args: readonly string[]): void {
  const wanted = readArguments(args)
  if (wanted === null) return void process.stdout.write(USAGE)
  const root = resolve(import.meta.dirname, '..')
  const files = writeConnectors([wanted], root).map((file) => relative(process.cwd(), join(root, file)))
  process.stdout.write(`${files.join('\n')}\n\nIt passes as it is: npx vitest run test/conformance -t ${wanted.key}\n`)
  process.stdout.write('Next: make it what the source is, from index.ts and wire.ts on (CONTRIBUTING.md, "A connector").\n')
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    main(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nnpm run new-connector -- --help tells how it is used\n`,
    )
    process.exitCode = 1
  }
}
