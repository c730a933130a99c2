import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { hasCode } from '../../src/model/error-code.ts'
import { RELEASE } from '../../src/model/release.ts'
import { pack } from '../../tools/package/debian/build.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { openReaderShell } from '../guides/reader-shell.ts'
import { until } from '../process/deadline.ts'
import type { Chroot } from './chroot.ts'

const run = promisify(execFile)
/** Versions of the two packages. */
export const [FIRST, SECOND] = [RELEASE, '999.0.0']
/** On a busy machine. */
const BUILD_MS = 240_000
/** For the hook that builds them and installs the first. */
export const PREPARE_MS = 360_000
const CHECKOUT = resolve(import.meta.dirname, '..', '..')
/** Larger, but built much faster. */
const QUICK_DPKG_DEB =
  '#!/bin/sh\nfor word; do shift; case $word in -Zxz) set -- "$@" -Zgzip -z1 ;; *) set -- "$@" "$word" ;; esac; done\nexec real-dpkg-deb "$@"\n'

/**
 * The package, and one of a later version with other settings, in the folder `to`; returns the first. They are built
 * once for all files of a test run.
 */
export async function buildTwo(to: string): Promise<string> {
  const shared = join(tmpdir(), 'debian-packages')
  const [done, failed] = [join(shared, 'done'), join(shared, 'failed')]
  const isFirst = await mkdir(shared).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'EEXIST')) return false
      throw error
    },
  )
  if (isFirst)
    await build(shared).then(
      () => writeFile(done, ''),
      (error: unknown) => writeFile(failed, String(error)),
    )
  await until('the packages are built', () => (existsSync(done) || existsSync(failed) ? true : null), BUILD_MS)
  if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'))
  const names = readdirSync(shared).filter((name) => name.endsWith('.deb'))
  for (const name of names) await copyFile(join(shared, name), join(to, name))
  return join(to, names.find((name) => name.includes(`_${FIRST}_`)) ?? '')
}

async function build(to: string): Promise<void> {
  const shell = await openReaderShell(to)
  await shell.add('dpkg-deb', QUICK_DPKG_DEB)
  const built = await shell.run(guideBlock('debian.md', '--deb /tmp').replace('--deb /tmp', `--deb ${to}`), { cwd: CHECKOUT })
  const [first = ''] = /^\/.*\.deb$/m.exec(built) ?? []
  const root = await mkdtemp(join(to, 'second-'))
  await run('dpkg-deb', ['--raw-extract', first, root])
  const edit = async (path: string, from: RegExp, replacement: string) => {
    const text = readFileSync(join(root, path), 'utf8')
    expect(text).toMatch(from)
    await writeFile(join(root, path), text.replace(from, replacement))
  }
  await edit('DEBIAN/control', /^Version: .*/m, `Version: ${SECOND}`)
  await edit('usr/lib/countinghouse/package.json', /"version": "[^"]+"/, `"version": "${SECOND}"`)
  await edit('etc/countinghouse/environment', /^SMTP_URL=/m, '# New in this version.\nSMTP_URL=')
  await pack(root, { to, version: SECOND, isQuick: true })
}

/** Writes these settings into those of the installed package, in place of the lines they replace. */
export function writeSettings(chroot: Chroot, own: Readonly<Record<string, string>>): void {
  const kept = chroot
    .read('etc/countinghouse/environment')
    .split('\n')
    .filter((line) => !Object.keys(own).some((name) => line.startsWith(`${name}=`)))
  const lines = [...kept, ...Object.entries(own).map(([name, value]) => `${name}=${value}`)]
  writeFileSync(chroot.path('etc/countinghouse/environment'), `${lines.join('\n')}\n`)
}
