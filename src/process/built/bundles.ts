import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hasCode } from '../../model/error-code.ts'

const PROJECT = join(import.meta.dirname, '../../..')
/** Package of hundreds of small files, which every process loads: each costs it some 10 kB of memory, and time. */
export const BUNDLED = 'typebox'
/** File of a bundle: the path of each module by its name in an import. */
export const NAMES = 'names.json'

/** Folder of the bundle of the installed version, existing or not. */
export function bundleFolder(): string {
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'node_modules', BUNDLED, 'package.json'), 'utf8')) as { version: string }
  return join(PROJECT, 'dist', 'packages', `${BUNDLED}-${version}`)
}

/** Makes imports of the package load its bundle, if that has been built. To be called before anything imports it. */
export function importFromBundles(folder = bundleFolder()): void {
  const paths = readNames(folder)
  if (paths === null) return
  const urls = new Map(Object.entries(paths).map(([name, path]) => [name, pathToFileURL(join(folder, path)).href]))
  registerHooks({
    resolve: (name, context, next) => {
      const url = urls.get(name)
      return url === undefined ? next(name, context) : { url, format: 'module', shortCircuit: true }
    },
  })
}

function readNames(folder: string): Record<string, string> | null {
  try {
    return JSON.parse(readFileSync(join(folder, NAMES), 'utf8')) as Record<string, string>
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}
