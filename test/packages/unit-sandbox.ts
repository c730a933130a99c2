import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const UNIT = resolve(import.meta.dirname, '..', '..', 'deploy', 'systemd', 'countinghouse@.service')
/** Source: https://github.com/torvalds/linux/blob/master/include/linux/socket.h */
const FAMILIES: Readonly<Record<string, number>> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 }
const EPERM = 1

/**
 * The system calls and address families that the systemd unit allows, as a seccomp profile of a container; null without
 * systemd-analyze, which knows the sets of systemd.
 */
export function unitSandbox(): object | null {
  const { stdout, status } = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager'], { encoding: 'utf8' })
  if (status !== 0) return null
  const unit = readFileSync(UNIT, 'utf8')
  const valuesOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]?.split(' ') ?? []
  const names = new Set(['@default', ...valuesOf('SystemCallFilter')].flatMap((set) => [...expand(set, readSets(stdout))]))
  names.delete('socket')
  const families = valuesOf('RestrictAddressFamilies').map((family) => FAMILIES[family])
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    syscalls: [
      { names: [...names].toSorted(), action: 'SCMP_ACT_ALLOW' },
      ...families.map((value) => ({ names: ['socket'], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }] })),
    ],
  }
}

/** Members of each set, of which some are sets. */
function readSets(text: string): Map<string, string[]> {
  const sets = new Map<string, string[]>()
  let members: string[] = []
  for (const line of text.split('\n').map((each) => each.trimEnd())) {
    if (line.startsWith('@')) {
      members = []
      sets.set(line, members)
    } else if (/^ +[@a-z]/.test(line)) members.push(line.trim())
  }
  return sets
}

function expand(name: string, sets: ReadonlyMap<string, string[]>, seen = new Set<string>()): Set<string> {
  if (!name.startsWith('@')) return new Set([name])
  if (seen.has(name)) return new Set()
  seen.add(name)
  return new Set((sets.get(name) ?? []).flatMap((member) => [...expand(member, sets, seen)]))
}
