import type { BuildLog, BuiltFiles } from './built-files.ts'

interface Missing {
  /** Files that this start serves. */
  pages: readonly BuiltFiles[]
  /** Whether what only makes later starts faster is built, too. */
  forLaterStarts: boolean
  hasDatabase: boolean
  log: BuildLog
  closers: (() => Promise<unknown>)[]
}

/** Builds what is missing, in the background. Call it when this process is ready. */
export async function buildMissing({ pages, forLaterStarts, hasDatabase, log, closers }: Missing): Promise<void> {
  for (const files of pages) files.folder()
  if (!forLaterStarts) return
  const [{ openBundleFiles }, { openServiceFiles }, { openClusterFiles }] = await Promise.all([
    import('./bundle-files.ts'),
    import('./service-files.ts'),
    import('./cluster-files.ts'),
  ])
  for (const built of [openBundleFiles(log), openServiceFiles(log), ...(hasDatabase ? [openClusterFiles(log)] : [])]) {
    closers.push(() => built.close())
    built.folder()
  }
}
