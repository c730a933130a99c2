import { join } from 'node:path'
import { buildOf, folderOfBuild, listFilesBelow, PROJECT } from './built-files.ts'

const BUILDER = join(import.meta.dirname, 'portal-build.ts')

export const PORTAL_SOURCES = join(PROJECT, 'src/portal')
/** Modules outside its folder that the portal may bundle; they import nothing. */
export const PORTAL_SHARED = [
  'src/audit/actions.ts',
  'src/model/records/accounting.ts',
  'src/model/records/banking.ts',
  'src/model/texts/french.ts',
  'src/model/texts/plural.ts',
  'src/model/texts/source-names.ts',
]

/** Folder of the build of these sources, existing or not. */
export function portalFolder(): string {
  const shared = PORTAL_SHARED.map((file) => join(PROJECT, file))
  return folderOfBuild('portal', [...listFilesBelow(PORTAL_SOURCES), ...shared, join(PROJECT, 'package-lock.json'), BUILDER])
}

export const { open: openPortalFiles, build: buildPortal } = buildOf(
  { name: 'the portal', builder: BUILDER, command: 'npm run build' },
  portalFolder,
)
