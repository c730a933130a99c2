/** A document as it is served. */
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

/** What people do in the settings of an instance, seldom or never programs; in a document of its own, so that that of developers stays small. */
const ADMINISTRATION: ReadonlySet<string> = new Set(['Account', 'Users', 'Owner pages', 'File feeds', 'Sources', 'Jobs', 'Usage', 'Mail'])

/** The document for developers, and that of an instance’s administration. A component that both use is in both. */
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

/** The document with the tags that are wanted, and the components that are used. */
export function partOf(whole: Served, isWanted: (tag: string) => boolean): Served {
  const paths = Object.entries(whole.paths).flatMap(([path, item]) => {
    const operations = Object.entries(item).filter(([, { tags }]) => tags.some(isWanted))
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)] as const]
  })
  const part = { ...whole, tags: whole.tags.filter(({ name }) => isWanted(name)), paths: Object.fromEntries(paths) }
  return { ...part, components: usedComponents(part) }
}

/** What the operations and events ask for as security, and what the operations and events refer to, directly or not. */
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
