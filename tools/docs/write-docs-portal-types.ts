import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ApiDocument } from './api-document.ts'

export const PORTAL_TYPES = 'src/portal/api/generated/types.ts'

/** Schemas of the document used by the portal; the schemas that they refer to are included. */
const SCHEMAS: readonly string[] = [
  'AccountingAccount',
  'AccountingTransaction',
  'ApiKey',
  'AuditEntry',
  'BankAccount',
  'BankTransaction',
  'BeginPasskeyLoginResponse',
  'CaughtMail',
  'Company',
  'CompanyAccount',
  'CompanyAccounts',
  'Connection',
  'ConnectionDetail',
  'ConnectionSchedule',
  'Consent',
  'CountEventsToReplayResponse',
  'DeadJob',
  'Delivery',
  'Deployment',
  'Explanation',
  'Export',
  'ExportDestination',
  'FoundAccounts',
  'Funnel',
  'FunnelCount',
  'GetConnectionLinkResponse',
  'GroupRoles',
  'IdentityProvider',
  'IdentityProviderReport',
  'IdentityProviderState',
  'InstitutionRequest',
  'IssuedApiKey',
  'AuditEntryPage',
  'EventPage',
  'ListedConnection',
  'LoginResponse',
  'Mail',
  'SendConnectionLinkResponse',
  'MailSettings',
  'NewPasskey',
  'NewReceiver',
  'NewSubscription',
  'OwnerPages',
  'ProviderLogout',
  'Provisioning',
  'Passkey',
  'PasskeyCreation',
  'PasskeyRequest',
  'ProveIdentityResponse',
  'Quality',
  'Queue',
  'Quota',
  'Receipt',
  'ReceivedRequest',
  'Receiver',
  'RecoveryCodes',
  'Replayed',
  'RotateSubscriptionSecretResponse',
  'Run',
  'SavedKeys',
  'Service',
  'ServiceSchedule',
  'Session',
  'SignInOption',
  'SessionProof',
  'McpAccess',
  'SignInRules',
  'Simulator',
  'Source',
  'Subscription',
  'SubscriptionSecret',
  'TestedKeys',
  'TimelineEntry',
  'TwoStepSecret',
  'TwoStepState',
  'Usage',
  'User',
  'WholeRequest',
  'Whoami',
]

interface NamedEnum {
  type: string
  list?: string
  at: readonly [schema: string, property?: string]
}

/**
 * Enumerations with a name in the portal, by their location in the document; with a list of their values if a page
 * shows all of them.
 */
const ENUMS: readonly NamedEnum[] = [
  { type: 'Role', list: 'ROLES', at: ['Role'] },
  { type: 'SubscribableEvent', list: 'SUBSCRIBABLE_EVENTS', at: ['SubscribableEvent'] },
  { type: 'DeliveryStatus', list: 'DELIVERY_STATUSES', at: ['Delivery', 'status'] },
  { type: 'ReceiverBehaviour', list: 'RECEIVER_BEHAVIOURS', at: ['Receiver', 'behaviour'] },
  { type: 'ApiKeyScope', list: 'API_KEY_SCOPES', at: ['ApiKeyScope'] },
  { type: 'StatusCode', at: ['StatusCode'] },
  { type: 'FaultCode', at: ['FaultCode'] },
  { type: 'Category', at: ['Service', 'category'] },
]

const PORTAL = { schemas: SCHEMAS, enums: ENUMS }

const Schema = Type.Object(
  {
    $ref: Type.Optional(Type.String()),
    const: Type.Optional(Type.Unknown()),
    enum: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]))),
    anyOf: Type.Optional(Type.Array(Type.Unknown())),
    type: Type.Optional(Type.Enum(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])),
    items: Type.Optional(Type.Unknown()),
    properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    required: Type.Optional(Type.Array(Type.String())),
    additionalProperties: Type.Optional(Type.Unknown()),
    // Keywords that restrict a value without changing its type.
    ...Object.fromEntries(
      'title description $comment examples default format pattern minLength maxLength minimum maximum maxItems minItems minProperties maxProperties uniqueItems'
        .split(' ')
        .map((keyword) => [keyword, Type.Optional(Type.Unknown())]),
    ),
  },
  { additionalProperties: false },
)
type Schema = Static<typeof Schema>
const schema = Compile(Schema)

/**
 * TypeScript module with the portal's types of the API. Throws for a missing schema and for an unsupported keyword of
 * JSON Schema, so that no type is wider than the document says.
 */
export function describePortalTypes({ components }: ApiDocument, { schemas, enums } = PORTAL): string {
  const printer = new Printer(components.schemas)
  const text = [
    '/** Types of the API, written by `npm run docs` from its OpenAPI document. Timestamps without an offset are UTC. */',
    ...enums.map(({ type, list, at }) => printer.enumeration(type, list, at)),
    ...printer.declarations(schemas),
  ].join('\n\n')
  return format(`${text}\n`)
}

class Printer {
  readonly #all: Record<string, unknown>
  readonly #wanted = new Set<string>()
  /** Names of enumerations, by the union of their values. */
  readonly #enums = new Map<string, string>()

  constructor(all: Record<string, unknown>) {
    this.#all = all
  }

  enumeration(type: string, list: string | undefined, [name, property]: readonly [string, string?]): string {
    const found = this.#find(name)
    const values = listValues(property === undefined ? found : toSchema(found).properties?.[property])
    this.#enums.set(toUnion(values), type)
    if (list === undefined) return `export type ${type} = ${toUnion(values)}`
    return `export const ${list} = [${values.join(', ')}] as const\nexport type ${type} = (typeof ${list})[number]`
  }

  /** The named schemas and those that they refer to. */
  declarations(names: readonly string[]): string[] {
    for (const name of names) this.#wanted.add(name)
    // NOTE a set that grows during iteration is iterated to its new end.
    return [...this.#wanted.values().map((name) => `export type ${name} = ${this.#print(this.#find(name))}`)]
  }

  #find(name: string): unknown {
    if (!(name in this.#all)) throw new Error(`the document has no schema ${name}`)
    return this.#all[name]
  }

  #print(value: unknown): string {
    const schema = toSchema(value)
    if (schema.$ref !== undefined) return this.#nameOf(schema.$ref)
    if ('const' in schema) return JSON.stringify(schema.const)
    if (schema.enum) return this.#enums.get(toUnion(listValues(schema))) ?? toUnion(listValues(schema))
    if (schema.anyOf) return toUnion(schema.anyOf.map((each) => this.#print(each)))
    if (schema.type === 'array') return `(${this.#print(schema.items)})[]`
    if (schema.type === 'object') return this.#printObject(schema)
    if (schema.type === undefined) return 'unknown'
    return schema.type === 'integer' ? 'number' : schema.type
  }

  #printObject({ properties = {}, required: names = [], additionalProperties: rest }: Schema): string {
    const members = Object.entries(properties).map(([name, value]) => {
      return `${JSON.stringify(name)}${names.includes(name) ? '' : '?'}: ${this.#print(value)}`
    })
    if (members.length > 0) return `{\n${members.join('\n')}\n}`
    return `Record<string, ${typeof rest === 'object' ? this.#print(rest) : 'unknown'}>`
  }

  #nameOf(reference: string): string {
    const name = reference.split('/').at(-1) ?? ''
    if (![...this.#enums.values()].includes(name)) this.#wanted.add(name)
    return name
  }
}

function toSchema(value: unknown): Schema {
  if (schema.Check(value)) return value
  const [first] = schema.Errors(value)
  throw new Error(`unsupported: ${JSON.stringify(value)}, ${first?.message}`)
}

/** Values of an enumeration as literals; for a nullable one, those besides null; for a list, those of its items. */
function listValues(value: unknown): string[] {
  const { enum: values, anyOf = [], items } = toSchema(value)
  if (items !== undefined) return listValues(items)
  if (values) return values.map((each) => JSON.stringify(each))
  return anyOf.filter((each) => toSchema(each).type !== 'null').flatMap(listValues)
}

function toUnion(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function format(text: string): string {
  const biome = resolve(import.meta.dirname, '../../node_modules/.bin/biome')
  return execFileSync(biome, ['format', `--stdin-file-path=${PORTAL_TYPES}`], { input: text, encoding: 'utf8' })
}
