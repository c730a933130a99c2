import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'

const Account = Type.Object({
  id: Type.Integer(),
  role: Type.String(),
  /** Changes by a test or a developer, applied over the generated data. */
  changes: Type.Record(Type.String(), Type.Unknown()),
})

const Login = Type.Object({
  id: Type.Integer(),
  customerId: Type.String(),
  institutionId: Type.Integer(),
  createdAt: Type.Integer(),
  /** Seconds; null until the accounts are first read. */
  aggregatedAt: Type.Union([Type.Integer(), Type.Null()]),
  statusCode: Type.Integer(),
  giant: Type.Boolean(),
  accounts: Type.Array(Account),
  /** Manually added transactions. */
  entered: Type.Array(
    Type.Object({
      id: Type.Integer(),
      accountId: Type.Integer(),
      day: Type.String(),
      cents: Type.Integer(),
      status: Type.String(),
      text: Type.String(),
    }),
  ),
})

const Link = Type.Object({
  id: Type.String(),
  customerId: Type.String(),
  createdAt: Type.Integer(),
  language: Type.Union([Type.Literal('en'), Type.Literal('fr')]),
  institutionId: Type.Union([Type.Integer(), Type.Null()]),
  fixLoginId: Type.Union([Type.Integer(), Type.Null()]),
  redirectUri: Type.Union([Type.String(), Type.Null()]),
  webhook: Type.Union([Type.String(), Type.Null()]),
  webhookData: Type.Unknown(),
  singleUse: Type.Boolean(),
  step: Type.Union([
    Type.Literal('institution'),
    Type.Literal('login'),
    Type.Literal('code'),
    Type.Literal('accounts'),
    Type.Literal('done'),
  ]),
  problem: Type.Union([Type.Literal('credentials'), Type.Literal('code'), Type.Literal('accounts'), Type.Null()]),
  giant: Type.Boolean(),
})

const StateSchema = Type.Object({
  /** Next free id. */
  next: Type.Integer(),
  tokens: Type.Array(Type.Object({ token: Type.String(), issuedAt: Type.Integer() })),
  failedAuthentications: Type.Integer(),
  customers: Type.Record(
    Type.String(),
    Type.Object({ id: Type.String(), username: Type.String(), type: Type.String(), createdDate: Type.Integer() }),
  ),
  logins: Type.Record(Type.String(), Login),
  links: Type.Record(Type.String(), Link),
  subscriptions: Type.Array(
    Type.Object({
      id: Type.Integer(),
      accountId: Type.Integer(),
      type: Type.String(),
      callbackUrl: Type.String(),
      signingKey: Type.String(),
    }),
  ),
})

export type State = Static<typeof StateSchema>
export type Login = Static<typeof Login>
export type StoredAccount = Static<typeof Account>
export type Link = Static<typeof Link>

export function emptyState(): State {
  return { next: 1, tokens: [], failedAuthentications: 0, customers: {}, logins: {}, links: {}, subscriptions: [] }
}

export function isState(value: unknown): value is State {
  return Check(StateSchema, value)
}
