/** OpenAPI document as served. */
export interface Served {
  info: object
  tags: readonly { name: string }[]
  paths: Record<string, Record<string, ServedOperation>>
  webhooks: object
  security: unknown
  components: Record<string, Record<string, unknown>>
}

interface ServedOperation {
  operationId?: string
  tags: readonly string[]
  requestBody?: { content: Record<string, object> }
  responses?: Record<string, { content?: Record<string, object> }>
}

/**
 * Operations for the settings of an instance, used by people and hardly ever by programs; they have their own document,
 * so that the one for developers stays small.
 */
const ADMINISTRATION: ReadonlySet<string> = new Set([
  'Account',
  'Users',
  'Owner pages',
  'File feeds',
  'Sources',
  'Jobs',
  'Usage',
  'Search',
  'Mail',
])

/**
 * Splits the document for developers from that for the administration of an instance. A component used by both is in
 * both.
 */
export function splitAdministration(whole: Served): { api: object; administration: object } {
  const isAdministration = (tag: string) => ADMINISTRATION.has(tag)
  return {
    api: partOf(whole, (tag) => !isAdministration(tag)),
    administration: partOf(
      {
        ...whole,
        info: {
          ...whole.info,
          title: 'Countinghouse administration API',
          description:
            'Settings of an instance: users, sources, file feeds, pages of owners, mails, jobs and usage. Errors, filters and fresh proofs are as the Countinghouse API describes them.',
        },
        webhooks: {},
      },
      isAdministration,
    ),
  }
}

/** Document with the wanted tags and the components they use. */
export function partOf(whole: Served, isWanted: (tag: string) => boolean): Served {
  const paths = Object.entries(whole.paths).flatMap(([path, item]) => {
    const operations = Object.entries(item).filter(([, { tags }]) => tags.some(isWanted))
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)] as const]
  })
  const part = { ...whole, tags: whole.tags.filter(({ name }) => isWanted(name)), paths: Object.fromEntries(paths) }
  return { ...part, components: usedComponents(part) }
}

/** Security schemes and components that the operations and events use, directly or not. */
function usedComponents({ paths, webhooks, security, components }: Served): Served['components'] {
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, reference = ''] of JSON.stringify(value).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
      if (used.has(reference)) continue
      used.add(reference)
      const [kind = '', name = ''] = reference.split('/')
      visit(components[kind]?.[name])
    }
  }
  visit([paths, webhooks])
  const text = JSON.stringify([paths, security])
  return Object.fromEntries(
    Object.entries(components).map(([kind, all]) => [
      kind,
      Object.fromEntries(
        Object.entries(all).filter(([name]) => (kind === 'securitySchemes' ? text.includes(`{"${name}":[`) : used.has(`${kind}/${name}`))),
      ),
    ]),
  )
}
