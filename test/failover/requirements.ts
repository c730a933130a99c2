import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { effort } from '../prove/effort.ts'

const PROGRAMS = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy']

/** A cluster needs its programs, and the right to make network namespaces; `npm run prove` asks for one. */
export const lacksCluster =
  !effort.isLong || !canMakeNamespaces() || (PROGRAMS.some((program) => !existsSync(program)) && process.env.CI !== 'true')
export const clusterNote = lacksCluster ? noteOf() : ''

function noteOf(): string {
  return effort.isLong
    ? ' (SKIPPED: no patroni, etcd or haproxy, or no right to make network namespaces)'
    : ' (in npm run prove -- failover)'
}

function canMakeNamespaces(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const name = `ch${process.pid % 100_000}t`
  try {
    execFileSync('ip', ['link', 'add', name, 'type', 'bridge'], { stdio: 'ignore' })
    execFileSync('ip', ['link', 'del', name])
    execFileSync('ip', ['netns', 'add', name], { stdio: 'ignore' })
    execFileSync('ip', ['netns', 'del', name])
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}
