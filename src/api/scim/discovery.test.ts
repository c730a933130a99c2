import { expect, it } from 'vitest'
import { listResourceTypes, listSchemas, toProviderConfig } from './discovery.ts'

const BASE = 'https://books.example/scim/v2'
const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

it('the provider says what it can do', () => {
  expect(toProviderConfig(BASE)).toEqual({
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        ...{ type: 'oauthbearertoken', name: 'API key', specUri: 'https://www.rfc-editor.org/info/rfc6750', primary: true },
        description: expect.stringContaining('the scope scim'),
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${BASE}/ServiceProviderConfig` },
  })
})

it('the types of resources are users and groups, each with its address and schema', () => {
  expect(listResourceTypes(BASE)).toEqual(
    [
      ['User', '/Users', 'A user of the instance'],
      ['Group', '/Groups', 'A group of the identity provider'],
    ].map(([name, endpoint, description]) => ({
      ...{ schemas: [`${CORE}:ResourceType`], id: name, name, endpoint, description, schema: `${CORE}:${name}` },
      meta: { resourceType: 'ResourceType', location: `${BASE}/ResourceTypes/${name}` },
    })),
  )
})

/** A line for each attribute and part: type, then what is not usual. */
const ATTRIBUTES = {
  User: `
userName string required server
externalId string exact
name complex
name.formatted string
name.familyName string
name.givenName string
displayName string
active boolean required
emails complex many required
emails.value string required
emails.type string work|home|other
emails.primary boolean
groups complex many readOnly
groups.value string readOnly
groups.$ref reference exact readOnly Group
groups.display string readOnly
groups.type string readOnly direct`,
  Group: `
displayName string required server
externalId string exact
members complex many
members.value string required immutable
members.$ref reference exact immutable User
members.type string immutable User`,
}

interface Attribute {
  [option: string]: unknown
  name: string
  type: string
  mutability: string
  uniqueness: string
  referenceTypes?: string[]
  canonicalValues?: string[]
  subAttributes?: Attribute[]
}

function linesOf(attribute: Attribute, above = ''): string[] {
  const { name, type, multiValued, required, caseExact, mutability, uniqueness, referenceTypes, canonicalValues } = attribute
  expect([String(attribute.description).length > 5, attribute.returned, typeof multiValued]).toEqual([true, 'default', 'boolean'])
  const unusual = [
    ...[multiValued && 'many', required && 'required', caseExact && 'exact', mutability !== 'readWrite' && mutability],
    ...[uniqueness !== 'none' && uniqueness, canonicalValues?.join('|'), referenceTypes?.join('|')],
  ]
  const line = [`${above}${name}`, type, ...unusual].filter(Boolean).join(' ')
  return [line, ...(attribute.subAttributes ?? []).flatMap((part) => linesOf(part, `${name}.`))]
}

it.each(['User', 'Group'] as const)('the schema of a %s has the attributes that are kept', (name) => {
  const schema = listSchemas(BASE).find(({ id }) => id === `${CORE}:${name}`)
  const { attributes, ...rest } = schema as unknown as { attributes: Attribute[] }
  expect(attributes.flatMap((attribute) => linesOf(attribute)).join('\n')).toBe(ATTRIBUTES[name].trim())
  expect(rest).toEqual({
    ...{
      schemas: [`${CORE}:Schema`],
      id: `${CORE}:${name}`,
      name,
      description: `${name} of the ${name === 'User' ? 'instance' : 'identity provider'}`,
    },
    meta: { resourceType: 'Schema', location: `${BASE}/Schemas/${CORE}:${name}` },
  })
  expect(listSchemas(BASE)).toHaveLength(2)
})
