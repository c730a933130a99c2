import { Type } from 'typebox'
import { SIGN_IN_FAULTS } from '../../access/provider/faults.ts'
import { orNull, PlainTimestamp, strict } from '../../schemas/schemas.ts'
import { Role } from './auth-schemas.ts'

const Word = Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' })
const DOMAIN = '^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9-]{2,63}$'

const settings = {
  issuer: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Issuer exactly as the provider writes it; `/.well-known/openid-configuration` below it describes the provider',
    examples: ['https://login.example.com'],
  }),
  clientId: Type.String({ minLength: 1, maxLength: 300, examples: ['countinghouse'] }),
  scopes: Type.Array(Word, {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: '`openid`, and those with which the provider tells address, name and groups and gives a refresh token',
    examples: [['openid', 'profile', 'email', 'offline_access']],
  }),
  parameters: Type.Record(Type.String(), Type.String({ maxLength: 300 }), {
    maxProperties: 5,
    description: 'Further parameters of the authorization request',
    examples: [{ access_type: 'offline' }],
  }),
  groupsClaim: orNull(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Claim with the groups of a member, or a path to it with dots; null: groups do not decide about roles',
      examples: ['groups'],
    }),
  ),
  emailDomains: Type.Array(Type.String({ maxLength: 253, pattern: DOMAIN }), {
    maxItems: 50,
    uniqueItems: true,
    description: 'Domains of the addresses that may sign in; empty: all',
    examples: [['example.com']],
  }),
  trustsEmails: Type.Boolean({
    description: 'Whether addresses count as verified without the claim `email_verified`, which Entra ID does not send',
  }),
  createsMembers: Type.Boolean({ description: 'Whether who is not a member yet becomes one at the first sign-in' }),
  defaultRole: orNull(Role),
  acceptedAcr: Type.Array(Word, { maxItems: 20, uniqueItems: true, description: 'Accepted values of the claim `acr`; empty: all' }),
  acceptedAmr: Type.Array(Word, {
    maxItems: 20,
    uniqueItems: true,
    description: 'Authentication methods (claim `amr`) of which one is demanded, such as `mfa`; empty: all',
  }),
  isRequired: Type.Boolean({ description: 'Whether members can sign in with the provider only: no password works then' }),
}

const Timestamp = Type.String({ ...PlainTimestamp })

export const ProviderShape = strict(
  {
    ...settings,
    triedOn: orNull(
      Type.String({ ...PlainTimestamp, description: 'When an administrator first signed in with these very settings; null: not yet' }),
    ),
    updatedOn: Timestamp,
  },
  { title: 'IdentityProvider' },
)

export const ProviderState = strict(
  {
    provider: orNull(ProviderShape),
    redirectUri: Type.String({ description: 'To be entered at the provider: where it sends members back to' }),
    backChannelLogoutUri: Type.String({ description: 'To be entered at the provider: where it tells that a session has ended' }),
    postLogoutRedirectUri: Type.String({ description: 'To be entered at the provider: where members arrive after a logout' }),
    signInAddress: Type.String({ description: 'Begins a sign-in: for links, and as the `initiate_login_uri` of the provider' }),
  },
  { title: 'IdentityProviderState' },
)

export const ProviderBody = strict(
  {
    ...settings,
    clientSecret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '^[\\x20-\\x7e]+$',
        description: 'Kept sealed and never returned; left out, the saved one stays. Needed for another issuer or client.',
        examples: ['<secret>'],
      }),
    ),
  },
  {
    title: 'NewIdentityProvider',
    examples: [
      {
        issuer: 'https://login.example.com',
        clientId: 'countinghouse',
        clientSecret: '<secret>',
        scopes: ['openid', 'profile', 'email', 'offline_access'],
        parameters: {},
        groupsClaim: 'groups',
        emailDomains: ['example.com'],
        trustsEmails: false,
        createsMembers: true,
        defaultRole: null,
        acceptedAcr: [],
        acceptedAmr: [],
        isRequired: false,
      },
    ],
  },
)

export const ProviderReportShape = strict(
  {
    fault: orNull(Type.Enum([...SIGN_IN_FAULTS], { description: 'Why it cannot be used; null: it can' })),
    givesRefreshTokens: Type.Boolean({ description: 'With them sessions are checked at the provider' }),
    announcesLogouts: Type.Boolean({ description: 'Whether it supports back-channel logout' }),
    hasLogoutPage: Type.Boolean({ description: 'Whether a logout here can log out there, too' }),
  },
  { title: 'IdentityProviderReport' },
)

export const SignInOptionShape = strict(
  {
    address: orNull(Type.String({ description: 'Path at which the sign-in begins; null: there is none for this account' })),
    host: orNull(Type.String({ description: 'Host of the provider' })),
    instanceName: orNull(Type.String()),
  },
  { title: 'SignInOption' },
)
