import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bundlesOf, rememberBundle } from '../../../bin/bundled.js'
import { type BuildLog, type BuiltFiles, buildOf, PROJECT } from './built-files.ts'

/** Only in a checkout: a package has its bundle in place. */
const BUILDER = join(PROJECT, 'tools/package/build-service.ts')
const BUNDLER = join(PROJECT, 'node_modules/vite')

const service = buildOf(
  { name: 'the bundle of the service', builder: BUILDER, command: 'npm run build' },
  () => rememberBundle(PROJECT) ?? join(bundlesOf(PROJECT), 'missing'),
)

/** Bundles the service if it is not; returns the folder of bundles. */
export async function buildService(): Promise<string> {
  await service.build()
  return bundlesOf(PROJECT)
}

/** Starts bundling the sources of now if this is a checkout that can, without waiting for it. */
export function openServiceFiles(log: BuildLog): BuiltFiles {
  if (existsSync(BUILDER) && existsSync(BUNDLER)) return service.open(log)
  return { folder: () => null, close: async () => undefined }
}
