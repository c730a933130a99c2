import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { buildPortal } from '../../src/process/portal-files.ts'

export const CHECKOUT = resolve(import.meta.dirname, '..', '..')
/** What a package of the service holds besides `node_modules`. */
const PARTS = ['bin', 'src', 'package.json', 'package-lock.json', 'LICENSE']
/** Node itself: counted apart. */
const NODE = /^node_modules\/node-(linux|darwin|win)/

const Lock = Type.Object({ packages: Type.Record(Type.String(), Type.Object({ dev: Type.Optional(Type.Boolean()) })) })

/** Names of the packages that `npm ci --omit=dev` installs on this machine, as folders; without Node. */
async function listProductionPackages(): Promise<string[]> {
  const { packages } = Parse(Lock, JSON.parse(await readFile(join(CHECKOUT, 'package-lock.json'), 'utf8')))
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && !NODE.test(path) && existsSync(join(CHECKOUT, path)))
    .map(([path]) => path)
}

/** Lays out the service as production has it: no development packages, no simulators, no tests, the portal built. */
export async function layOutProduction(folder: string): Promise<void> {
  for (const part of PARTS) await cp(join(CHECKOUT, part), join(folder, part), { recursive: true })
  const portal = await buildPortal()
  await cp(portal, join(folder, portal.slice(CHECKOUT.length)), { recursive: true })
  for (const path of await listProductionPackages()) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // Packages within a package are listed by themselves.
    const isInner = (file: string) => file.slice(join(CHECKOUT, path).length).startsWith('/node_modules')
    await cp(join(CHECKOUT, path), join(folder, path), { recursive: true, verbatimSymlinks: true, filter: (file) => !isInner(file) })
  }
}

/** Space that a folder takes, in MB. */
export function megabytesOf(folder: string): number {
  return Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1024
}
