import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { RELEASE } from '../../src/model/release.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')

const PARTS = [
  ...['src', 'sdk', 'simulators', 'docs', 'tsconfig.json', 'package.json', 'package-lock.json'],
  ...['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md'],
]

/** Changes of the next version: what an upgrade may contain under the rules for migrations. */
const ADDED = {
  'src/store/migrations/990-next.sql': `alter table connections add column next_note text;
alter table record_versions add column next_kind text not null default 'plain';
create table next_things (instance_id uuid not null references instances (id), id uuid not null, primary key (instance_id, id));
select enforce_instance_isolation('next_things');
`,
  'src/store/migrations/991-next-index.sql': `-- Transaction: none
create index concurrently if not exists sync_runs_next on sync_runs (instance_id, reason, started_at);
`,
}

/**
 * Writes a copy of this tree to `folder` that is one minor version later, with migrations and a newer SQL function.
 */
export async function writeNextVersion(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const part of PARTS) await cp(join(CHECKOUT, part), join(folder, part), { recursive: true })
  await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
  const [major, minor] = RELEASE.split('.').map(Number)
  const version = `${major}.${Number(minor) + 1}.0`
  await change(join(folder, 'package.json'), `"version": "${RELEASE}"`, `"version": "${version}"`)
  for (const [path, text] of Object.entries(ADDED)) await writeFile(join(folder, path), text)
  await raiseFunction(join(folder, 'src/store/functions/deleted-document.sql'))
}

async function raiseFunction(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  await writeFile(
    path,
    text.replace(/^-- Version: (\d+)/, (_, version: string) => `-- Version: ${Number(version) + 1}`),
  )
}

async function change(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
  await writeFile(path, text.replace(from, to))
}
