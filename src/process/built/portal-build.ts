/**
 * Command that builds the portal when its build is missing; used by `npm run build`, and by a start in a child process.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { argv, env } from 'node:process'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { PORTAL_SOURCES, portalFolder } from './portal-files.ts'

const [, , folder = portalFolder()] = argv
if (!existsSync(folder)) await buildInto(folder)
process.stdout.write(`the portal is at ${folder}\n`)

/** The build appears atomically, so nobody sees a partial one. */
async function buildInto(target: string): Promise<void> {
  const unfinished = join(dirname(target), `unfinished-${randomUUID()}`)
  await mkdir(unfinished, { recursive: true })
  try {
    await build(unfinished)
    await compress(unfinished)
    await rename(unfinished, target).catch((error: unknown) => {
      // A concurrent build has produced the same.
      if (!existsSync(target)) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function build(outDir: string): Promise<void> {
  // Removes the libraries' development checks, whatever the caller's own setting is.
  env.NODE_ENV = 'production'
  const vite = await import('vite').catch((error: unknown) => {
    throw new Error('the packages for building the portal are missing: npm ci installs them, npm run build builds it', { cause: error })
  })
  await vite.build({
    configFile: false,
    root: PORTAL_SOURCES,
    base: '/portal/',
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      target: 'es2024',
      reportCompressedSize: false,
      // Inlined files would be data: URLs, which the pages' policy forbids.
      assetsInlineLimit: 0,
    },
  })
}

async function compress(outDir: string): Promise<void> {
  for (const entry of await readdir(outDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|svg)$/.test(entry.name)) continue
    const file = join(entry.parentPath, entry.name)
    await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file), { level: 9 }))
  }
}
