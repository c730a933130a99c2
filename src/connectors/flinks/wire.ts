import { type Static, type TSchema, Type } from 'typebox'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: the fragments of OpenAPI on https://docs.flinks.com and recorded answers
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
const Id = Type.Union([Type.String({ minLength: 1 }), Type.Integer()])

/** Account with its login. Its number is reduced to `Mask`, and its holder removed, before it becomes a record. */
export const FlinksAccount = Type.Object({
  account: Type.Object({
    Id: Type.String({ minLength: 1 }),
    Mask: Text,
    Title: maybe(Text),
    Category: maybe(Text),
    Type: maybe(Text),
    Currency: maybe(Text),
    AccountType: maybe(Text),
    OverdraftLimit: maybe(Amount),
    Balance: maybe(Type.Object({ Available: maybe(Amount), Current: maybe(Amount), Limit: maybe(Amount) })),
  }),
  login: Type.Object({ LastRefresh: maybe(Text), Type: maybe(Text) }),
  institution: Type.Object({ name: maybe(Text) }),
})
export type FlinksAccount = Static<typeof FlinksAccount>

/** Transaction with its account's currency. */
export const FlinksTransaction = Type.Object({
  transaction: Type.Object({
    Id: Type.String({ minLength: 1 }),
    Date: Text,
    Code: maybe(Text),
    Description: maybe(Text),
    Debit: maybe(Amount),
    Credit: maybe(Amount),
    Balance: maybe(Amount),
  }),
  account: Type.Object({
    Id: Type.String({ minLength: 1 }),
    Currency: maybe(Text),
    Category: maybe(Text),
    Type: maybe(Text),
    Title: maybe(Text),
  }),
})
export type FlinksTransaction = Static<typeof FlinksTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const TokenAnswer = Type.Object({ Token: Type.String({ minLength: 1 }) })
const LoginWire = Type.Object({ Id: maybe(Text), LastRefresh: maybe(Text), Type: maybe(Text), IsScheduledRefresh: maybe(Type.Boolean()) })
export const AuthorizeAnswer = Type.Object({
  RequestId: Type.String({ minLength: 1 }),
  InstitutionId: maybe(Id),
  InstitutionName: maybe(Text),
  Institution: maybe(Text),
  Login: maybe(LoginWire),
})
export type AuthorizeAnswer = Static<typeof AuthorizeAnswer>
export const AccountsAnswer = Type.Object({
  Accounts: Type.Array(Type.Unknown()),
  Login: maybe(LoginWire),
  InstitutionName: maybe(Text),
  Institution: maybe(Text),
  Tag: maybe(Text),
})
export type AccountsAnswer = Static<typeof AccountsAnswer>
export const IneligibleAnswer = Type.Object({ IneligibleCards: maybe(Type.Array(Type.Unknown())) })
export const InstitutionsAnswer = Type.Object({ Data: Type.Array(Type.Unknown()), Count: Type.Integer({ minimum: 0 }) })
export const InstitutionWire = Type.Object({
  Id,
  Localizations: Type.Array(
    Type.Object({
      Language: maybe(Text),
      Name: maybe(Text),
      Urls: maybe(Type.Array(Type.Object({ Type: maybe(Text), Url: maybe(Text) }))),
    }),
  ),
  Status: maybe(Text),
  Country: maybe(Text),
})
export type InstitutionWire = Static<typeof InstitutionWire>
export const WebhookBody = Type.Object({ ResponseType: maybe(Text), Login: Type.Object({ Id: Type.String({ minLength: 1 }) }) })
