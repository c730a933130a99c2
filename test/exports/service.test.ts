import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportSettings } from '../../src/process/exports/export-settings.ts'
import { readConfig } from '../../src/process/settings/config.ts'
import { runCommand } from '../cli/run-command.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { startService } from '../process/service.ts'

const folder = folderForTests()
const test = databaseForTests()

/** Processes of exports whose parent is this process. */
function exportersOf(parent: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const isExporter = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('/src/process/exports/main.ts')
      return Number(ppid) === parent && isExporter ? [Number(name)] : []
    } catch {
      // No process, or one that has ended meanwhile.
      return []
    }
  })
}

describe('exports of a service with both roles', () => {
  it.runIf(process.platform === 'linux')(
    'are written by a process of their own, which ends with the service',
    async () => {
      const service = await startService({ dataDir: join(folder.path, 'data') })
      const env = { XDG_CONFIG_HOME: join(folder.path, 'config') }
      try {
        expect(exportersOf(service.pid)).toEqual([])
        await runCommand(['login', '--sandbox'], { ...env, DATA_DIR: service.dataDir, BASE_URL: service.baseUrl })
        const { code, stdout } = await runCommand(['export', 'Accounting', 'Accounts'], env)
        expect([code, stdout]).toEqual([0, expect.stringContaining('"companyId"')])
        const exporters = exportersOf(service.pid)
        expect(exporters).toHaveLength(1)
        expect(await service.stop()).toEqual({ code: 0, signal: null })
        await until('it ends', () => (readdirSync('/proc').includes(String(exporters[0])) ? null : true))
        expect(service.output()).not.toMatch(/"level":"(warn|error|fatal)"/)
      } finally {
        await service.kill()
      }
    },
    120_000,
  )

  it('are written by the worker itself where the API has a process of its own', () => {
    const env = {
      DATA_DIR: folder.path,
      DATABASE_URL: 'postgres://user:secret@db/name',
      DATABASE_READ_URL: 'postgres://user:secret@replica/name',
    }
    const settingsOf = (role: string) => exportSettings(readConfig(env, ['--role', role]), test.database, null)
    expect([settingsOf('api'), settingsOf('worker')]).toEqual([null, null])
    const addresses = { databaseUrl: env.DATABASE_URL, databaseReadUrl: env.DATABASE_READ_URL, databaseDirectUrl: null }
    expect(settingsOf('all')).toMatchObject({ ...addresses, isEmbedded: false, dataDir: folder.path, keys: null })
  })

  it('are told the address of the embedded database, and the keys that a setting has', () => {
    const keys = 'key text'
    const config = readConfig({ DATA_DIR: folder.path, KEYS: keys }, ['--role', 'all'])
    const told = exportSettings(config, test.database, 'postgres://countinghouse@/countinghouse?host=/socket')
    expect(told).toMatchObject({ databaseUrl: expect.stringContaining('/socket'), isEmbedded: true, keys: { kind: 'text', text: keys } })
  })
})
