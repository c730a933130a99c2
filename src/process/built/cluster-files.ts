import { join } from 'node:path'
import { buildOf, folderOfBuild, listFilesBelow, PROJECT } from './built-files.ts'

const BUILDER = join(import.meta.dirname, 'cluster-build.ts')
/** What a cluster of a first start depends on. */
const PARTS = ['src/store/migrations', 'src/store/functions', 'src/store/embedded']

/** Folder of the migrated cluster of these sources that a first start copies, existing or not. */
export function clusterFolder(): string {
  const files = PARTS.flatMap((part) => listFilesBelow(join(PROJECT, part)))
  return folderOfBuild(`cluster-${process.platform}-${process.arch}`, [...files, join(PROJECT, 'package-lock.json'), BUILDER])
}

export const { open: openClusterFiles, build: buildCluster } = buildOf(
  { name: 'the cluster for first starts', builder: BUILDER, command: 'npm run build -- cluster' },
  clusterFolder,
)
