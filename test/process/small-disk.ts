import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A separate small disk requires the right to mount one. */
export const lacksMount = !canMount()
export const mountNote = lacksMount ? ' (SKIPPED: this user cannot mount a tmpfs)' : ''

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch (error) {
    if (error instanceof Error && 'status' in error) return false
    throw error
  }
}

/** Mounts a disk of the given size. */
export async function mountDisk(megabytes: number): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'countinghouse-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path])
  return {
    path,
    remove: async () => {
      execFileSync('umount', ['-l', path])
      await rm(path, { recursive: true, force: true })
    },
  }
}
