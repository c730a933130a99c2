import { type Static, Type } from 'typebox'
import { AnyList, optional } from '../toolkit/values/wire-schemas.ts'

/**
 * Schemas of the fields that we read; further fields are allowed. A number of more than 15 digits arrives as text.
 * Unknown enum values are allowed everywhere.
 * Source: the fragments of OpenAPI on https://docs.flinks.com and recorded answers
 */
const Text = Type.String()
const Amount = Type.Union([Type.Number(), Type.String()])
const Id = Type.Union([Type.String({ minLength: 1 }), Type.Integer()])

/** Account with its login. Its number is reduced to `Mask`, and its holder removed, before it becomes a record. */
export const FlinksAccount = Type.Object({
  account: Type.Object({
    Id: Type.String({ minLength: 1 }),
    Mask: Text,
    Title: optional(Text),
    Category: optional(Text),
    Type: optional(Text),
    Currency: optional(Text),
    AccountType: optional(Text),
    OverdraftLimit: optional(Amount),
    Balance: optional(Type.Object({ Available: optional(Amount), Current: optional(Amount), Limit: optional(Amount) })),
  }),
  login: Type.Object({ LastRefresh: optional(Text), Type: optional(Text) }),
  institution: Type.Object({ name: optional(Text) }),
})
export type FlinksAccount = Static<typeof FlinksAccount>

/** Transaction with its account's currency. */
export const FlinksTransaction = Type.Object({
  transaction: Type.Object({
    Id: Type.String({ minLength: 1 }),
    Date: Text,
    Code: optional(Text),
    Description: optional(Text),
    Debit: optional(Amount),
    Credit: optional(Amount),
    Balance: optional(Amount),
  }),
  account: Type.Object({
    Id: Type.String({ minLength: 1 }),
    Currency: optional(Text),
    Category: optional(Text),
    Type: optional(Text),
    Title: optional(Text),
  }),
})
export type FlinksTransaction = Static<typeof FlinksTransaction>

/** Response envelopes, validated first. Their records are `unknown` and are validated one by one. */
export const TokenAnswer = Type.Object({ Token: Type.String({ minLength: 1 }) })
const LoginWire = Type.Object({
  Id: optional(Text),
  LastRefresh: optional(Text),
  Type: optional(Text),
  IsScheduledRefresh: optional(Type.Boolean()),
})
export const AuthorizeAnswer = Type.Object({
  RequestId: Type.String({ minLength: 1 }),
  InstitutionId: optional(Id),
  InstitutionName: optional(Text),
  Institution: optional(Text),
  Login: optional(LoginWire),
})
export type AuthorizeAnswer = Static<typeof AuthorizeAnswer>
export const AccountsAnswer = Type.Object({
  Accounts: AnyList,
  Login: optional(LoginWire),
  InstitutionName: optional(Text),
  Institution: optional(Text),
  Tag: optional(Text),
})
export type AccountsAnswer = Static<typeof AccountsAnswer>
export const IneligibleAnswer = Type.Object({ IneligibleCards: optional(AnyList) })
export const InstitutionsAnswer = Type.Object({ Data: AnyList, Count: Type.Integer({ minimum: 0 }) })
export const InstitutionWire = Type.Object({
  Id,
  Localizations: Type.Array(
    Type.Object({
      Language: optional(Text),
      Name: optional(Text),
      Urls: optional(Type.Array(Type.Object({ Type: optional(Text), Url: optional(Text) }))),
    }),
  ),
  Status: optional(Text),
  Country: optional(Text),
})
export type InstitutionWire = Static<typeof InstitutionWire>
export const WebhookBody = Type.Object({ ResponseType: optional(Text), Login: Type.Object({ Id: Type.String({ minLength: 1 }) }) })
