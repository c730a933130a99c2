import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Build, type BuildLog, type BuiltFiles, ensureBuilt, openBuiltFiles, PROJECT } from './built-files.ts'
import { BUNDLED, bundleFolder } from './bundles.ts'

/** Only in a checkout: a package has its bundles in place. */
const BUILDER = join(PROJECT, 'tools/package/build-bundle.ts')
const BUNDLER = join(PROJECT, 'node_modules/vite')

/** Starts building the bundle if it is missing and this is a checkout that can build, without waiting for it. */
export function openBundleFiles(log: BuildLog): BuiltFiles {
  if (existsSync(BUILDER) && existsSync(BUNDLER)) return openBuiltFiles(log, buildOf())
  return { folder: () => null, close: async () => undefined }
}

/** Waits until the bundle is built; returns its folder. */
export async function buildBundle(): Promise<string> {
  return await ensureBuilt(buildOf())
}

function buildOf(): Build {
  return { name: `the bundle of ${BUNDLED}`, folder: bundleFolder(), builder: BUILDER, command: 'npm run build' }
}
