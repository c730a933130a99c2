import { type Static, Type } from 'typebox'
import { Errors } from 'typebox/value'

/** URL without a trailing slash; only hosts run by the operator may be reached without TLS. */
const Address = Type.String({ pattern: '^(https://[^/?#\\s@]+|http://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?)(/[^?#\\s]*[^/?#\\s])?$' })
/** Path below one of the hosts; `{institution}` is the bank behind an aggregator, `{accountId}` the account. */
const Path = Type.String({ pattern: '^/[!-~]*$', maxLength: 300 })
const Text = Type.String({ minLength: 1, maxLength: 200 })
const Words = Type.Record(Type.String(), Type.String())
const SecretClient = Type.Enum(['client_secret_basic', 'client_secret_post'])

const Closed = { additionalProperties: false } as const

/**
 * Profile of a bank, or of an aggregator, that speaks FDX, as read from a file. Anything not in here is the same for
 * all of them.
 */
export const ProfileShape = Type.Object(
  {
    /** Profile key. It never changes: the service's id is derived from it. */
    key: Type.String({ pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$', maxLength: 40 }),
    name: Text,
    description: Type.Object({ 'en-CA': Text, 'fr-CA': Text }, Closed),
    route: Type.Enum(['direct', 'aggregator']),
    fdxVersion: Type.Enum(['4', '5', '6']),
    hosts: Type.Object({ issuer: Address, api: Address, directory: Type.Optional(Address) }, Closed),
    authorization: Type.Object(
      {
        /** `discovery`: from the issuer's discovery document. Paths are below `hosts.issuer`. */
        endpoints: Type.Union([
          Type.Literal('discovery'),
          Type.Object({ authorize: Path, token: Path, pushed: Type.Optional(Path), revoke: Type.Optional(Path) }, Closed),
        ]),
        scopes: Type.Array(Type.String({ pattern: '^[!-~]+$' }), { minItems: 1 }),
        /** Additional parameters of the authorization request. */
        parameters: Type.Optional(Words),
        client: Type.Union([SecretClient, Type.Enum(['private_key_jwt', 'tls_client_auth'])]),
        /** Client authentication of a refresh, where it differs from the first request. */
        clientOnRefresh: Type.Optional(SecretClient),
        /** Mutual TLS: a client certificate with every call, whatever the client authentication. */
        mutualTls: Type.Optional(Type.Boolean()),
        /** Pushed authorization request (RFC 9126). */
        isPushed: Type.Optional(Type.Boolean()),
        /** Revocation: the refresh token is posted (RFC 7009), or the bearer's own grant is deleted. */
        revokeBy: Type.Optional(Type.Enum(['token', 'delete'])),
        /** Token for the data API; defaults to the access token. */
        bearer: Type.Optional(Type.Enum(['access_token', 'id_token'])),
      },
      Closed,
    ),
    accounts: Type.Object(
      {
        path: Path,
        query: Type.Optional(Words),
        /** Details of each account in the list; they overwrite the list's values. */
        details: Type.Optional(Path),
        /** Second list of the same accounts with further fields. */
        more: Type.Optional(Path),
      },
      Closed,
    ),
    transactions: Type.Object(
      { path: Path, days: Type.Integer({ minimum: 1, maximum: 3_660 }), dates: Type.Enum(['day', 'instant']) },
      Closed,
    ),
    paging: Type.Object({ by: Type.Enum(['key', 'offset']), size: Type.Integer({ minimum: 2, maximum: 1_000 }) }, Closed),
    headers: Type.Optional(Words),
    /** Whether rates between 0 and 1 are fractions: everywhere, nowhere, or at these banks behind the aggregator. */
    rates: Type.Union([Type.Enum(['percent', 'fraction']), Type.Object({ fractionAt: Type.Array(Text) }, Closed)]),
    /** Default currency, where the bank sends none. */
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
    /**
     * Banks behind an aggregator: `listed` by the operator under the key `connectors`, or read from `hosts.directory`.
     */
    institutions: Type.Optional(
      Type.Union([
        Type.Object({ listed: Type.Literal(true), countries: Type.Array(Type.String({ pattern: '^[A-Z]{2}$' })) }, Closed),
        Type.Object(
          { path: Path, list: Text, id: Text, name: Text, countries: Type.Array(Type.String({ pattern: '^[A-Z]{2}$' })) },
          Closed,
        ),
      ]),
    ),
    callsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    refreshHours: Type.Integer({ minimum: 1, maximum: 744 }),
    /** Days after which an unused refresh token expires. */
    idleDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 366 })),
  },
  Closed,
)
export type Profile = Static<typeof ProfileShape>

/** All faults of a profile; empty when it is valid. `name` is the file's, without its extension. */
export function listFaults(name: string, value: unknown): string[] {
  const shape = Errors(ProfileShape, value).map(({ instancePath, message }) => `${instancePath || 'the file'} ${message}`)
  return shape.length > 0 ? [...new Set(shape)] : listConflicts(name, value as Profile)
}

function listConflicts(name: string, profile: Profile): string[] {
  const { authorization, institutions, hosts, accounts, transactions } = profile
  const { endpoints } = authorization
  const faults: string[] = []
  if (profile.key !== name) faults.push(`/key is "${profile.key}", but the file is named ${name}.json`)
  if (authorization.isPushed && endpoints !== 'discovery' && endpoints.pushed === undefined) {
    faults.push('/authorization/endpoints has no "pushed", which /authorization/isPushed needs')
  }
  if (authorization.bearer === 'id_token' && !authorization.scopes.includes('openid')) {
    faults.push('/authorization/scopes has no "openid", without which there is no id_token')
  }
  if (institutions && 'path' in institutions && hosts.directory === undefined) {
    faults.push('/hosts has no "directory", which /institutions/path needs')
  }
  if (institutions && profile.route !== 'aggregator') faults.push('/institutions is for a route of "aggregator"')
  for (const [place, path] of Object.entries({ '/accounts/details': accounts.details, '/transactions/path': transactions.path })) {
    if (path !== undefined && !path.includes('{accountId}')) faults.push(`${place} names no {accountId}`)
  }
  const texts = [accounts.path, accounts.details, accounts.more, transactions.path, ...Object.values(authorization.parameters ?? {})]
  for (const text of texts) faults.push(...listPlaces(text ?? '', institutions !== undefined))
  return faults
}

function listPlaces(text: string, hasInstitutions: boolean): string[] {
  const known = ['{accountId}', ...(hasInstitutions ? ['{institution}'] : [])]
  return [...text.matchAll(/\{[^}]*\}/g)]
    .filter(([place]) => !known.includes(place))
    .map(([place]) => `"${text}": nothing stands for ${place}`)
}

/** Names of the operator's keys, as in `sources.json`. */
export function listAppKeys({ authorization, institutions }: Profile): string[] {
  const { client } = authorization
  const isSecret = client === 'client_secret_basic' || client === 'client_secret_post'
  return [
    'clientId',
    ...(isSecret ? ['clientSecret'] : []),
    ...(client === 'private_key_jwt' ? ['signingKey'] : []),
    ...(showsCertificate(authorization) ? ['certificate', 'certificateKey'] : []),
    ...(institutions && 'listed' in institutions ? ['connectors'] : []),
  ]
}

export function showsCertificate({ client, mutualTls }: Profile['authorization']): boolean {
  return client === 'tls_client_auth' || mutualTls === true
}
