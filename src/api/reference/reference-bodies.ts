import type { ReferenceDocument } from './reference-schema.ts'

type Json = Record<string, unknown>

/**
 * Names a component for each body and each schema with a title, so that generated clients have named types. Bodies
 * without a title are named by their operation; equal ones share one.
 */
export function nameBodies(document: ReferenceDocument): ReferenceDocument {
  const names = new Names(document.components.schemas ?? {})
  const paths = mapValues(document.paths, (item) => mapValues(item, (operation) => nameOperation(operation, names)))
  const webhooks = mapValues(document.webhooks, ({ post }) => ({ post: nameOperation(post, names) }))
  return { ...document, paths, webhooks, components: { ...document.components, schemas: names.all } }
}

function nameOperation<Operation extends ReferenceDocument['paths'][string][string]>(operation: Operation, names: Names): Operation {
  const base = operation.operationId.charAt(0).toUpperCase() + operation.operationId.slice(1)
  const { requestBody } = operation
  const responses = mapValues(operation.responses, (answer) =>
    answer.content ? { ...answer, content: mapValues(answer.content, (media) => nameMedia(media, `${base}Response`, names)) } : answer,
  )
  if (!requestBody) return { ...operation, responses }
  const content = mapValues(requestBody.content, (media) => nameMedia(media, `${base}Request`, names))
  return { ...operation, responses, requestBody: { ...requestBody, content } }
}

function nameMedia<Media extends { schema?: object }>(media: Media, name: string, names: Names): Media {
  const { schema } = media
  return !schema || '$ref' in schema ? media : { ...media, schema: names.refer({ title: nameOfList(schema) ?? name, ...schema }) }
}

/** Name of a page or a list of titled items, by their title. */
function nameOfList(schema: object): string | undefined {
  const { items, properties }: { items?: unknown; properties?: { data?: unknown } } = schema
  if (isTitled(items)) return `${items.title}List`
  const data = properties?.data
  return typeof data === 'object' && data !== null && 'items' in data && isTitled(data.items) ? `${data.items.title}Page` : undefined
}

/** Named schemas. */
class Names {
  readonly all: Record<string, unknown>
  readonly #known = new Map<string, string>()

  constructor(all: Record<string, unknown>) {
    this.all = { ...all }
    for (const [name, schema] of Object.entries(all)) this.#known.set(`${name}\n${JSON.stringify(schema)}`, name)
  }

  /** Reference to the schema by its title. */
  refer(schema: Json): { $ref: string } {
    const { title, ...parts } = schema
    const inner = this.#hoist(parts)
    const text = JSON.stringify(inner)
    const wanted = String(title)
    const name = this.#known.get(`${wanted}\n${text}`) ?? this.#known.get(`\n${text}`) ?? this.#add(wanted, inner, text)
    return { $ref: `#/components/schemas/${name}` }
  }

  #add(wanted: string, schema: unknown, text: string): string {
    let name = wanted
    for (let count = 2; name in this.all; count += 1) name = `${wanted}${count}`
    this.all[name] = schema
    this.#known.set(`${wanted}\n${text}`, name)
    this.#known.set(`\n${text}`, name)
    return name
  }

  #hoist(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#hoistSchema(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, LITERAL.has(key) ? item : this.#hoistSchema(item)]))
  }

  #hoistSchema(value: unknown): unknown {
    if (!isTitled(value)) return this.#hoist(value)
    // A value that says more than the component of its name, as a timestamp of something, stays where it is.
    const { title, ...parts } = value
    const inner = this.#hoist(parts)
    return title in this.all && !('properties' in parts) && !this.#known.has(`${title}\n${JSON.stringify(inner)}`)
      ? inner
      : this.refer(value)
  }
}

/** Keywords whose value is not a schema. */
const LITERAL: ReadonlySet<string> = new Set(['example', 'examples', 'enum', 'const', 'default', 'required'])

function isTitled(value: unknown): value is Json & { title: string } {
  return typeof value === 'object' && value !== null && 'title' in value && typeof value.title === 'string'
}

function mapValues<Value, Result>(record: Readonly<Record<string, Value>>, change: (value: Value) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
