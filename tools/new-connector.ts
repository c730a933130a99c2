import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connectorFiles, subjectFile } from './connector-template.ts'

const connectors = resolve(import.meta.dirname, '../src/connectors')
const suite = resolve(import.meta.dirname, '../test/conformance')

/**
 * Writes the skeleton of a connector: a source that is asked with an address and a key and lists its accounts page by page. It compiles and
 * passes its test as it is, with a subject by which the conformance suite judges it; what a real source does otherwise is changed from there. Throws when the key is no lower-case word or is taken.
 */
export async function writeConnector(
  key: string,
  name: string,
  folder = connectors,
  subjects = join(suite, 'subjects'),
): Promise<string[]> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(key)) throw new Error('the key is a lower-case word such as "harbor" or "harbor-bank"')
  const target = join(folder, key)
  if (existsSync(target)) throw new Error(`${target} exists already`)
  const toSource = wayFrom(target, resolve(connectors, '..'))
  const written: string[] = []
  await mkdir(join(target, 'fixtures'), { recursive: true })
  for (const [file, text] of Object.entries(connectorFiles(key, name, toSource))) {
    await writeFile(join(target, file), text, { flag: 'wx' })
    written.push(join(target, file))
  }
  const subject = join(subjects, `${key}.ts`)
  await mkdir(subjects, { recursive: true })
  await writeFile(subject, subjectFile(key, wayFrom(subjects, target), wayFrom(subjects, suite)), { flag: 'wx' })
  return [...written, subject]
}

function wayFrom(folder: string, to: string): string {
  const way = relative(folder, to).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [key, name] = process.argv.slice(2)
  if (key === undefined || name === undefined) {
    process.stderr.write('usage: npm run new-connector -- harbor "Harbor Books"\n')
    process.exitCode = 2
  } else {
    try {
      const files = await writeConnector(key, name)
      process.stdout.write(
        `${files.join('\n')}\n\nNext: add it to src/connectors/registry.ts, run npm run docs and npx vitest run test/conformance, then follow CONTRIBUTING.md, "A connector in an afternoon".\n`,
      )
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      process.exitCode = 1
    }
  }
}
