import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { type Documented, GENERATED, toTable } from './write-docs-mapping.ts'

const CONNECTED_BY = {
  redirect: 'the owner signs in at the source and is redirected back',
  widget: 'the owner signs in in a widget of the source on our page',
  form: 'the owner fills in a form with an address and credentials',
  upload: 'the owner uploads files',
} satisfies Record<ConnectorDescription['link'], string>

/** docs/sources.md: what each source delivers, and what it needs. */
export function describeSources(documented: readonly Documented[]): string {
  const rows = documented.map(({ description }) => [
    `[${description.name}](#${anchorOf(description)})`,
    description.category,
    description.link,
    description.entities.includes('Accounts') ? 'yes' : 'no',
    description.entities.includes('Transactions') ? 'yes' : 'no',
    description.refreshHours === 0 ? 'with each file' : `every ${description.refreshHours} h`,
  ])
  return `${GENERATED}
# Sources

${toTable(['source', 'category', 'connected by', 'accounts', 'transactions', 'refreshed'], rows)}

${documented.map(describeSource).join('\n')}`
}

function describeSource({ description, connector }: Documented): string {
  const { key, folder = key, name, entities, link, appKeys, hosts } = description
  const versions = entities.map((entity) => `${entity} ${connector.entities[entity]?.map.version}`).join(', ')
  const rows = [
    ['connected', CONNECTED_BY[link]],
    ['delivers', entities.join(' and ')],
    ['credentials', connector.refreshCredentials ? 'refreshed automatically' : 'do not expire'],
    ['disconnect', connector.disconnect ? 'revokes the access at the source' : 'no revocation at the source'],
    ['operator keys', appKeys.length === 0 ? 'none' : appKeys.map((each) => `\`${each}\``).join(', ')],
    ['hosts', Object.keys(hosts).length === 0 ? 'entered by the owner, or none' : [...new Set(Object.values(hosts))].join('<br>')],
    ['mapping version', versions],
  ]
  return `## ${name}

${description.description['en-CA']}

${toTable(['', ''], rows)}

Limits and quirks: [README](../src/connectors/${folder}/README.md). Values: [mapping](mappings/${key}.md).
`
}

function anchorOf({ name }: ConnectorDescription): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')
}
