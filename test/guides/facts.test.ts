import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PARTS } from '../../bench/options.ts'
import { describeOldKey } from '../../src/cli/commands/doctor.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { CHECKS } from '../../src/cli/doctor/checks.ts'
import { readConfig } from '../../src/process/settings/config.ts'
import { findNewerSchema } from '../../src/store/db/schema-release.ts'
import type { OldKey } from '../../src/store/keys/old-keys.ts'
import { testDatabase } from '../harness/database.ts'
import { allFamilies } from '../metrics/all-families.ts'
import { isOnPath } from '../packages/podman.ts'
import { lacksPooler, openPooledPostgres, poolerNote } from '../process/pooler.ts'
import { guideBlock, listGuideBlocks, listGuides, readGuide, settingsOf } from './guide-blocks.ts'

const PRODUCTION = { ENVIRONMENT: 'production', BASE_URL: 'https://data.example.com', DATABASE_URL: 'postgres://a@127.0.0.1/b' }

describe('blocks of settings', () => {
  it.each([
    ['high-availability.md', guideBlock('high-availability.md', 'DATABASE_URL='), ['DATABASE_URL']],
    ['scaling.md', guideBlock('scaling.md', 'DATABASE_DIRECT_URL='), ['DATABASE_URL', 'DATABASE_DIRECT_URL']],
    [
      'raw-pages.md',
      guideBlock('raw-pages.md', 'RAW_PAGE_STORAGE='),
      ['RAW_PAGE_STORAGE', 'RAW_PAGE_BUCKET', 'RAW_PAGE_BUCKET_REGION', 'RAW_PAGE_BUCKET_KEY_FILE'],
    ],
  ])('of %s are accepted', async (_guide, block, names) => {
    const secret = join(await mkdtemp(join(tmpdir(), 'settings-')), 'secret')
    await writeFile(secret, 'id:secret')
    const settings = settingsOf(block.replace('/etc/countinghouse/bucket-key', secret))
    expect(Object.keys(settings)).toEqual(names)
    expect(readConfig({ ...PRODUCTION, ...settings }, []).doubts).toEqual([])
    await rm(dirname(secret), { recursive: true })
  })

  it.skipIf(lacksPooler)(`of PgBouncer start it in the mode and with the sizes that they name${poolerNote}`, async () => {
    const postgres = await openPooledPostgres()
    onTestFinished(() => postgres.close())
    const pooler = await postgres.pool({ file: guideBlock('scaling.md', 'pool_mode = transaction') })
    onTestFinished(() => pooler.close())
    const ask = async (database: string, statement: string) => {
      const client = new pg.Client(pooler.url.replace(/[^/]+$/, database))
      await client.connect()
      onTestFinished(() => client.end())
      return (await client.query<{ key: string; value: string }>(statement)).rows
    }
    expect(await ask('countinghouse', 'select current_database() as value')).toEqual([{ value: 'countinghouse' }])
    const config = Object.fromEntries((await ask('pgbouncer', 'show config')).map(({ key, value }) => [key, value]))
    expect([config.pool_mode, config.default_pool_size, config.max_client_conn]).toEqual(['transaction', '100', '5000'])
  })
})

describe('packages', () => {
  const isMissing = !isOnPath('apt-cache') && process.env.CI !== 'true'
  it.skipIf(isMissing)(`that guides install are known to Debian${isMissing ? ' (SKIPPED: no apt-cache)' : ''}`, () => {
    const blocks = [
      guideBlock('backup.md', 'apt-get install pgbackrest'),
      guideBlock('high-availability.md', 'apt-get install'),
      guideBlock('debian.md', 'apt install postgresql'),
    ]
    const installed = listGuideBlocks().filter(({ text }) => /^apt(-get)? install (?!\.\/)/m.test(text))
    expect(installed.map(({ text }) => text).toSorted()).toEqual(blocks.toSorted())
    const names = blocks.flatMap((block) => /install (.*)/.exec(block)?.[1]?.split(' ') ?? []).filter((word) => !word.startsWith('--'))
    expect(names.length).toBeGreaterThan(4)
    const known = execFileSync('apt-cache', ['show', '--no-all-versions', ...names], { encoding: 'utf8' })
    for (const name of names) expect(known).toContain(`Package: ${name}\n`)
  })
})

describe('messages', () => {
  it('of doctor are as the guide shows them', () => {
    const shown = guideBlock('doctor.md', 'database-superuser')
    const { severity, cure } = CHECKS['database-superuser']
    expect(shown).toContain(`${severity}  database-superuser\n  `)
    expect(shown).toContain(`\n  Cure: ${cure}\n`)
    expect(shown).toContain(`\n${Object.keys(CHECKS).length} checks: 1 errors, 0 warnings.\n`)
  })

  it('of doctor about old keys are as the guide shows them', () => {
    const shown: OldKey[] = [
      { purpose: 'sealing', id: '4be1a0c9d3f27e55', needs: [] },
      {
        purpose: 'token-hash',
        id: '9c02f1d6b84a7e31',
        needs: [
          { what: 'owner pages', count: 12 },
          { what: 'receivers', count: 3 },
          { what: 'audit entries', count: 5210 },
        ],
      },
    ]
    expect(`${shown.map(describeOldKey).join('\n')}\n`).toBe(guideBlock('doctor.md', 'old key sealing'))
  })

  it('of a version that is too old is as the guide shows it', async () => {
    const { database, drop } = await testDatabase()
    onTestFinished(drop)
    await database.query(
      `update schema_migrations set name = '061-drop-notes.sql', oldest_release = '1.2.0' where name = (select max(name) from schema_migrations)`,
    )
    expect(`${await findNewerSchema(database, '1.1.0')}\n`).toBe(guideBlock('upgrade.md', 'a later version'))
  })
})

describe('names in the guides', () => {
  const wordsOf = (pattern: RegExp) =>
    listGuides().flatMap((guide) => [...readGuide(guide).matchAll(pattern)].map(([, ...words]) => ({ guide, words })))

  it('of metrics exist', async () => {
    const { database, drop } = await testDatabase()
    onTestFinished(drop)
    const { names } = await allFamilies(database)
    // Of our own, also those of other roles.
    const list = readFileSync(resolve(import.meta.dirname, '..', '..', 'docs', 'metrics.md'), 'utf8')
    const named = wordsOf(/`((?:countinghouse|nodejs|process|http)_\w+)[`{]/g).filter(({ words: [name] }) => name !== 'countinghouse_state')
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter(({ words: [name = ''] }) => !list.includes(`\`${name}\``) && !names.includes(name))).toEqual([])
  })

  it('of commands exist, with the options beside them', () => {
    const named = wordsOf(/`countinghouse ([a-z][a-z-]+)([^`]*)`/g)
    expect(named.length).toBeGreaterThan(20)
    const isUnknown = ({ words: [name = '', rest = ''] }: (typeof named)[number]) => {
      const command = COMMANDS.find((each) => each.name === name)
      const options = [...rest.matchAll(/--([a-z-]+)/g)].map(([, option = '']) => option)
      return name !== 'help' && (!command || options.some((option) => option !== 'json' && !(option in command.options)))
    }
    expect(named.filter(isUnknown)).toEqual([])
  })

  it('of parts of the benchmark exist', () => {
    const named = wordsOf(/`npm run bench -- ([a-z]+)/g)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter(({ words: [part = ''] }) => !PARTS.some((each) => each === part))).toEqual([])
  })
})
