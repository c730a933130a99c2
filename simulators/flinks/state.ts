import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'

const Account = Type.Object({
  id: Type.String(),
  role: Type.String(),
  /** Changes by a test or a developer, applied over the generated data. */
  changes: Type.Record(Type.String(), Type.Unknown()),
})

const Login = Type.Object({
  id: Type.String(),
  institutionId: Type.Integer(),
  createdAt: Type.Integer(),
  /** Time of the last read of the bank, in milliseconds since the epoch. */
  readAt: Type.Integer(),
  isScheduled: Type.Boolean(),
  /** Error of the bank when it is read; null for none. */
  trouble: Type.Union([Type.Literal('INVALID_PASSWORD'), Type.Literal('CHALLENGE'), Type.Null()]),
  tag: Type.Union([Type.String(), Type.Null()]),
  isBusiness: Type.Boolean(),
  giant: Type.Boolean(),
  accounts: Type.Array(Account),
  /** Manually added transactions. */
  entered: Type.Array(
    Type.Object({ id: Type.String(), accountId: Type.String(), day: Type.String(), cents: Type.Integer(), text: Type.String() }),
  ),
})

const Flow = Type.Object({
  id: Type.String(),
  createdAt: Type.Integer(),
  language: Type.Union([Type.Literal('en'), Type.Literal('fr')]),
  redirectUrl: Type.String(),
  tag: Type.Union([Type.String(), Type.Null()]),
  isScheduled: Type.Boolean(),
  institutionId: Type.Union([Type.Integer(), Type.Null()]),
  /** Id of the login whose bank asks a question. */
  mending: Type.Union([Type.String(), Type.Null()]),
  step: Type.Union([Type.Literal('institution'), Type.Literal('login'), Type.Literal('question'), Type.Literal('done')]),
  problem: Type.Union([Type.Literal('credentials'), Type.Literal('answer'), Type.Null()]),
  username: Type.String(),
})

const StateSchema = Type.Object({
  next: Type.Integer(),
  tokens: Type.Record(Type.String(), Type.Object({ issuedAt: Type.Integer(), isUsed: Type.Boolean() })),
  sessions: Type.Record(
    Type.String(),
    Type.Object({
      loginId: Type.String(),
      usedAt: Type.Integer(),
      isOpen: Type.Boolean(),
      asked: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    }),
  ),
  logins: Type.Record(Type.String(), Login),
  flows: Type.Record(Type.String(), Flow),
})

export type State = Static<typeof StateSchema>
export type Login = Static<typeof Login>
export type StoredAccount = Static<typeof Account>
export type Flow = Static<typeof Flow>

export function emptyState(): State {
  return { next: 1, tokens: {}, sessions: {}, logins: {}, flows: {} }
}

export function isState(value: unknown): value is State {
  return Check(StateSchema, value)
}
