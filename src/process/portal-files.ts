import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from './log.ts'

const PROJECT = join(import.meta.dirname, '../..')
/** Outside node_modules, so that a build outlives `npm ci --omit=dev`, which cannot build. */
const BUILDS = join(PROJECT, 'dist', 'portal')
const BUILDER = join(import.meta.dirname, 'portal-build.ts')

export const PORTAL_SOURCES = join(PROJECT, 'src/portal')
/** The only modules outside its folder that the portal may bundle; they import nothing. */
export const PORTAL_SHARED = ['src/audit/actions.ts', 'src/model/texts/french.ts', 'src/model/texts/plural.ts']

export interface PortalFiles {
  /** Null until the portal is built. */
  folder(): string | null
  close(): Promise<void>
}

/** Folder of the build of these sources, existing or not; named by their hash, so that no build is ever out of date. */
export function portalFolder(): string {
  const files = readdirSync(PORTAL_SOURCES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const hash = createHash('sha256')
  const shared = PORTAL_SHARED.map((file) => join(PROJECT, file))
  for (const file of [...files, ...shared, join(PROJECT, 'package-lock.json'), BUILDER]) {
    hash
      .update(`${file.slice(PROJECT.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return join(BUILDS, hash.digest('hex').slice(0, 20))
}

/** Starts a child process that builds the portal if its build is missing in `folder`; nothing waits for it. */
export function openPortalFiles(log: Pick<Logger, 'info' | 'error'>, folder = portalFolder()): PortalFiles {
  let isThere = existsSync(folder)
  const building = isThere ? null : startBuild(folder)
  building?.done.then(
    () => log.info({}, 'the portal is built'),
    (error: unknown) => log.error({ err: error }, 'the portal could not be built; npm run build shows why'),
  )
  return {
    folder: () => {
      isThere ||= existsSync(folder)
      return isThere ? folder : null
    },
    close: async () => building?.stop(),
  }
}

/** Waits until the portal is built; returns its folder. */
export async function buildPortal(): Promise<string> {
  const folder = portalFolder()
  if (!existsSync(folder)) await startBuild(folder).done
  return folder
}

function startBuild(folder: string): { done: Promise<void>; stop(): void } {
  const child = spawn(process.execPath, [BUILDER, folder], { stdio: ['ignore', 'ignore', 'pipe'], env: {} })
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
