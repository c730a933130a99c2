import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildLog, type BuiltFiles, buildOf, PROJECT } from './built-files.ts'
import { BUNDLED, bundleFolder } from './bundles.ts'

/** Only in a checkout: a package has its bundles in place. */
const BUILDER = join(PROJECT, 'tools/package/build-bundle.ts')
const BUNDLER = join(PROJECT, 'node_modules/vite')

const bundle = buildOf({ name: `the bundle of ${BUNDLED}`, builder: BUILDER, command: 'npm run build' }, bundleFolder)

export const buildBundle = bundle.build

/** Starts building the bundle if it is missing and this is a checkout that can build, without waiting for it. */
export function openBundleFiles(log: BuildLog): BuiltFiles {
  if (existsSync(BUILDER) && existsSync(BUNDLER)) return bundle.open(log)
  return { folder: () => null, close: async () => undefined }
}
