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

const BUILDER = join(import.meta.dirname, 'cluster-build.ts')
/** What a cluster of a first start depends on. */
const PARTS = ['src/store/migrations', 'src/store/functions', 'src/store/embedded']

/** Folder of the migrated cluster of these sources that a first start copies, existing or not. */
export function clusterFolder(): string {
  const files = PARTS.flatMap((part) => listFilesBelow(join(PROJECT, part)))
  return folderOfBuild(`cluster-${process.platform}-${process.arch}`, [...files, join(PROJECT, 'package-lock.json'), BUILDER])
}

/** Starts making the cluster if it is missing, without waiting for it. */
export function openClusterFiles(log: BuildLog, folder = clusterFolder()): BuiltFiles {
  return openBuiltFiles(log, buildOf(folder))
}

/** Waits until the cluster is made; returns its folder. */
export async function buildCluster(): Promise<string> {
  return await ensureBuilt(buildOf(clusterFolder()))
}

function buildOf(folder: string): Build {
  return { name: 'the cluster for first starts', folder, builder: BUILDER, command: 'npm run build -- cluster' }
}
