import type { JsonObject } from './messages/json.ts'
import { GROUP, MAX_RESULTS, PROVIDER_CONFIG, RESOURCE_TYPE, SCHEMA, USER } from './messages/schemas.ts'

/** Source: https://www.rfc-editor.org/rfc/rfc7643#section-5 */
export function toProviderConfig(base: string): JsonObject {
  return {
    schemas: [PROVIDER_CONFIG],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API key',
        description: 'An API key with the scope scim, in the header Authorization: Bearer …',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

/** Source: https://www.rfc-editor.org/rfc/rfc7643#section-6 */
export function listResourceTypes(base: string): (JsonObject & { id: string })[] {
  return [
    ['User', 'Users', 'A user of the instance', USER],
    ['Group', 'Groups', 'A group of the identity provider', GROUP],
  ].map(([name = '', plural, description, schema]) => ({
    schemas: [RESOURCE_TYPE],
    id: name,
    name,
    endpoint: `/${plural}`,
    description,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))
}

/** Source: https://www.rfc-editor.org/rfc/rfc7643#section-7 */
export function listSchemas(base: string): (JsonObject & { id: string })[] {
  return [
    { id: USER, name: 'User', description: 'User of the instance', attributes: USER_ATTRIBUTES },
    { id: GROUP, name: 'Group', description: 'Group of the identity provider', attributes: GROUP_ATTRIBUTES },
  ].map((schema) => ({ schemas: [SCHEMA], ...schema, meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` } }))
}

interface AttributeOptions {
  type?: 'string' | 'boolean' | 'complex' | 'reference'
  multiValued?: boolean
  required?: boolean
  caseExact?: boolean
  mutability?: 'readWrite' | 'readOnly' | 'immutable'
  uniqueness?: 'none' | 'server' | 'global'
  subAttributes?: JsonObject[]
  referenceTypes?: string[]
  canonicalValues?: string[]
}

function attribute(name: string, description: string, options: AttributeOptions = {}): JsonObject {
  const usual = {
    type: 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
  }
  return { name, description, ...usual, ...options }
}

const readOnly = { mutability: 'readOnly' } as const
const immutable = { mutability: 'immutable' } as const

const USER_ATTRIBUTES = [
  attribute('userName', 'Name by which the provider knows the user', { required: true, uniqueness: 'server' }),
  attribute('externalId', 'The provider’s own id', { caseExact: true }),
  attribute('name', 'Name of the user', {
    type: 'complex',
    subAttributes: [attribute('formatted', 'The whole name'), attribute('familyName', 'Family name'), attribute('givenName', 'Given name')],
  }),
  attribute('displayName', 'Name that is shown'),
  attribute('active', 'Whether the user may sign in; a POST that leaves it out means true, a PUT the state before', {
    type: 'boolean',
    required: true,
  }),
  attribute('emails', 'Addresses; the primary one is that of the account. May be left out where userName is an address', {
    type: 'complex',
    multiValued: true,
    required: true,
    subAttributes: [
      attribute('value', 'E-mail address', { required: true }),
      attribute('type', 'Kind of address', { canonicalValues: ['work', 'home', 'other'] }),
      attribute('primary', 'Whether it is the address of the account', { type: 'boolean' }),
    ],
  }),
  attribute('groups', 'Groups of the user', {
    type: 'complex',
    multiValued: true,
    ...readOnly,
    subAttributes: [
      attribute('value', 'Id of the group', readOnly),
      attribute('$ref', 'Address of the group', { type: 'reference', referenceTypes: ['Group'], caseExact: true, ...readOnly }),
      attribute('display', 'Name of the group', readOnly),
      attribute('type', 'Always direct', { canonicalValues: ['direct'], ...readOnly }),
    ],
  }),
]

const GROUP_ATTRIBUTES = [
  attribute('displayName', 'Name of the group', { required: true, uniqueness: 'server' }),
  attribute('externalId', 'The provider’s own id', { caseExact: true }),
  attribute('members', 'Users in the group', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user', { required: true, ...immutable }),
      attribute('$ref', 'Address of the user', { type: 'reference', referenceTypes: ['User'], caseExact: true, ...immutable }),
      attribute('type', 'Always User', { canonicalValues: ['User'], ...immutable }),
    ],
  }),
]
