import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Parse } from 'typebox/value'
import { compareFiles, hashFiles, programFolder, sumOf } from './binaries.ts'
import { BINARIES_FILE, readRecord, VersionOf } from './binaries-record.ts'

/**
 * `npm run binaries -- PACKAGE FOLDER ORIGIN`: compares the programs in an installed npm package with the unpacked
 * distribution of their maker, byte for byte, and records their checksum. Records nothing when a file differs.
 */
async function main([name = '', folder = '', origin = '']: readonly string[]): Promise<void> {
  if (name === '' || (folder !== '' && origin === '')) throw new Error('usage: npm run binaries -- PACKAGE [FOLDER ORIGIN]')
  const installed = join('node_modules', name)
  if (!existsSync(installed)) throw new Error(`${name} is not installed on this machine`)
  const inside = programFolder(name)
  const packed = await hashFiles(join(installed, inside))
  const makers = folder === '' ? null : join(folder, existsSync(join(folder, inside)) ? inside : '')
  const faults = makers === null ? [] : compareFiles(packed, await hashFiles(makers))
  if (faults.length > 0) throw new Error([`${name} is not what its maker publishes; nothing is recorded`, ...faults].join('\n'))
  const { version } = Parse(VersionOf, JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')))
  const record = { package: name, version, files: packed.size, sha256: sumOf(packed), sameAs: makers === null ? null : origin }
  const others = (await readRecord()).filter((each) => each.package !== name)
  const all = [...others, record].toSorted((a, b) => (a.package < b.package ? -1 : 1))
  await writeFile(BINARIES_FILE, `${JSON.stringify(all, null, 2)}\n`)
  const state = makers === null ? 'recorded without a comparison' : `the same as ${origin}, and recorded`
  process.stdout.write(`${name} ${version}: ${packed.size} files, ${state}\n`)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
