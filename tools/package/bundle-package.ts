import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { type Static, Type } from 'typebox'
import { Parse } from 'typebox/value'
import { build } from 'vite'
import { isLicence } from './package-files.ts'

/** Packages whose many small files cost more memory and time than what is in them: each module of Node takes some 10 kB. */
export const OF_SMALL_FILES: readonly string[] = ['typebox', 'yaml', 'semver']

/** What `exports` names: a file, or files by condition, in the order in which they are looked for. */
const Target = Type.Union([Type.String(), Type.Record(Type.String(), Type.String())])
const Manifest = Type.Object({
  type: Type.Optional(Type.String()),
  main: Type.Optional(Type.String()),
  exports: Type.Optional(Type.Record(Type.String(), Target)),
})
const CONDITIONS = ['node', 'import', 'require', 'default']

/**
 * Bundles an installed package in place: the files that it exports keep their paths, and what they share is put beside
 * them. Nothing is renamed or shortened, so that stack traces name the same functions.
 */
export async function bundlePackage(folder: string): Promise<void> {
  const manifest = await readManifest(folder)
  const entries = entriesOf(manifest)
  const format = manifest.type === 'module' ? 'es' : 'cjs'
  const result = await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    ssr: { target: 'node' },
    build: {
      ssr: true,
      write: false,
      minify: false,
      target: 'esnext',
      rolldownOptions: {
        preserveEntrySignatures: 'strict',
        input: Object.fromEntries(entries.map((entry) => [entry, join(folder, entry)])),
        output: { format, entryFileNames: '[name]', chunkFileNames: join(dirname(entries[0] ?? '.'), '[name]-[hash].js') },
      },
    },
  })
  if (!('output' in result)) throw new Error(`${folder}: not one bundle`)
  for (const name of await readdir(folder)) {
    if (name !== 'package.json' && name !== 'node_modules' && !isLicence(name)) await rm(join(folder, name), { recursive: true })
  }
  for (const file of result.output) {
    if (file.type !== 'chunk') throw new Error(`${folder}: ${file.fileName} is no code`)
    await mkdir(dirname(join(folder, file.fileName)), { recursive: true })
    await writeFile(join(folder, file.fileName), file.code)
  }
}

async function readManifest(folder: string): Promise<Static<typeof Manifest>> {
  return Parse(Manifest, JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
}

/** Path of the code that is loaded by each name which the package exports, both without `./`; the package itself is ''. */
export async function readEntries(folder: string): Promise<Record<string, string>> {
  const { exports = {} } = await readManifest(folder)
  const entries = Object.entries(exports).map(([name, target]) => [name.replace(/^\.\/?/, ''), normalize(fileOf(target))] as const)
  return Object.fromEntries(entries.filter(([, path]) => /\.[cm]?js$/.test(path)))
}

/** Paths of the code that Node may load from outside of the package, without `./`. */
function entriesOf({ main, exports }: Static<typeof Manifest>): string[] {
  const targets = exports === undefined ? [main ?? 'index.js'] : Object.values(exports).map(fileOf)
  return [...new Set(targets.filter((target) => /\.[cm]?js$/.test(target)).map((target) => normalize(target)))]
}

function fileOf(target: Static<typeof Target>): string {
  if (typeof target === 'string') return target
  const condition = CONDITIONS.find((name) => name in target)
  return (condition === undefined ? undefined : target[condition]) ?? ''
}
