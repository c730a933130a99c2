import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const PROJECT = join(import.meta.dirname, '../../..')
/** Outside node_modules, so that a build survives `npm ci --omit=dev`, which cannot build. */
const BUILDS = join(PROJECT, 'dist')

/** Files built once, into a folder named after the hash of their sources, so that a build is never out of date. */
interface Build {
  /** Name in messages: `the portal`. */
  name: string
  /** Folder of the build of the current sources, existing or not. */
  folder: string
  /** Program that builds into the given folder. */
  builder: string
  /** What shows why it could not be built. */
  command: 'npm run build' | 'npm run build -- cluster'
}

export interface BuiltFiles {
  /** Null until built. Its first call starts the build, if it is missing. */
  folder(): string | null
  close(): Promise<void>
}

/** Folder of a build of these files of the project. */
export function folderOfBuild(kind: string, files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) {
    hash
      .update(`${file.slice(PROJECT.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return join(BUILDS, kind, hash.digest('hex').slice(0, 20))
}

/** All files below a folder, sorted. */
export function listFilesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** Log methods that a build needs. */
export interface BuildLog {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * The two uses of a build whose folder is named by its sources: `open` starts it when it is first asked for, without
 * waiting for it; `build` waits until it is there and returns its folder.
 */
export function buildOf(describe: Omit<Build, 'folder'>, currentFolder: () => string) {
  return {
    open: (log: BuildLog, folder?: string): BuiltFiles => openBuiltFiles(log, describe, () => folder ?? currentFolder()),
    build: (): Promise<string> => ensureBuilt({ ...describe, folder: currentFolder() }),
  }
}

/**
 * Files that a child process builds if they are missing. Their sources are read at the first question: hundreds of files,
 * which would delay a start.
 */
function openBuiltFiles(log: BuildLog, describe: Omit<Build, 'folder'>, currentFolder: () => string): BuiltFiles {
  let begun: { folder: string; isThere: boolean; building: Building | null } | null = null
  const begin = () => {
    const folder = currentFolder()
    const isThere = existsSync(folder)
    const building = isThere ? null : startBuild({ ...describe, folder })
    building?.done.then(
      () => log.info({}, `${describe.name} is built`),
      (error: unknown) => log.error({ err: error }, `${describe.name} could not be built; ${describe.command} shows why`),
    )
    return { folder, isThere, building }
  }
  return {
    folder: () => {
      begun ??= begin()
      begun.isThere ||= existsSync(begun.folder)
      return begun.isThere ? begun.folder : null
    },
    close: async () => begun?.building?.stop(),
  }
}

/** Waits until the files are built; returns their folder. */
async function ensureBuilt(build: Build): Promise<string> {
  if (!existsSync(build.folder)) await startBuild(build).done
  return build.folder
}

interface Building {
  done: Promise<void>
  stop(): void
}

function startBuild({ builder, folder }: Build): Building {
  const child = spawn(process.execPath, [builder, folder], { stdio: ['ignore', 'ignore', 'pipe'], env: {} })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-4_000)
  })
  const done = new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => (code === 0 || child.killed ? resolve() : reject(new Error(complaint))))
  })
  return { done, stop: () => child.kill() }
}
