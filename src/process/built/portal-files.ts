import { join } from 'node:path'
import {
  type Build,
  type BuildLog,
  type BuiltFiles,
  ensureBuilt,
  folderOfBuild,
  listFilesBelow,
  openBuiltFiles,
  PROJECT,
} from './built-files.ts'

const BUILDER = join(import.meta.dirname, 'portal-build.ts')

export const PORTAL_SOURCES = join(PROJECT, 'src/portal')
/** Modules outside its folder that the portal may bundle; they import nothing. */
export const PORTAL_SHARED = [
  'src/audit/actions.ts',
  'src/model/texts/french.ts',
  'src/model/texts/plural.ts',
  'src/model/texts/source-names.ts',
]

/** Folder of the build of these sources, existing or not. */
export function portalFolder(): string {
  const shared = PORTAL_SHARED.map((file) => join(PROJECT, file))
  return folderOfBuild('portal', [...listFilesBelow(PORTAL_SOURCES), ...shared, join(PROJECT, 'package-lock.json'), BUILDER])
}

/** Starts building the portal if its build is missing in `folder`, without waiting for it. */
export function openPortalFiles(log: BuildLog, folder = portalFolder()): BuiltFiles {
  return openBuiltFiles(log, buildOf(folder))
}

/** Waits until the portal is built; returns its folder. */
export async function buildPortal(): Promise<string> {
  return await ensureBuilt(buildOf(portalFolder()))
}

function buildOf(folder: string): Build {
  return { name: 'the portal', folder, builder: BUILDER, command: 'npm run build' }
}
