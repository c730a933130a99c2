import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOf, folderOfBuild, listFilesBelow, PROJECT } from './built-files.ts'

const SOURCES = join(PROJECT, 'src/documentation')
const BUILDER = join(SOURCES, 'build', 'build-documentation.ts')

/** Build shipped in a package, which has no documents to build from. */
export const PACKAGED_DOCUMENTATION = join(PROJECT, 'dist', 'documentation', 'packaged')

/**
 * Folder of the build of a project's current documents, existing or not. A missing document fails the build, which is
 * logged; it never keeps the service from starting.
 */
export function documentationFolder(project = PROJECT): string {
  const documents = join(project, 'docs')
  if (!existsSync(documents)) return PACKAGED_DOCUMENTATION
  const index = join(documents, 'README.md')
  // Documents of other folders that the index links.
  const [...named] = existsSync(index) ? readFileSync(index, 'utf8').matchAll(/\]\(\.\.\/([^)#]+)\)/g) : []
  const others = [...named.map(([, file = '']) => file), 'package-lock.json'].map((file) => join(project, file)).filter(existsSync)
  return folderOfBuild('documentation', [...listFilesBelow(documents), ...others, ...listFilesBelow(SOURCES)])
}

export const { open: openDocumentationFiles, build: buildDocumentation } = buildOf(
  { name: 'the documentation', builder: BUILDER, command: 'npm run build' },
  documentationFolder,
)
