import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/process/settings/config.ts'
import { readGuide } from '../guides/guide-blocks.ts'

const SYSTEMD = resolve(import.meta.dirname, '..', '..', 'deploy', 'systemd')
const UNIT = join(SYSTEMD, 'countinghouse@.service')
/** In tenths, as systemd-analyze expects. */
const MOST_EXPOSED = 30
const isMissing = !existsSync('/usr/bin/systemd-analyze') && process.env.CI !== 'true'

const text = readFileSync(UNIT, 'utf8')
const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })

describe.skipIf(isMissing)(`the systemd unit${isMissing ? ' (SKIPPED: no systemd-analyze on this machine)' : ''}`, () => {
  it('is parsed by systemd without warnings', async () => {
    // Avoids the warning that the program is not installed here.
    const folder = await mkdtemp(join(tmpdir(), 'unit-'))
    const copy = join(folder, 'countinghouse@.service')
    await writeFile(copy, text.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true').replace(/^(User|Group)=.*/gm, '$1=root'))
    const { status, stderr } = analyze('verify', '--man=no', '--recursive-errors=no', copy)
    await rm(folder, { recursive: true })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('has an exposure of 3.0 at most', () => {
    const { status, stdout } = analyze('security', '--offline=true', `--threshold=${MOST_EXPOSED}`, '--no-pager', UNIT)
    const exposure = Number(/Overall exposure level.*: ([\d.]+)/.exec(stdout)?.[1])
    expect([status, exposure > 0 && exposure <= MOST_EXPOSED / 10]).toEqual([0, true])
  })
})

it('the guide names every folder that the unit lets the service write to', () => {
  const guide = readGuide('systemd.md')
  const [, sentence = ''] = /The processes can write only to ([\s\S]*?)They have\s+no capabilities/.exec(guide) ?? []
  const settingOf = (name: string) => new RegExp(`^${name}=-?(.*)$`, 'm').exec(text)?.[1] ?? ''
  const folders = ['lib', 'cache', 'log'].map(
    (kind, at) => `/var/${kind}/${settingOf(['StateDirectory', 'CacheDirectory', 'LogsDirectory'][at] ?? '')}`,
  )
  expect([...sentence.matchAll(/`(\/[^`]+)`/g)].map(([, folder]) => folder)).toEqual([...folders, settingOf('ReadWritePaths')])
})

it.each(['api', 'worker', 'all'])('the unit and its environment are settings that the role %s accepts', (role) => {
  const pairs = (lines: string) =>
    [...lines.matchAll(/(?:^|[ =])([A-Z_]+)=(\S*)/gm)].map(([, name = '', value = '']): [string, string] => [name, value])
  const own = /^Environment=(.*)/m.exec(text)?.[1] ?? ''
  const settings = Object.fromEntries([...pairs(own), ...pairs(readFileSync(join(SYSTEMD, 'environment'), 'utf8'))])
  const args = /^ExecStart=\S+ \S+ start (.*)/m.exec(text)?.[1]?.replace('%i', role).split(' ') ?? []
  const config = readConfig(settings, args)
  expect([config.role, config.environment, config.dataDir, config.doubts]).toEqual([role, 'production', '/var/lib/countinghouse', []])
})
