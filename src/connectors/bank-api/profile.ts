import { type Static, type TProperties, Type } from 'typebox'
import { AccountMap, Pointer, TransactionMap } from './profile-rules.ts'

const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })
const Text = Type.String({ minLength: 1, maxLength: 500 })
const Name = Type.String({ pattern: '^[a-z][A-Za-z0-9]{0,39}$' })
/** URL without a trailing slash; only hosts run by the operator may be reached without TLS. */
const Address = Type.String({ pattern: '^(https://[^/?#\\s@]+|http://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?)(/[^?#\\s]*[^/?#\\s])?$' })
/**
 * Template: `{name}` is replaced by an operator's key, by a form field, or by `{accountId}` and `{id}` where there is
 * one.
 */
const Template = Type.String({ minLength: 1, maxLength: 1_000 })
const Path = Type.String({ pattern: '^/[!-~]*$', maxLength: 500 })
const Templates = Type.Record(Type.String({ pattern: '^[!-~]+$' }), Template)
const Localized = closed({ en: Text, 'fr-CA': Text })

/** Token endpoint: below `hosts.token`, or from the issuer's discovery document. */
const TokenAddress = Type.Union([Path, Type.Literal('discovery')])

const Authentication = Type.Union([
  closed({
    kind: Type.Literal('clientCredentials'),
    token: TokenAddress,
    clientId: Template,
    clientSecret: Template,
    send: Type.Enum(['basic', 'body']),
    scope: Type.Optional(Text),
    parameters: Type.Optional(Templates),
  }),
  closed({
    kind: Type.Literal('jwtBearer'),
    token: TokenAddress,
    clientId: Template,
    /** PEM, PKCS#8. */
    privateKey: Template,
    keyId: Type.Optional(Template),
    algorithm: Type.Enum(['RS256', 'PS256', 'ES256']),
    /** Audience; defaults to the token endpoint's URL. */
    audience: Type.Optional(Template),
    /** RFC 7523: the assertion authenticates the client of a client credentials grant, or is the grant itself. */
    use: Type.Enum(['client', 'grant']),
    subject: Type.Optional(Template),
    scope: Type.Optional(Text),
  }),
  closed({ kind: Type.Literal('basic'), user: Template, password: Template }),
  closed({ kind: Type.Literal('apiKey'), header: Type.String({ pattern: '^[A-Za-z0-9-]+$' }), value: Template }),
])
export type Authentication = Static<typeof Authentication>

const Size = closed({ parameter: Text, rows: Type.Integer({ minimum: 2, maximum: 5_000 }) })
/** Value from the first page that the other pages must repeat. */
const Carried = closed({ parameter: Text, from: Pointer })
const Paging = Type.Union([
  closed({ by: Type.Literal('none') }),
  closed({
    by: Type.Enum(['page', 'offset']),
    parameter: Text,
    /** Index of the first page or of the first row. */
    first: Type.Enum([0, 1]),
    size: Size,
    /** Total number of rows; without it a short page is the last. */
    total: Type.Optional(Pointer),
    carry: Type.Optional(Carried),
  }),
  closed({ by: Type.Literal('token'), parameter: Text, next: Pointer, size: Type.Optional(Size) }),
  /** The response holds the URL of the next page. */
  closed({ by: Type.Literal('link'), next: Pointer, size: Type.Optional(Size) }),
])
export type Paging = Static<typeof Paging>

const listProperties = {
  path: Path,
  query: Type.Optional(Templates),
  /** Pointer to the array in the response. */
  rows: Pointer,
  /** Pointer to the id in a row. */
  id: Pointer,
  paging: Paging,
}

const AccountList = closed({
  name: Name,
  ...listProperties,
  /**
   * Details requested for each row: `path` holds `{id}`; the data at `value` is added to the row under the name `as`.
   */
  details: Type.Optional(Type.Array(closed({ as: Name, path: Path, value: Pointer }), { minItems: 1, maxItems: 4 })),
  map: AccountMap,
})
export type AccountList = Static<typeof AccountList>

const TransactionList = closed({
  name: Name,
  ...listProperties,
  /** Names of the account lists whose accounts have transactions here; `path` or `query` then holds `{accountId}`. */
  of: Type.Array(Name, { minItems: 1 }),
  /** Whether transactions of two accounts may have the same id. */
  idsPerAccount: Type.Optional(Type.Boolean()),
  /**
   * `everything`: each run lists the whole history, and missing transactions were deleted. Otherwise the oldest day
   * wanted is sent as `parameter`, and later runs go back `overlapDays` before the last one.
   */
  history: Type.Union([
    Type.Literal('everything'),
    closed({
      parameter: Text,
      form: Type.Enum(['day', 'instant', 'compact']),
      days: Type.Integer({ minimum: 1, maximum: 3_660 }),
      overlapDays: Type.Integer({ minimum: 3, maximum: 92 }),
    }),
  ]),
  map: TransactionMap,
})
export type TransactionList = Static<typeof TransactionList>

const Field = closed({
  name: Name,
  type: Type.Enum(['text', 'password']),
  label: Localized,
  hint: Type.Optional(Localized),
  /** Pattern of the whole field value. */
  pattern: Type.Optional(Text),
})

/** Profile of a bank's API, as read from a file. Reference: docs/bank-api-profiles.md. */
export const ProfileShape = closed({
  format: Type.Literal(1),
  key: Type.String({ pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$', maxLength: 40 }),
  name: Text,
  description: closed({ 'en-CA': Text, 'fr-CA': Text }),
  refreshHours: Type.Integer({ minimum: 1, maximum: 744 }),
  callsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  hosts: closed({ api: Address, token: Type.Optional(Address) }),
  /** Names of the operator's keys, as in `sources.json`. */
  keys: Type.Array(Name),
  authentication: Authentication,
  /** Headers of every API call. */
  headers: Type.Optional(Templates),
  connect: closed({
    fields: Type.Array(Field, { minItems: 1, maxItems: 8 }),
    /** Entity id of a connection; a reconnect must have the same. */
    id: Template,
    customer: Type.Optional(
      closed({
        path: Path,
        name: Type.Optional(Pointer),
        /** Proof of ownership: form fields that must equal the bank's data. */
        proof: Type.Optional(Type.Array(closed({ field: Name, is: Pointer }), { minItems: 1 })),
      }),
    ),
  }),
  /** Error formats of the bank beyond HTTP statuses. */
  failures: Type.Optional(
    closed({
      code: Pointer,
      rateLimited: Type.Optional(Type.Array(Text)),
      reconnect: Type.Optional(Type.Array(Text)),
      unavailable: Type.Optional(Type.Array(Text)),
    }),
  ),
  /** Version of the mapping, increased with every change that may alter a result. */
  mapVersion: Type.Integer({ minimum: 1 }),
  accounts: Type.Array(AccountList, { minItems: 1, maxItems: 8 }),
  transactions: Type.Array(TransactionList, { maxItems: 8 }),
})
export type Profile = Static<typeof ProfileShape>
