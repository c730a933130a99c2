/** Command that builds the bundle which `src/main.ts` uses; used by `npm run build`, and by a start in a child process. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { argv, stdout } from 'node:process'
import { BUNDLED, bundleFolder, NAMES } from '../../src/process/built/bundles.ts'
import { bundlePackage, readEntries } from './bundle-package.ts'

const [, , folder = bundleFolder()] = argv
if (!existsSync(folder)) await buildInto(folder)
stdout.write(`the bundle of ${BUNDLED} is at ${folder}\n`)

/** The bundle appears atomically, so nobody loads a part of it. */
async function buildInto(target: string): Promise<void> {
  const unfinished = join(dirname(target), `unfinished-${randomUUID()}`)
  await mkdir(unfinished, { recursive: true })
  try {
    await cp(join(import.meta.dirname, '../../node_modules', BUNDLED), unfinished, { recursive: true })
    const entries = await readEntries(unfinished)
    const names = Object.entries(entries).map(([name, path]) => [join(BUNDLED, name), path])
    await bundlePackage(unfinished)
    await writeFile(join(unfinished, NAMES), JSON.stringify(Object.fromEntries(names)))
    await rename(unfinished, target).catch((error: unknown) => {
      // A concurrent build has produced the same.
      if (!existsSync(target)) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}
