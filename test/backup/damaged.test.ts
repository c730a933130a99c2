import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBackup, readFacts } from '../../src/backup/format/backup-reader.ts'
import { HEADER_BYTES } from '../../src/backup/format/header.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openDeployment, passphrase } from './deployment.ts'

/** Number of changed bytes, one at a time, spread over the file. */
const CHANGES = 12

const deployment = openForTests(() => openDeployment(['xero']))
let target: TestDatabase
let backup: string
let bytes: Buffer
let files = 0

beforeAll(async () => {
  // Enough data for several chunks.
  await deployment.harness.deps.database.query(
    `insert into companies (instance_id, id, name) select i.id, gen_random_uuid(), md5(n::text) || md5((n + 1)::text) from instances i, generate_series(1, 20000) n`,
  )
  backup = await deployment.backUp('whole.backup')
  bytes = await readFile(backup)
  target = await testDatabase({ migrated: false })
})
afterAll(async () => {
  await target?.drop()
})

async function fileOf(content: Buffer): Promise<string> {
  files += 1
  const path = join(deployment.folder, `file-${files}.backup`)
  await writeFile(path, content)
  return path
}

/** The error when a file is read to its end; null if there is none. */
async function faultOf(content: Buffer, secret = passphrase): Promise<string | null> {
  try {
    const opened = await openBackup(await fileOf(content), secret)
    await readFacts(opened).finally(() => opened.close())
    return null
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}

/** Offsets of the chunks, and the end of the file. */
function chunkStarts(): number[] {
  const starts = [HEADER_BYTES]
  for (let at = HEADER_BYTES; at < bytes.length; starts.push(at)) at += 4 + bytes.readUInt32BE(at)
  return starts
}

/** Runs a restore that must be refused, checks that it left nothing behind, and returns its message. */
async function refusalOf(
  path: string,
  secret = passphrase,
  before: (dataDir: string) => Promise<unknown> = async () => null,
): Promise<string> {
  files += 1
  const dataDir = join(deployment.folder, `target-${files}`)
  await before(dataDir)
  const existed = existsSync(dataDir)
  const said = await restoreBackup(
    { path, passphrase: secret },
    { dataDir, databaseUrl: new Secret(target.url), keysElsewhere: null },
  ).then(
    () => 'restored',
    (error: unknown) => String(error),
  )
  expect([existsSync(dataDir), existsSync(join(dataDir, 'restore-unfinished'))]).toEqual([existed, false])
  const { rows } = await target.database.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`)
  expect(rows).toEqual([])
  return said
}

describe('a backup file', () => {
  it('with any one byte changed is refused', async () => {
    const positions = Array.from({ length: CHANGES }, (_, index) => Math.floor((index * (bytes.length - 1)) / (CHANGES - 1)))
    for (const position of [...positions, 9, 10, 11, 12, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 3]) {
      const changed = Buffer.from(bytes)
      changed[position] = (changed[position] ?? 0) ^ 1
      expect(await faultOf(changed), `byte ${position}`).toMatch(/^(BackupDamaged|WrongPassphrase): /)
    }
  }, 120_000)

  it('that is truncated, extended or reordered is refused, also between chunks', async () => {
    const starts = chunkStarts()
    const [first = 0, second = 0, third = 0] = starts
    const last = starts.at(-2) ?? 0
    expect(starts.length).toBeGreaterThan(3)
    for (const length of [0, 10, HEADER_BYTES, HEADER_BYTES + 2, second, last, bytes.length - 1])
      expect(await faultOf(bytes.subarray(0, length)), `${length} bytes`).toMatch(/cut short|no backup|changed/)
    expect(await faultOf(Buffer.concat([bytes, Buffer.of(0)]))).toMatch(/^BackupDamaged/)
    expect(await faultOf(Buffer.concat([bytes, bytes.subarray(last)]))).toMatch(/^BackupDamaged/)
    const swapped = [bytes.subarray(0, first), bytes.subarray(second, third), bytes.subarray(first, second), bytes.subarray(third)]
    expect(await faultOf(Buffer.concat(swapped))).toMatch(/^BackupDamaged/)
    expect(await faultOf(bytes.subarray(0, last))).toContain('cut short: its end is missing')
  })

  it('is refused with its first damaged chunk, whatever follows', async () => {
    const [first = 0] = chunkStarts()
    const shorter = Buffer.from(bytes)
    shorter.writeUInt32BE(shorter.readUInt32BE(first) - 1, first)
    expect(await faultOf(shorter)).toContain('the backup was changed, in chunk 1')
  })

  it('reveals nothing of its content', () => {
    expect(bytes.includes('Boulangerie')).toBe(false)
    expect(bytes.includes('companies')).toBe(false)
  })

  it('can be opened with its own passphrase only', async () => {
    expect(await faultOf(bytes)).toBe(null)
    expect(await faultOf(bytes, new Secret('another harbour teapot ninety-one'))).toContain('the passphrase is not the one')
  })
})

describe('a restore writes nothing', () => {
  it('from a damaged file', async () => {
    const changed = Buffer.from(bytes)
    changed[bytes.length - 20] = (changed[bytes.length - 20] ?? 0) ^ 1
    expect(await refusalOf(await fileOf(changed))).toContain('the backup was changed, in chunk')
  })

  it('from a file that is not a backup, or with another passphrase', async () => {
    expect(await refusalOf(await fileOf(Buffer.from('PGDMP, of another program, with more than sixty bytes in its header')))).toContain(
      'no backup of Countinghouse',
    )
    expect(await refusalOf(backup, new Secret('another harbour teapot ninety-one'))).toContain('the passphrase is not the one')
  })

  it('from a backup of a later version', async () => {
    const { database } = deployment.harness.deps
    await database.query(`insert into schema_migrations (name, checksum) values ('999-later.sql', 'x')`)
    const later = await deployment.backUp('later.backup')
    await database.query(`delete from schema_migrations where name = '999-later.sql'`)
    expect(await refusalOf(later)).toContain('does not know (999-later.sql); restore it with that version or a later one')
  })

  it('into a folder with keys of another deployment', async () => {
    expect(await refusalOf(backup, passphrase, openKeys)).toContain('is not empty (keys)')
  })

  it('into a database that has any table', async () => {
    const full = await testDatabase({ migrated: false })
    await full.database.query('create table notes (text text)')
    const dataDir = join(deployment.folder, 'full')
    const restoring = restoreBackup({ path: backup, passphrase }, { dataDir, databaseUrl: new Secret(full.url), keysElsewhere: null })
    await expect(restoring).rejects.toThrow('the database is not empty (notes')
    expect(existsSync(dataDir)).toBe(false)
    await full.drop()
  })
})

describe('a backup', () => {
  it('is not made without the keys of its database', async () => {
    const { harness, dataDir } = deployment
    const other = join(deployment.folder, 'other')
    await mkdir(other)
    await rename(join(dataDir, 'keys'), join(other, 'keys'))
    await expect(deployment.backUp('without.backup')).rejects.toThrow('are missing, so nobody could read the backup')
    await openKeys(dataDir)
    await expect(deployment.backUp('without.backup')).rejects.toThrow('are not those of this database')
    await cp(join(other, 'keys'), join(dataDir, 'keys'), { recursive: true, force: true })
    expect(existsSync(join(deployment.folder, 'without.backup'))).toBe(false)
    expect(harness.url).toBeTruthy()
  })

  it('replaces no existing file', async () => {
    await expect(deployment.backUp('whole.backup')).rejects.toThrow('exists; a backup replaces no file')
    expect((await readFile(backup)).equals(bytes)).toBe(true)
  })

  it('contains one point in time of all tables while the service writes', async () => {
    const { database } = deployment.harness.deps
    const writing = new AbortController()
    const writer = (async () => {
      for (; !writing.signal.aborted; )
        await database.query(
          `with added as (insert into companies (instance_id, id, name) select id, gen_random_uuid(), 'pair' from instances limit 1 returning id)
           insert into jobs (id, instance_id, kind, key) select id, (select id from instances limit 1), 'pair', 'pair/' || id from added`,
        )
    })()
    const counts = async () => {
      const { rows } = await database.query<{ count: number }>(
        'select (select count(*) from companies)::int - (select count(*) from jobs)::int as count',
      )
      return rows[0]?.count
    }
    const path = await deployment.backUp('busy.backup')
    writing.abort()
    await writer
    const opened = await openBackup(path, passphrase)
    const { tables } = await readFacts(opened).finally(() => opened.close())
    const { companies, jobs } = tables
    expect((companies?.rows ?? 0) - (jobs?.rows ?? 0)).toBe(await counts())
    const { rows } = await database.query<{ count: number }>('select count(*)::int as count from jobs')
    expect(rows[0]?.count, 'rows written meanwhile').toBeGreaterThan((jobs?.rows ?? 0) + 1)
  })
})
