import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { chmod, open, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Files that are executed by their path. */
const PROGRAMS = ['usr/bin/countinghouse', 'usr/lib/countinghouse/bin/node']
const ELF = '\x7fELF'

/** Files of a folder, sorted, as absolute paths. */
function listFiles(folder: string): string[] {
  return listEntries(folder)
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function listEntries(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
}

/** Programs and libraries of a folder. */
export async function listBinaries(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const file of listFiles(folder)) if ((await readStart(file, ELF.length)) === ELF) found.push(file)
  return found
}

/** Sets the same modes for all files, and removes the shebang from code that is not executed by its path. */
export async function normalizeFiles(root: string): Promise<void> {
  for (const entry of listEntries(root)) if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755)
  for (const file of listFiles(root)) {
    const isProgram = PROGRAMS.includes(relative(root, file))
    await chmod(file, isProgram ? 0o755 : 0o644)
    // Line numbers stay the same, since stack traces show them.
    if (!isProgram && (await readStart(file, 2)) === '#!') await writeFile(file, (await readFile(file, 'utf8')).replace(/^#!.*/, ''))
  }
}

/** Content of `DEBIAN/md5sums`, with which `dpkg --verify` checks the files. Settings are not among them. */
export async function sumFiles(root: string): Promise<string> {
  const lines: string[] = []
  for (const file of listFiles(root)) {
    const path = relative(root, file)
    if (/^(DEBIAN|etc)\//.test(path)) continue
    lines.push(
      `${createHash('md5')
        .update(await readFile(file))
        .digest('hex')}  ${path}\n`,
    )
  }
  return lines.join('')
}

async function readStart(file: string, length: number): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0)
    return buffer.subarray(0, bytesRead).toString('latin1')
  } finally {
    await handle.close()
  }
}
