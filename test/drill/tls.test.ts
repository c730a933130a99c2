import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { openForTests } from '../harness/for-tests.ts'
import { makeIdentity } from '../harness/identities.ts'
import { lacksMachine, machineNote, openMachine } from './machine.ts'

describe.skipIf(lacksMachine)(`the TLS guide${machineNote}`, () => {
  const machine = openForTests(openMachine)

  it('encrypts the connection to PostgreSQL, and refuses a server with another certificate', async () => {
    await machine.run(guideBlock('production.md', 'createdb'))
    await machine.run(guideBlock('tls.md', '$PGDATA/server.key'), { PGDATA: machine.postgres.dataDir })
    await mkdir(join(machine.root, 'etc/countinghouse'))
    const known = join(machine.root, 'etc/countinghouse/database.crt')
    await copyFile(join(machine.postgres.dataDir, 'server.crt'), known)

    const url = machine
      .localize(guideBlock('tls.md', 'DATABASE_URL='))
      .trim()
      .replace('DATABASE_URL=', '')
      .replace('localhost:5432', `localhost:${machine.postgres.port}`)
    const findings = async () => {
      const { stdout } = await runCommand(['doctor', '--json'], { DATABASE_URL: url, DATA_DIR: join(machine.root, 'data') })
      return (JSON.parse(stdout) as { findings: { id: string; fact: string }[] }).findings.filter(({ id }) => id.startsWith('database-'))
    }
    expect(await findings()).toEqual([])
    const encrypted = `select ssl from pg_stat_ssl where pid = pg_backend_pid()`
    expect(await machine.run(`psql "$URL" --tuples-only --no-align --command='${encrypted}'`, { URL: url })).toBe('t\n')

    await writeFile(known, makeIdentity('localhost', 'DNS:localhost').certificate)
    expect(await findings()).toEqual([
      expect.objectContaining({ id: 'database-unreachable', fact: expect.stringContaining('certificate') }),
    ])
  }, 60_000)
})
