import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TypeTable } from '../../src/connectors/contract/type-table.ts'
import { connectors } from '../../src/connectors/registry.ts'
import { readApiDocument } from './api-document.ts'
import { wrapMarkdown } from './wrap-markdown.ts'
import { AUDIT_GUIDE, describeAudit } from './write-docs-audit.ts'
import { DOCTOR_GUIDE, describeDoctor } from './write-docs-doctor.ts'
import { type Documented, describeMapping } from './write-docs-mapping.ts'
import { describePortalTypes, PORTAL_TYPES } from './write-docs-portal-types.ts'
import { describeProfileFields, PROFILE_GUIDE } from './write-docs-profile-fields.ts'
import { describeReadme } from './write-docs-readme.ts'
import { describeSourceKeys, SOURCE_KEYS } from './write-docs-source-keys.ts'
import { describeSources } from './write-docs-sources.ts'
import { describeTaxonomy } from './write-docs-taxonomy.ts'

const root = resolve(import.meta.dirname, '../..')

/** Generated documents, by path in the project. */
export async function generatedDocs(): Promise<Map<string, string>> {
  const documented = await Promise.all(
    connectors.map(async (description): Promise<Documented> => {
      const table = (await import(`../../src/connectors/${description.folder ?? description.key}/type-table.ts`)) as {
        typeTable: TypeTable
      }
      return { description, connector: await description.load(), table: table.typeTable }
    }),
  )
  const docs = new Map([
    ['README.md', describeReadme(readFileSync(resolve(root, 'README.md'), 'utf8'), connectors)],
    [PROFILE_GUIDE, describeProfileFields(readFileSync(resolve(root, PROFILE_GUIDE), 'utf8'))],
    [AUDIT_GUIDE, describeAudit(readFileSync(resolve(root, AUDIT_GUIDE), 'utf8'))],
    [DOCTOR_GUIDE, describeDoctor(readFileSync(resolve(root, DOCTOR_GUIDE), 'utf8'))],
    ['docs/sources.md', describeSources(documented)],
    [SOURCE_KEYS, await describeSourceKeys(documented)],
    ['docs/taxonomy.md', describeTaxonomy(documented)],
    [PORTAL_TYPES, describePortalTypes(await readApiDocument())],
  ])
  for (const each of documented) docs.set(`docs/mappings/${each.description.key}.md`, describeMapping(each))
  return new Map([...docs].map(([path, text]) => [path, path.endsWith('.md') ? wrapMarkdown(text) : text]))
}

/** Mappings of removed connectors. */
export function listOrphans(docs: ReadonlyMap<string, string>): string[] {
  return readdirSync(resolve(root, 'docs/mappings'))
    .map((file) => `docs/mappings/${file}`)
    .filter((path) => !docs.has(path))
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of await generatedDocs()) {
    const file = resolve(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    process.stdout.write(`${path}\n`)
  }
}
